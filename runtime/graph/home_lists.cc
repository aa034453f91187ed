#include "runtime/graph/home_lists.h"

#include <algorithm>
#include <utility>

#include "runtime/graph/arc_exchange.h"

namespace leeway {

namespace {

/// The arcs of a part as lists; its arrays are empty afterwards.
Csr take_lists(GraphArrays& part, bool weights) {
  Csr lists{.offsets = std::move(part.offsets),
            .targets = as_numbers(std::move(part.targets)),
            .weights = std::move(part.weights)};
  if (!weights) lists.weights = {};
  part.offsets = {};
  part.targets = {};
  part.weights = {};
  return lists;
}

/// Each vertex's outgoing arcs, then its incoming ones.
Result<Csr> join(const Csr& own, const Csr& incoming, bool marked) {
  return collect(own.rows(), marked || own.weighted(), [&](auto&& use) {
    for (const Csr* each : {&own, &incoming}) {
      const double mark = each == &own ? kOutgoing : kIncoming;
      each->for_each(0, own.rows(), [&](std::uint32_t other, std::uint32_t row, double weight) {
        use(row, other, marked ? mark : weight);
      });
    }
  });
}

/// The lists that updates of the range's vertices read. Consumes the arcs of the part. Collective.
Result<HomeLists> read_lists(Group& group, GraphPart& part, Reads reads, bool weights) {
  HomeLists made;
  const std::uint32_t count = part.size();
  weights = weights && part.totals.weighted() && reads != Reads::BothMarked;
  made.vertices.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) made.vertices.push_back(part.vertex(i));
  LEEWAY_ASSIGN(made.degrees, Array<std::uint32_t>::make(count));
  for (std::uint32_t i = 0; i < count; ++i)
    made.degrees.mutable_span()[i] = static_cast<std::uint32_t>(part.degree(i));
  if (!part.totals.directed || reads == Reads::Out || reads == Reads::None) {
    made.lists = take_lists(part.lists, weights);
    if (reads != Reads::None) return made;
    made.lists = {};
    LEEWAY_ASSIGN(made.lists.offsets, Array<std::uint64_t>::make(count + std::size_t{1}));
    return made;
  }
  LEEWAY_ASSIGN(GraphArrays turned, reverse_arcs(group, part, weights));
  const Csr own = take_lists(part.lists, weights);
  made.lists = take_lists(turned, weights);
  if (reads_both(reads)) {
    LEEWAY_ASSIGN(made.lists, join(own, made.lists, reads == Reads::BothMarked));
  }
  return made;
}

/// A vertex that moves to its home; its neighbours are sent in a separate step.
struct VertexMove {
  VertexId vertex;
  std::uint32_t degree;
  std::uint64_t listed;
};

/// Moves the neighbours' values in the order of the vertices.
template <class T>
Result<Array<T>> move_values(Group& group, const Csr& lists, std::span<const T> values,
                             const std::vector<NodeId>& homes,
                             const std::vector<std::uint64_t>& from_each) {
  return exchange_lists<T>(group, from_each, [&](MessageBatcher<T>& batcher) {
    for (std::size_t v = 0; v < homes.size(); ++v) {
      for (std::uint64_t i = lists.offsets[v]; i < lists.offsets[v + 1]; ++i)
        batcher.add(homes[v], values[i]);
    }
  });
}

/// Moves the records in the order of the vertices. `from_each`: the number that each node sends here.
Result<VertexRecords> move_records(Group& group, const VertexRecords& records,
                                   const std::vector<NodeId>& homes,
                                   std::vector<std::uint64_t> from_each) {
  for (std::uint64_t& count : from_each) count *= records.record_bytes();
  LEEWAY_ASSIGN(auto all, exchange_lists<std::byte>(group, from_each, [&](auto& batcher) {
                  for (std::size_t v = 0; v < homes.size(); ++v)
                    batcher.add_together(homes[v], records.record(v));
                }));
  return VertexRecords(records.record_bytes(), std::move(all));
}

}  // namespace

