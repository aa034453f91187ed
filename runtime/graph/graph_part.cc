#include "runtime/graph/graph_part.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/format.h"
#include "datasets/graph_hash.h"
#include "datasets/vertex_numbering.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/lists.h"

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
  return hash_text(part.totals, group.sum(hash_arcs(part.vertex(0), part.lists)));
}

bool is_symmetric(Group& group, const GraphPart& part) {
  if (!part.totals.directed) return true;
  ArcBalance balance;
  for (std::uint32_t v = 0; v < part.size(); ++v) balance.add(part.vertex(v), part.list(v));
  group.sum(balance.sums());
  return balance.even();
}

Status check_part(const GraphPart& part, const ClusterOptions& cluster) {
  const NodeId self = cluster.job != nullptr ? cluster.job->self() : NodeId(0);
  if (cluster.job == nullptr && cluster.nodes > 1) {
    return fail(
        input_error("cluster.nodes",
                    format("a graph in parts needs a process for each node, and {} nodes are "
                           "threads of this process",
                           cluster.nodes),
                    "start the program under mpiexec or leeway launch, or give the whole graph"));
  }
  if (part.ranges.count() == cluster.nodes && part.self == self) return {};
  return fail(input_error("the graph's part",
                          format("it is part {} of {}, but this process is node {} of {}",
                                 part.self, part.ranges.count(), self, cluster.nodes),
                          "give each process its own part, by part_of or load_part"));
}

namespace {

constexpr std::uint64_t kNoVertex = ~std::uint64_t{0};

}  // namespace

Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Group& group, const GraphPart& part, std::span<const std::uint64_t> vertices) {
  std::unordered_map<std::uint32_t, std::string> names;
  std::vector<std::vector<VertexId>> asked(group.count());
  for (const std::uint64_t vertex : vertices) {
    const VertexId id(static_cast<std::uint32_t>(vertex));
    if (names.try_emplace(id.value()).second) asked[part.ranges.home(id).index()].push_back(id);
  }
  const auto questions = group.swap(asked);
  std::vector<std::vector<std::byte>> answers(group.count());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    std::vector<std::string> named;
    for (const VertexId v : questions[node]) {
      group.require(part.holds(v), NodeId(node));
      named.push_back(part.lists.names.name(VertexId(v.value() - part.first())));
    }
    answers[node] = archived(named);
  }
  const auto received = group.swap(answers);
  for (std::uint32_t node = 0; node < received.size(); ++node) {
    std::vector<std::string> named;
    group.require(load_archived(received[node], named) && named.size() == asked[node].size(),
                  NodeId(node));
    for (std::size_t i = 0; i < named.size(); ++i)
      names[asked[node][i].value()] = std::move(named[i]);
  }
  return names;
}

VertexId find_vertex(Group& group, const GraphPart& part, std::string_view name) {
  const auto mine = part.lists.names.find(name);
  std::uint64_t found = kNoVertex;
  for (const std::uint64_t each :
       group.share(mine ? std::uint64_t{part.first()} + mine->value() : kNoVertex))
    found = std::min(found, each);
  return found == kNoVertex ? VertexId::none() : VertexId(static_cast<std::uint32_t>(found));
}

Result<GraphPart> part_of(const Graph& graph, NodeId self, std::uint32_t nodes, BalanceBy balance) {
  GraphPart part;
  part.self = self;
  part.totals = graph;
  part.ranges = ranges_of(graph, nodes, balance);
  const std::uint64_t begin = graph.offsets()[part.ranges.first(self)];
  const std::uint64_t end = graph.offsets()[part.ranges.last(self)];
  GraphArrays& lists = part.lists;
  lists.directed = graph.directed();
  lists.weight_kind = graph.weight_kind();
  lists.offsets = view_of(graph.offsets(), part.ranges.first(self), part.ranges.last(self) + 1);
  if (begin > 0) {
    LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::copy_of(lists.offsets.span()));
    for (std::uint64_t& offset : lists.offsets.mutable_span()) offset -= begin;
  }
  lists.targets = view_of(graph.targets(), begin, end);
  lists.weights = view_of(graph.weights(), begin, end);
  LEEWAY_ASSIGN(lists.names, names_of_range(graph.names(), part.first(), part.size()));
  return part;
}

Status with_whole(const Graph& graph, const std::function<Status(Group&, const GraphPart&)>& body) {
  LEEWAY_ASSIGN(const GraphPart part, part_of(graph, NodeId(0), 1, BalanceBy::Arcs));
  ClusterOptions alone;
  alone.nodes = 1;
  alone.fabric = Fabric::Loopback;
  return with_group(alone, [&](Group& group) { return body(group, part); });
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
