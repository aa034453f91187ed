#include "leeway/benchmarks/replay/reshuffle.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/base/random.h"

namespace leeway::replay {

namespace {

std::uint64_t median(std::vector<std::uint64_t> sizes) {
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

std::vector<std::uint32_t> in_random_order(std::uint32_t count, std::uint64_t seed) {
  Random random(seed, 23);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

}  // namespace

void reshuffle(const Graph& graph, double ratio, std::uint64_t seed, Partition& partition) {
  LEEWAY_CHECK(ratio >= 1);
  const auto owner = partition.owner.mutable_span();
  const auto size_of = [&](std::uint32_t v) { return 1 + graph.neighbors(VertexId(v)).size(); };
  std::vector<std::uint64_t> sizes(partition.part_count, 0);
  for (std::uint32_t v = 0; v < owner.size(); ++v) sizes[owner[v].index()] += size_of(v);
  // The median hardly moves with one vertex: it is looked at again after every few.
  constexpr std::uint32_t kOften = 64;
  std::uint32_t until_looked = 0;
  std::uint64_t wanted = 0;
  for (const std::uint32_t v : in_random_order(static_cast<std::uint32_t>(owner.size()), seed)) {
    if (until_looked == 0) {
      wanted = static_cast<std::uint64_t>(ratio * static_cast<double>(median(sizes)));
      until_looked = kOften;
    }
    --until_looked;
    if (sizes[0] >= wanted) return;
    if (owner[v] == PartId(0)) continue;
    sizes[owner[v].index()] -= size_of(v);
    sizes[0] += size_of(v);
    owner[v] = PartId(0);
  }
}

}  // namespace leeway::replay
