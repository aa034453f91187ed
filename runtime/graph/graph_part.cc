#include "runtime/graph/graph_part.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "datasets/graph_hash.h"
#include "datasets/vertex_numbering.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

/// Cuts at equal shares of the arcs, or of the vertices.
VertexRanges ranges_of(const Graph& graph, std::uint32_t nodes, BalanceBy balance) {
  std::vector<std::uint64_t> firsts = {0};
  for (std::uint64_t node = 1; node < nodes; ++node) {
    if (balance == BalanceBy::Vertices) {
      firsts.push_back(graph.vertex_count() * node / nodes);
      continue;
    }
    const auto offsets = graph.offsets();
    const auto first =
        std::lower_bound(offsets.begin(), offsets.end(), graph.arc_count() / nodes * node);
    firsts.push_back(std::min<std::uint64_t>(graph.vertex_count(),
                                             static_cast<std::uint64_t>(first - offsets.begin())));
  }
  firsts.push_back(graph.vertex_count());
  return VertexRanges(std::move(firsts));
}

template <class T>
Array<T> view_of(std::span<const T> all, std::uint64_t begin, std::uint64_t end) {
  return all.empty() ? Array<T>() : Array<T>::view(all.subspan(begin, end - begin), nullptr);
}

}  // namespace

std::string hash_of(Group& group, const GraphPart& part) {
  const GraphParts& lists = part.lists;
  std::uint64_t before = 0;
  const auto arcs = group.share(std::uint64_t{lists.targets.size()});
  for (std::size_t node = 0; node < group.self().index(); ++node) before += arcs[node];
  const bool last = group.self().index() + 1 == group.count();
  std::uint64_t state = group.pass(begin_hash(part.totals), [&](std::uint64_t value) {
    for (std::size_t i = 0; i < part.size() + std::size_t{last ? 1u : 0u}; ++i)
      value = hash_offset(value, before + lists.offsets[i]);
    return value;
  });
  state = group.pass(
      state, [&](std::uint64_t value) { return hash_targets(value, lists.targets.span()); });
  return hash_text(group.pass(
      state, [&](std::uint64_t value) { return hash_weights(value, lists.weights.span()); }));
}

Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance) {
  GraphPart part;
  part.self = self;
  part.totals = graph;
  part.ranges = ranges_of(graph, nodes, balance);
  const std::uint64_t begin = graph.offsets()[part.ranges.first(self)];
  const std::uint64_t end = graph.offsets()[part.ranges.last(self)];
  std::vector<std::uint64_t> offsets;
  offsets.reserve(part.size() + std::size_t{1});
  for (std::uint64_t v = part.ranges.first(self); v <= part.ranges.last(self); ++v)
    offsets.push_back(graph.offsets()[v] - begin);
  GraphParts& lists = part.lists;
  lists.directed = graph.directed();
  lists.weight_kind = graph.weight_kind();
  LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::copy_of(offsets));
  lists.targets = view_of(graph.targets(), begin, end);
  lists.weights = view_of(graph.weights(), begin, end);
  lists.imaginary = view_of(graph.imaginary(), begin, end);
  LEEWAY_ASSIGN(lists.names, names_of_range(graph.names(), part.first(), part.size()));
  return part;
}

Result<VertexNames> names_of_range(const VertexNames& names, std::uint32_t first,
                                   std::uint32_t count) {
  switch (names.kind()) {
    case NameKind::Sequence:
      return VertexNames::sequence(names.first() + first, count);
    case NameKind::Numbers: {
      LEEWAY_ASSIGN(auto ids,
                    Array<std::uint64_t>::copy_of(names.ids().span().subspan(first, count)));
      return VertexNames::numbers(std::move(ids));
    }
    case NameKind::Strings:
      break;
  }
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(names.name(VertexId(first + i)));
  return names_from_words(words);
}

}  // namespace leeway
