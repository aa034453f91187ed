// An interrupted job, drawn from a seed: a small graph, a program, and a sequence of runs. Each run
// has its own cluster, schedule and network and takes snapshots; all but the last may lose a node.
// The same seed gives the same plan everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/catalog/program.h"
#include "test/answers/graph_input.h"

namespace leeway::campaign {

/// One run of the job.
struct Leg {
  RunOptions options;        ///< except times of snapshots and faults
  double every_seconds = 0;  ///< interval of snapshots
  std::uint64_t every_rounds = 0;
  std::uint32_t kept = 2;
  /// When to pause: a fraction of the time that the same run takes without interruption.
  std::optional<double> pause_at;
  double pause_share = 0;
  std::optional<double> cut_at;
  double cut_share = 0;
  std::optional<double> crash_at;  ///< may be before or after the computation
  std::uint32_t node = 0;          ///< the node that pauses or is lost
  std::uint64_t side = 0;          ///< bit set of nodes on one side of a network partition

  [[nodiscard]] std::string describe() const;
};

struct SnapshotOptions {
  std::uint64_t seed = 0;
  const Program* program = nullptr;
  EngineName engine = EngineName::Vertex;
  [[nodiscard]] std::string_view engine_word() const {
    return engine == EngineName::Pie ? "pie" : "vertex";
  }
  answers::InputGraph graph;
  std::uint32_t source = 0;
  std::uint32_t rounds = 0;  ///< fixed number; 0: until convergence
  std::vector<Leg> legs;     ///< at least two

  [[nodiscard]] std::string describe() const;
  [[nodiscard]] std::string repeat_command() const;
};

[[nodiscard]] SnapshotOptions make_snapshot_plan(std::uint64_t seed);

}  // namespace leeway::campaign
