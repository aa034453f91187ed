#include "runtime/graph/lists.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/array.h"
#include "base/bytes.h"
#include "base/ids.h"

namespace leeway {

namespace {

Result<Csr> lists_without_arcs(std::uint32_t rows) {
  Csr lists;
  LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(rows + std::size_t{1}));
  return lists;
}

}  // namespace

Result<Csr> lists_of(const Graph& graph, Reads reads, bool weights) {
  const std::uint32_t count = graph.vertex_count();
  if (reads == Reads::None || count == 0) return lists_without_arcs(count);
  Csr own;
  own.offsets = Array<std::uint64_t>::view(graph.offsets(), nullptr);
  own.targets = as_numbers(graph.targets());
  const bool marked = reads == Reads::BothMarked && graph.directed();
  if (weights && graph.weighted() && reads != Reads::BothMarked)
    own.weights = Array<double>::view(graph.weights(), nullptr);
  if (!graph.directed() || reads == Reads::Out) return own;
  if (reads == Reads::In) return reversed(own, count);
  return collect(count, marked || own.weighted(), [&](auto&& use) {
    own.for_each(0, count, [&](std::uint32_t target, std::uint32_t source, double weight) {
      use(source, target, marked ? kOutgoing : weight);
      use(target, source, marked ? kIncoming : weight);
    });
  });
}

bool has_loops(const Csr& lists) {
  for (std::uint32_t v = 0; v < lists.rows(); ++v) {
    const auto list = lists.row(v);
    if (std::find(list.begin(), list.end(), v) != list.end()) return true;
  }
  return false;
}

void ArcBalance::add(VertexId source, std::span<const VertexId> targets) {
  VertexId previous = VertexId::none();
  for (const VertexId target : targets) {
    // Lists ascend. For parallel arcs one in each direction is sufficient.
    if (target == std::exchange(previous, target) || target == source) continue;
    const bool up = source < target;
    const std::uint64_t low = up ? source.value() : target.value();
    const std::uint64_t high = up ? target.value() : source.value();
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const std::uint64_t hash = mix64(mix64(((i + 1) << 32U) + low) + high);
      up ? sums_[i] += hash : sums_[i] -= hash;
    }
  }
}

bool is_symmetric(const Graph& graph) {
  if (!graph.directed()) return true;
  ArcBalance balance;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    balance.add(v, graph.neighbors(v));
  return balance.even();
}

}  // namespace leeway
