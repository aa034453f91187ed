// A graph divided and labelled for PageRank in ticks: by how many parts and by which seed, each division made
// once and kept for as long as this is. Shared by every node of a process; thread-safe but for `start`.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "leeway/base/bytes.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/tick/halo_levels.h"

namespace leeway::tick {

/// What a division is made from.
struct DivisionKey {
  std::uint32_t parts = 1;
  std::uint64_t seed = 1;
  friend bool operator==(const DivisionKey&, const DivisionKey&) = default;
};

class RankedParts {
 public:
  /// HaloLevels go down to -halo. The graph outlives this; how many parts and by which seed, a key says.
  RankedParts(const Graph& graph, const PartitionOptions& how, Level halo);

  [[nodiscard]] std::uint32_t vertices() const {
    return static_cast<std::uint32_t>(shares_.size());
  }
  /// The vertices that each vertex reads.
  [[nodiscard]] const reference::Lists& lists() const { return lists_; }
  /// 1 / out-degree of each vertex; 0 for one without arcs. HaloLevels have it as their weights.
  [[nodiscard]] std::span<const double> shares() const { return shares_; }

  /// Before there are nodes: the division that a run on this cluster starts from. Where nodes are processes it
  /// is made by one for all, and so are those that follow it: `pack_division` carries them.
  Result<const HaloLevels*> start(const ClusterOptions& cluster, const DivisionKey& key);
  /// An error where the graph cannot be divided so.
  Result<const HaloLevels*> divided(const DivisionKey& key) const;
  /// The division that `labels` is of, which `divided` gave.
  [[nodiscard]] DivisionKey key_of(const HaloLevels* labels) const;
  /// Another division if its busiest part has less to do than that of `labels`, else the same again.
  Result<const HaloLevels*> evener(const HaloLevels* labels, std::uint64_t seed) const;
  /// A division for another node of the run.
  void pack_division(const HaloLevels* labels, ByteWriter& out) const;
  Result<const HaloLevels*> unpack_division(ByteReader& in) const;

 private:
  struct Division {
    DivisionKey key;
    std::uint64_t most = 0;  // arcs read and vertices of the busiest part
    std::unique_ptr<const HaloLevels> labels;
  };

  [[nodiscard]] PartitionOptions options_of(const DivisionKey& key) const;
  [[nodiscard]] const HaloLevels* known(const DivisionKey& key) const;
  [[nodiscard]] std::uint64_t most_of(const Partition& partition) const;
  const HaloLevels* keep(const DivisionKey& key, const Partition& partition) const;

  const Graph& graph_;
  PartitionOptions how_;
  Level halo_;
  reference::Lists lists_;
  std::vector<double> shares_;
  bool apart_ = false;  // other nodes have divisions of their own
  mutable std::mutex mutex_;
  mutable std::vector<Division> divisions_;
};

}  // namespace leeway::tick
