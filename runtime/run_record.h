// What a run tells about itself, whatever the program: where its time went, how its fetches went, what it
// sent. Plain data; the command shows it. Times under the virtual cluster are virtual where they
// say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "leeway/dsm/node.h"
#include "leeway/runtime/node_log.h"
#include "leeway/runtime/residual.h"
#include "leeway/snapshot/counts.h"

namespace leeway {

namespace pie {
struct RoundsTold;  // pie/options.h
}

struct PhaseSeconds {
  double load = 0;
  double partition = 0;
  double setup = 0;    ///< lists turned and dealt out, caches filled
  double compute = 0;  ///< from the first iteration until all agree; virtual under sim
  double output = 0;
};

struct NodeRecord {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;    ///< inputs its updates read, or arcs that its fragments hold
  std::uint64_t walked = 0;  ///< arcs, as often as a fragment's program did; by the pie engine
  std::uint64_t remote = 0;  ///< objects of other homes it reads
  std::uint64_t bytes = 0;   ///< structure and shared memory
  std::uint64_t cache_capacity = 0;  ///< copies held at once; 0: all that it reads
  NodeLog log;
  SpaceStats space;  ///< since the first iteration
  NodeStats node;    ///< since the first iteration
  snapshot::Counts snapshots;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.vertices, self.arcs, self.walked, self.remote, self.bytes,
                    self.cache_capacity, self.log, self.space, self.node, self.snapshots);
  }
};

/// The results of all vertices, in their order, after so many iterations.
struct ResultFrame {
  std::uint32_t iteration = 0;
  std::vector<std::byte> results;
};

struct RunRecord {
  bool simulated = false;
  PhaseSeconds phases;
  std::vector<NodeRecord> nodes;
  std::uint64_t rounds_before = 0;      ///< of the run whose snapshot this one resumed; 0: none
  std::uint64_t peak_memory_bytes = 0;  ///< of this process
  std::uint64_t digest = 0;             ///< of a simulated run's events
  std::shared_ptr<const pie::RoundsTold> rounds;  ///< the pie engine's; null: of another
  std::vector<ResultFrame> frames;  ///< ascending; where RunOptions::frame_every asked for them

  [[nodiscard]] bool converged() const;
  /// The most that any node did, or any worker of the pie engine, since the start or since the snapshot that it resumed.
  [[nodiscard]] std::uint32_t iterations() const;
  /// Those of the resumed run included: what a limit of iterations counts.
  [[nodiscard]] std::uint64_t all_iterations() const { return rounds_before + iterations(); }
  [[nodiscard]] AccessCounts accesses() const;
  [[nodiscard]] std::uint64_t blocked_fetches() const;
  [[nodiscard]] std::uint64_t refreshes() const;
  [[nodiscard]] std::uint64_t messages() const;  ///< of the protocol, collectives left out
  [[nodiscard]] std::uint64_t bytes() const;     ///< on the wire, collectives included
  [[nodiscard]] std::uint64_t visited() const;
  [[nodiscard]] std::uint64_t changed() const;
  [[nodiscard]] KindCounts sent_by_kind() const;
  /// Together; pauses are those of the node that paused most.
  [[nodiscard]] snapshot::Counts snapshots() const;
};

[[nodiscard]] std::string_view message_kind_name(MessageKind kind);

/// From the first node's first iteration to the last node's end.
[[nodiscard]] double compute_seconds(const RunRecord& record);

/// What has been counted since `before`.
[[nodiscard]] SpaceStats since(const SpaceStats& now, const SpaceStats& before);
[[nodiscard]] NodeStats since(const NodeStats& now, const NodeStats& before);

/// The most memory this process has had.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace leeway
