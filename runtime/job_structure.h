// What all nodes of a job share: who owns which vertex, and the lists their shards are cut from. Borrows
// from the graph, which outlives it. Immutable once made.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "leeway/datasets/partition.h"
#include "leeway/runtime/engine_options.h"
#include "leeway/runtime/shard.h"

namespace leeway {

struct StructureNeeds {
  Reads reads = Reads::In;
  bool weights = false;
  bool drop_loops = false;
  bool inputs = true;
  bool dependents = false;
  bool degrees = false;  ///< how many arcs leave each vertex
};

class JobStructure {
 public:
  /// `partition` null: made as `how` says. Requires as many parts as nodes (checked).
  static Result<JobStructure> make(const Graph& graph, const StructureNeeds& needs,
                                   std::uint32_t nodes, PartitionOptions how, VertexOrder order,
                                   const Partition* partition);

  /// Any thread.
  [[nodiscard]] Result<Shard> shard(NodeId node) const { return Shard::make(plan(), node); }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] double partition_seconds() const { return partition_seconds_; }

 private:
  [[nodiscard]] ShardPlan plan() const;

  StructureNeeds needs_;
  const Graph* graph_ = nullptr;
  std::unique_ptr<Layout> layout_;
  std::optional<Adjacency> reads_;
  std::optional<Adjacency> readers_;
  std::vector<std::uint64_t> read_afar_;
  double partition_seconds_ = 0;
};

}  // namespace leeway
