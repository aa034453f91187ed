#include "leeway/datasets/partition_auto.h"

#include "leeway/base/machine_room.h"
#include "leeway/datasets/hubs.h"
#include "leeway/datasets/partition_methods.h"
#include "leeway/datasets/plan.h"

namespace leeway {

namespace {

/// Of the arcs that would be cut if vertices were dealt out by chance: so many, and ranges are good enough.
constexpr double kFew = 0.25;

/// Between ranges that hold equally much.
std::uint64_t block_cut(const Graph& graph, const Partition& ranges) {
  const auto owner = ranges.owner.span();
  std::uint64_t cut = 0;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next()) {
    for (const VertexId target : graph.neighbors(v))
      cut += owner[target.index()] != owner[v.index()] ? 1 : 0;
  }
  return cut;
}

}  // namespace

std::optional<PartitionMethod> method_said(const PartitionOptions& options) {
  if (options.method != PartitionMethod::Auto) return options.method;
  if (options.edge_weights || options.tries > 0 || !options.vertex_weights.empty())
    return PartitionMethod::Metis;
  return std::nullopt;
}

PartitionMethod choose_method(const CutFacts& facts) {
  if (facts.parts <= 1) return PartitionMethod::Block;
  if (facts.arcs <= kArcsForMetis) return PartitionMethod::Metis;
  const auto arcs = static_cast<double>(facts.arcs);
  const double by_chance = arcs * (1 - 1.0 / facts.parts);
  if (static_cast<double>(facts.block_cut) <= kFew * by_chance) return PartitionMethod::Block;
  // Where all vertices are alike, METIS finds cuts that no cheap method comes near.
  const bool hubs = has_hubs(facts.most_arcs, facts.arcs, facts.vertices);
  return hubs ? PartitionMethod::Ldg : PartitionMethod::Metis;
}

PartitionMethod method_for(const Graph& graph, const PartitionOptions& options) {
  if (const auto said = method_said(options)) return *said;
  CutFacts facts{
      .vertices = graph.vertex_count(), .arcs = graph.arc_count(), .parts = options.parts};
  if (facts.parts > 1 && facts.arcs > kArcsForMetis) {
    const auto ranges = partitioners::block(graph, options);
    if (!ranges) return PartitionMethod::Block;  // there is no room for anything, as it will say
    facts.block_cut = block_cut(graph, *ranges);
    facts.most_arcs = most_arcs(graph);
  }
  const PartitionMethod method = choose_method(facts);
  const bool fits =
      partitioner_bytes(counts_of(graph), options.parts, method) <= memory_room().left;
  return method == PartitionMethod::Metis && !fits ? PartitionMethod::Ldg : method;
}

}  // namespace leeway
