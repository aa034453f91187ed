// The partitioners that look at no neighbours: block, hash and random.
#include <algorithm>
#include <numeric>
#include <utility>

#include "leeway/base/mix.h"
#include "leeway/base/random.h"
#include "leeway/datasets/partition_methods.h"

namespace leeway::partitioners {

namespace {

__extension__ using Wide = unsigned __int128;

/// What lies before `vertex` in the measure to be balanced.
std::uint64_t weight_before(const Graph& graph, BalanceBy balance, std::size_t vertex) {
  return balance == BalanceBy::Vertices ? vertex : vertex + graph.offsets()[vertex];
}

}  // namespace

Result<Partition> block(const Graph& graph, const PartitionOptions& options) {
  const std::size_t count = graph.vertex_count();
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(count));
  if (count == 0) return Partition{options.parts, std::move(owners)};
  const Wide total = weight_before(graph, options.balance, count);
  const auto owner = owners.mutable_span();
  for (std::size_t v = 0; v < count; ++v) {
    // The part in which the middle of this vertex's weight falls: at most half a vertex off a boundary.
    const Wide middle = Wide{weight_before(graph, options.balance, v)} +
                        weight_before(graph, options.balance, v + 1);
    owner[v] = PartId(static_cast<std::uint32_t>(middle * options.parts / (2 * total)));
  }
  return Partition{options.parts, std::move(owners)};
}

Result<Partition> hash(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  std::uint64_t vertex = 0;
  for (PartId& owner : owners.mutable_span()) {
    const std::uint64_t mixed = mix64(vertex++ ^ mix64(options.seed));
    owner = PartId(static_cast<std::uint32_t>(Wide{mixed} * options.parts >> 64));
  }
  return Partition{options.parts, std::move(owners)};
}

Result<Partition> random(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const auto owner = owners.mutable_span();
  for (std::size_t v = 0; v < owner.size(); ++v) {
    owner[v] = PartId(static_cast<std::uint32_t>(v % options.parts));
  }
  Random draw(options.seed);
  for (std::size_t left = owner.size(); left > 1; --left) {
    std::swap(owner[left - 1], owner[draw.below(left)]);
  }
  return Partition{options.parts, std::move(owners)};
}

}  // namespace leeway::partitioners
