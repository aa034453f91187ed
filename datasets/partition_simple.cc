// The partitioners that look at no neighbours: block, hash and random.
#include <algorithm>
#include <bit>
#include <utility>

#include "leeway/base/mix.h"
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
  VertexId vertex(0);
  for (PartId& owner : owners.mutable_span()) {
    owner = hashed_part(vertex, options.parts, options.seed);
    vertex = vertex.next();
  }
  return Partition{options.parts, std::move(owners)};
}

Result<Partition> random(const Graph& graph, const PartitionOptions& options) {
  LEEWAY_ASSIGN(auto owners, Array<PartId>::make(graph.vertex_count()));
  const std::size_t count = graph.vertex_count();
  VertexId vertex(0);
  for (PartId& owner : owners.mutable_span()) {
    owner = dealt_part(vertex, count, options.parts, options.seed);
    vertex = vertex.next();
  }
  return Partition{options.parts, std::move(owners)};
}

}  // namespace leeway::partitioners

namespace leeway {

PartId hashed_part(VertexId vertex, std::uint32_t parts, std::uint64_t seed) {
  const std::uint64_t mixed = mix64(vertex.value() ^ mix64(seed));
  return PartId(static_cast<std::uint32_t>(partitioners::Wide{mixed} * parts >> 64));
}

PartId dealt_part(VertexId vertex, std::uint64_t count, std::uint32_t parts, std::uint64_t seed) {
  // A Feistel network of four rounds permutes the numbers below a power of four; walking on until a number is below
  // `count` permutes those. At least every fourth number is one of them, so walks are short.
  const unsigned half = std::max(1U, (static_cast<unsigned>(std::bit_width(count - 1)) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  std::uint64_t place = vertex.value();
  do {
    std::uint64_t left = place >> half;
    std::uint64_t right = place & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t mixed = mix64(right ^ mix64(seed * 4 + round));
      left = std::exchange(right, left ^ (mixed & mask));
    }
    place = left << half | right;
  } while (place >= count);
  return PartId(static_cast<std::uint32_t>(place % parts));
}

}  // namespace leeway
