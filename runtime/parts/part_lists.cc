#include "leeway/runtime/parts/part_lists.h"

#include <cstring>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/runtime/parts/arc_exchange.h"

namespace leeway {

namespace {

template <class T>
using ByNode = std::vector<std::vector<T>>;

/// Each vertex' outgoing arcs, then its incoming ones.
Result<PartLists> join(PartLists lists, const GraphParts& own, const GraphParts& turned,
                       bool weights) {
  const std::size_t count = lists.vertices.size();
  LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(count + 1));
  LEEWAY_ASSIGN(lists.targets, Array<VertexId>::make(own.targets.size() + turned.targets.size()));
  LEEWAY_ASSIGN(lists.weights, Array<double>::make(weights ? lists.targets.size() : 0));
  std::uint64_t at = 0;
  for (std::size_t v = 0; v < count; ++v) {
    for (const GraphParts* each : {&own, &turned}) {
      for (std::uint64_t i = each->offsets[v]; i < each->offsets[v + 1]; ++i, ++at) {
        lists.targets.mutable_span()[at] = each->targets[i];
        if (weights) lists.weights.mutable_span()[at] = each->weights[i];
      }
    }
    lists.offsets.mutable_span()[v + 1] = at;
  }
  return lists;
}

void drop_arcs(GraphPart& part) {
  part.lists.offsets = {};
  part.lists.targets = {};
  part.lists.weights = {};
  part.lists.imaginary = {};
}

}  // namespace

Result<GraphParts> turn_arcs(Exchange& exchange, const GraphPart& part, bool weights) {
  const WeightKind kind = weights ? WeightKind::Real : WeightKind::None;
  ArcExchange arcs(exchange, kind);
  const GraphParts& own = part.lists;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    for (std::uint64_t arc = own.offsets[i]; arc < own.offsets[i + std::size_t{1}]; ++arc) {
      const VertexId target = own.targets[arc];
      const NodeId home = part.ranges.home(target);
      const auto first = static_cast<std::uint32_t>(part.ranges.first(home));
      arcs.send(home, VertexId(target.value() - first), part.vertex(i),
                weights ? own.weights[arc] : 0);
    }
  }
  LEEWAY_ASSIGN(EdgeList list, arcs.finish());
  GraphShape shape;
  shape.vertex_count = part.size();
  shape.names = VertexNames::sequence(0, part.size());
  LoadOptions as_they_are;
  as_they_are.duplicates = Duplicates::Keep;
  as_they_are.threads = 1;
  LEEWAY_ASSIGN(Graph turned, build_graph(std::move(list), std::move(shape), as_they_are));
  return std::move(turned).take();
}

Result<PartLists> read_lists(Exchange& exchange, GraphPart& part, Reads reads, bool weights) {
  PartLists lists;
  const std::uint32_t count = part.size();
  weights = weights && part.totals.weighted();
  lists.vertices.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) lists.vertices.push_back(part.vertex(i));
  LEEWAY_ASSIGN(lists.degrees, Array<std::uint32_t>::make(count));
  for (std::uint32_t i = 0; i < count; ++i)
    lists.degrees.mutable_span()[i] = static_cast<std::uint32_t>(part.degree(i));
  GraphParts turned;
  const bool turns = part.totals.directed && (reads == Reads::In || reads == Reads::Both);
  if (turns) {
    LEEWAY_ASSIGN(turned, turn_arcs(exchange, part, weights));
  }
  if (reads == Reads::None) {
    LEEWAY_ASSIGN(lists.offsets, Array<std::uint64_t>::make(count + std::size_t{1}));
  } else if (turns && reads == Reads::Both) {
    LEEWAY_ASSIGN(lists, join(std::move(lists), part.lists, turned, weights));
  } else if (turns) {
    lists.offsets = std::move(turned.offsets);
    lists.targets = std::move(turned.targets);
    if (weights) lists.weights = std::move(turned.weights);
  } else {
    lists.offsets = std::move(part.lists.offsets);
    lists.targets = std::move(part.lists.targets);
    if (weights) lists.weights = std::move(part.lists.weights);
  }
  drop_arcs(part);
  return lists;
}

namespace {

/// A vertex on its way home; its neighbours travel in a step of their own.
struct Mover {
  VertexId vertex;
  std::uint32_t degree;
  std::uint64_t listed;
};

/// Values that follow each other in the order of the movers, from each node to each.
template <class T>
Result<Array<T>> move_values(Exchange& exchange, const PartLists& lists, std::span<const T> values,
                             const std::vector<NodeId>& homes,
                             const std::vector<std::uint64_t>& from_each) {
  ListJoiner<T> joiner(exchange, from_each);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(exchange.agree(all ? Status{} : fail(all.error())));
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    joiner.take(from, bytes, all->mutable_span());
  });
  MessageBatcher<T> batcher(exchange);
  for (std::size_t v = 0; v < homes.size(); ++v) {
    for (std::uint64_t i = lists.offsets[v]; i < lists.offsets[v + 1]; ++i)
      batcher.add(homes[v], values[i]);
  }
  batcher.flush();
  exchange.end();
  joiner.finish();
  return all;
}

}  // namespace

Result<PartLists> move_home(Exchange& exchange, PartLists lists, const Division& division) {
  std::vector<NodeId> homes;
  ByNode<Mover> leaving(exchange.count());
  for (std::uint32_t v = 0; v < lists.vertices.size(); ++v) {
    homes.push_back(division.home_here(v));
    leaving[homes.back().index()].push_back({lists.vertices[v], lists.degrees[v],
                                             lists.offsets[v + std::size_t{1}] - lists.offsets[v]});
  }
  const auto coming = exchange.swap(leaving);
  leaving.clear();
  PartLists home;
  std::vector<std::uint64_t> from_each;
  std::vector<std::uint32_t> degrees;
  std::vector<std::uint64_t> offsets = {0};
  // Nodes' ranges ascend, and so do the vertices that come of them.
  for (const auto& movers : coming) {
    from_each.push_back(0);
    for (const Mover& mover : movers) {
      home.vertices.push_back(mover.vertex);
      degrees.push_back(mover.degree);
      offsets.push_back(offsets.back() + mover.listed);
      from_each.back() += mover.listed;
    }
  }
  LEEWAY_ASSIGN(home.degrees, Array<std::uint32_t>::copy_of(degrees));
  LEEWAY_ASSIGN(home.offsets, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(home.targets, move_values(exchange, lists, lists.targets.span(), homes, from_each));
  const bool weighted = exchange.sum(lists.weights.empty() ? 0 : 1) > 0;
  if (weighted) {
    LEEWAY_ASSIGN(home.weights,
                  move_values(exchange, lists, lists.weights.span(), homes, from_each));
  }
  return home;
}

}  // namespace leeway
