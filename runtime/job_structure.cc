#include "leeway/runtime/job_structure.h"

#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/clock.h"

namespace leeway {

namespace {

Result<Layout> lay_out(const Graph& graph, std::uint32_t nodes, PartitionOptions how,
                       VertexOrder by, const Partition* partition) {
  if (partition != nullptr) {
    LEEWAY_CHECK(partition->part_count == nodes);
    return Layout::make(graph, *partition, by);
  }
  if (nodes == 1 && by == VertexOrder::Graph) return Layout::single(graph.vertex_count());
  how.parts = nodes;
  LEEWAY_ASSIGN(const Partition made, partition_graph(graph, how));
  return Layout::make(graph, made, by);
}

}  // namespace

Result<JobStructure> JobStructure::make(const Graph& graph, const StructureNeeds& needs,
                                        std::uint32_t nodes, PartitionOptions how,
                                        VertexOrder order, const Partition* partition) {
  JobStructure structure;
  structure.needs_ = needs;
  structure.graph_ = &graph;
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(Layout layout, lay_out(graph, nodes, std::move(how), order, partition));
  structure.layout_ = std::make_unique<Layout>(std::move(layout));
  structure.partition_seconds_ = seconds(clock.now() - started);
  // A node that stands alone may use the lists as they are, each only where it is needed.
  const bool alone = nodes == 1 && order == VertexOrder::Graph;
  if (needs.dependents && alone) {
    LEEWAY_ASSIGN(structure.readers_, Adjacency::make(graph, reversed(needs.reads), needs.weights));
    if (!stands_alone(structure.plan()) && !needs.inputs) {
      LEEWAY_ASSIGN(structure.reads_, Adjacency::make(graph, needs.reads, needs.weights));
    }
  }
  if (needs.inputs || !alone) {
    LEEWAY_ASSIGN(structure.reads_, Adjacency::make(graph, needs.reads, needs.weights));
  }
  if (nodes > 1) structure.read_afar_ = find_read_afar(*structure.layout_, *structure.reads_);
  return structure;
}

ShardPlan JobStructure::plan() const {
  return {.layout = *layout_,
          .reads = reads_ ? &*reads_ : nullptr,
          .readers = readers_ ? &*readers_ : nullptr,
          .read_afar = read_afar_,
          .inputs = needs_.inputs,
          .dependents = needs_.dependents,
          .drop_loops = needs_.drop_loops,
          .degrees = needs_.degrees ? graph_ : nullptr};
}

}  // namespace leeway