void require_vertices(Group& group, NodeId from, std::span<const std::uint32_t> values,
                      std::uint64_t vertices) {
  group.require(
      std::all_of(values.begin(), values.end(), [&](std::uint32_t v) { return v < vertices; }),
      from);
}

namespace {

/// Moves each list to its vertex's home. Collective.
Result<HomeLists> move_home(Group& group, HomeLists lists, const Division& division,
                            std::uint64_t vertices, const VertexRecords* records) {
  std::vector<NodeId> homes;
  ByNode<VertexMove> leaving(group.count());
  for (std::uint32_t v = 0; v < lists.vertices.size(); ++v) {
    homes.push_back(division.home_here(v));
    leaving[homes.back().index()].push_back(
        {lists.vertices[v], lists.degrees[v],
         lists.lists.offsets[v + std::size_t{1}] - lists.lists.offsets[v]});
  }
  const auto coming = group.swap(leaving);
  leaving.clear();
  HomeLists home;
  std::vector<std::uint64_t> from_each;
  std::vector<std::uint32_t> degrees;
  std::vector<std::uint64_t> offsets = {0};
  // The nodes' ranges ascend, so the vertices received from them ascend too.
  for (std::uint32_t node = 0; node < coming.size(); ++node) {
    from_each.push_back(0);
    for (const VertexMove& mover : coming[node]) {
      group.require(mover.vertex.value() < vertices, NodeId(node));
      home.vertices.push_back(mover.vertex);
      degrees.push_back(mover.degree);
      offsets.push_back(offsets.back() + mover.listed);
      from_each.back() += mover.listed;
    }
  }
  LEEWAY_ASSIGN(home.degrees, Array<std::uint32_t>::copy_of(degrees));
  if (records != nullptr) {
    LEEWAY_ASSIGN(home.records, move_records(group, *records, homes, lengths(coming)));
  }
  const Csr& own = lists.lists;
  LEEWAY_ASSIGN(home.lists.offsets, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(home.lists.targets, move_values(group, own, own.targets.span(), homes, from_each));
  auto sent = home.lists.targets.span();
  for (std::uint32_t node = 0; node < from_each.size(); ++node) {
    require_vertices(group, NodeId(node), sent.first(from_each[node]), vertices);
    sent = sent.subspan(from_each[node]);
  }
  const bool weighted = group.sum(own.weighted() ? 1 : 0) > 0;
  if (weighted) {
    LEEWAY_ASSIGN(home.lists.weights,
                  move_values(group, own, own.weights.span(), homes, from_each));
  }
  return home;
}

}  // namespace

Result<HomeLists> bring_home(Group& group, GraphPart& part, const Division& division, Reads reads,
                             bool weights, const VertexRecords* records) {
  LEEWAY_ASSIGN(HomeLists lists, read_lists(group, part, reads, weights));
  if (!division.by_ranges())
    return move_home(group, std::move(lists), division, part.totals.vertices, records);
  if (records != nullptr) lists.records = records->view();
  return lists;
}

std::vector<ObjectId> objects_in(const VertexRanges& ranges, std::span<const VertexId> vertices) {
  std::vector<ObjectId> objects;
  objects.reserve(vertices.size());
  for (const VertexId v : vertices) {
    const NodeId home = ranges.home(v);
    const std::uint64_t place = v.value() - ranges.first(home);
    objects.emplace_back(home, LocalIndex(static_cast<std::uint32_t>(place)));
  }
  return objects;
}

std::vector<ObjectId> find_objects(Group& group, const Division& division,
                                   std::span<const VertexId> remote, std::uint32_t count,
                                   const std::function<std::uint32_t(VertexId)>& place_of) {
  const std::vector<NodeId> homes = division.homes(group, remote);
  const auto places = ask<std::uint32_t>(group, std::span<const NodeId>(homes), remote,
                                         [&](VertexId v, NodeId from) {
                                           const std::uint32_t place = place_of(v);
                                           group.require(place < count, from);
                                           return place;
                                         });
  std::vector<ObjectId> objects;
  objects.reserve(remote.size());
  for (std::size_t i = 0; i < remote.size(); ++i)
    objects.emplace_back(homes[i], LocalIndex(places[i]));
  return objects;
}

}  // namespace leeway
