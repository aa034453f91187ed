#include "runtime/graph/build_local.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "datasets/build_graph.h"
#include "runtime/graph/arc_exchange.h"
#include "runtime/graph/division.h"
#include "runtime/graph/input_lists.h"
#include "runtime/graph/range_lists.h"
#include "runtime/graph/vertex_set.h"

namespace leeway {

namespace {

/// Lists of some vertices by vertex number: first of a range of a graph in parts, then of the vertices whose home is this node.
struct PartLists {
  std::vector<VertexId> vertices;  ///< ascending
  Array<std::uint32_t> degrees;    ///< out-degree of each in the graph
  Csr lists;                       ///< may be a view of a mapped file
};

/// The arcs of a part as lists; its arrays are empty afterwards.
Csr take_lists(GraphParts& part, bool weights) {
  Csr lists{.offsets = std::move(part.offsets),
            .targets = as_numbers(std::move(part.targets)),
            .weights = std::move(part.weights)};
  if (!weights) lists.weights = {};
  part.offsets = {};
  part.targets = {};
  part.weights = {};
  part.imaginary = {};
  return lists;
}

/// Each vertex's outgoing arcs, then its incoming ones.
Result<Csr> join(const Csr& own, const Csr& incoming) {
  return collect(own.rows(), own.weighted(), [&](auto&& use) {
    for (const Csr* each : {&own, &incoming}) {
      each->for_each(0, own.rows(), [&](std::uint32_t other, std::uint32_t row, double weight) {
        use(row, other, weight);
      });
    }
  });
}

/// The lists that updates of the range's vertices read. Consumes the arcs of the part. Collective.
Result<PartLists> read_lists(Group& group, GraphPart& part, Reads reads, bool weights) {
  PartLists made;
  const std::uint32_t count = part.size();
  weights = weights && part.totals.weighted();
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
  LEEWAY_ASSIGN(GraphParts turned, reverse_arcs(group, part, weights));
  const Csr own = take_lists(part.lists, weights);
  made.lists = take_lists(turned, weights);
  if (reads == Reads::Both) {
    LEEWAY_ASSIGN(made.lists, join(own, made.lists));
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
  ListJoiner<T> joiner(group, from_each);
  auto all = Array<T>::make(joiner.total());
  LEEWAY_TRY(group.agree(all ? Status{} : fail(all.error())));
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    joiner.take(from, bytes, all->mutable_span());
  });
  MessageBatcher<T> batcher(group);
  for (std::size_t v = 0; v < homes.size(); ++v) {
    for (std::uint64_t i = lists.offsets[v]; i < lists.offsets[v + 1]; ++i)
      batcher.add(homes[v], values[i]);
  }
  batcher.flush();
  group.end();
  joiner.finish();
  return all;
}

/// Requires of each node that the values it has sent are vertices of the graph.
void require_vertices(Group& group, std::span<const std::uint32_t> values,
                      const std::vector<std::uint64_t>& from_each, std::uint64_t vertices) {
  for (std::uint32_t node = 0; node < from_each.size(); ++node) {
    const auto sent = values.first(from_each[node]);
    values = values.subspan(from_each[node]);
    group.require(
        std::all_of(sent.begin(), sent.end(), [&](std::uint32_t v) { return v < vertices; }),
        NodeId(node));
  }
}

/// Moves each list to its vertex's home. Collective.
Result<PartLists> move_home(Group& group, PartLists lists, const Division& division,
                            std::uint64_t vertices) {
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
  PartLists home;
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
  const Csr& own = lists.lists;
  LEEWAY_ASSIGN(home.lists.offsets, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(home.lists.targets, move_values(group, own, own.targets.span(), homes, from_each));
  require_vertices(group, home.lists.targets.span(), from_each, vertices);
  const bool weighted = group.sum(own.weighted() ? 1 : 0) > 0;
  if (weighted) {
    LEEWAY_ASSIGN(home.lists.weights,
                  move_values(group, own, own.weights.span(), homes, from_each));
  }
  return home;
}

/// For each local index, the index of the vertex among those received; empty: the same order.
std::vector<std::uint32_t> arrange_here(VertexOrder order, bool hubs, const PartLists& lists) {
  if (!hubs && order != VertexOrder::Degree) return {};
  std::vector<std::uint32_t> from(lists.vertices.size());
  std::iota(from.begin(), from.end(), 0);
  arrange(std::span(from), order, hubs, [&](std::uint32_t i) { return lists.degrees[i]; });
  return from;
}

/// The local graph of a node that has received all lists of its vertices.
class LocalBuilder {
 public:
  LocalBuilder(Group& group, const GraphPart& part, const Division& division,
               std::vector<std::uint32_t> from, const LocalNeeds& needs, const PartLists& home)
      : group_(group),
        part_(part),
        division_(division),
        from_(std::move(from)),
        needs_(needs),
        home_(home),
        count_(static_cast<std::uint32_t>(home.vertices.size())),
        read_back_(reads_its_readers(part.totals.directed, needs.reads)) {}

  Result<LocalGraph> build() {
    LEEWAY_TRY(list_vertices());
    const bool ranges =
        division_.by_ranges() && from_.empty() && ascend(part_.totals.directed, needs_.reads);
    LEEWAY_TRY(ranges ? build_range() : build_any());
    return LocalGraph(std::move(arrays_));
  }

 private:
  [[nodiscard]] std::uint32_t from_of(std::uint32_t local) const {
    return from_.empty() ? local : from_[local];
  }

  Status list_vertices() {
    LEEWAY_ASSIGN(arrays_.vertices, Array<VertexId>::make(count_));
    LEEWAY_ASSIGN(arrays_.degrees, Array<std::uint32_t>::make(needs_.degrees ? count_ : 0));
    const auto vertices = arrays_.vertices.mutable_span();
    const auto degrees = arrays_.degrees.mutable_span();
    for (std::uint32_t v = 0; v < count_; ++v) {
      const std::uint32_t i = from_of(v);
      vertices[v] = home_.vertices[i];
      if (needs_.degrees) degrees[v] = home_.degrees[i];
    }
    return {};
  }

  /// Homes are ranges in the graph's order, so objects follow from vertex numbers.
  Status build_range() {
    RangeLists lists(needs_, home_.lists, {part_.first(), count_, 0}, part_.totals.vertices);
    lists.meet(read_back_ ? &arrays_.boundary : nullptr);
    std::vector<VertexId> copies;
    copies.reserve(lists.copies().count());
    arrays_.copies.reserve(lists.copies().count());
    const VertexRanges& ranges = part_.ranges;
    lists.copies().for_each([&](VertexId u) {
      const NodeId home = ranges.home(u);
      const std::uint64_t place = u.value() - ranges.first(home);
      copies.push_back(u);
      arrays_.copies.emplace_back(home, LocalIndex(static_cast<std::uint32_t>(place)));
    });
    if (!read_back_) {
      ByNode<VertexId> asked(group_.count());
      for (std::size_t i = 0; i < copies.size(); ++i)
        asked[arrays_.copies[i].home().index()].push_back(copies[i]);
      answer(asked, [&](VertexId v) { return v.value() - part_.first(); });
    }
    return lists.fill(read_back_, arrays_);
  }

  /// Sends each node the remote vertices whose home it is, marks the local vertices that others have sent, and returns their
  /// local indices to their senders. Collective.
  template <class PlaceOf>
  ByNode<std::uint32_t> answer(ByNode<VertexId>& asked, const PlaceOf& place_of) {
    ByNode<std::uint32_t> answers(group_.count());
    arrays_.boundary.assign(count_ / 64 + 1, 0);
    const auto questions = group_.swap(asked);
    asked.clear();
    for (std::uint32_t node = 0; node < questions.size(); ++node) {
      for (const VertexId v : questions[node]) {
        const std::uint32_t place = place_of(v);
        group_.require(place < count_, NodeId(node));
        arrays_.boundary[place / 64] |= std::uint64_t{1} << (place % 64);
        answers[node].push_back(place);
      }
    }
    return answers;
  }

  Status build_any() {
    const Csr& lists = home_.lists;
    VertexSet met(part_.totals.vertices, lists.targets.size() + count_);
    for (const VertexId v : home_.vertices) met.add(v);
    for (const std::uint32_t u : lists.targets) met.add(VertexId(u));
    met.settle();
    LEEWAY_ASSIGN(auto handles, Array<std::uint32_t>::make(met.count()));
    const auto handle = handles.mutable_span();
    std::fill(handle.begin(), handle.end(), kUnknown);
    for (std::uint32_t v = 0; v < count_; ++v) handle[met.rank(arrays_.vertices[v])] = v;
    find_objects(met, handle);
    const InputLists::Size size{.vertices = count_,
                                .copies = static_cast<std::uint32_t>(arrays_.copies.size()),
                                .inputs = lists.targets.size(),
                                .weighted = lists.weighted()};
    const auto list = [&](std::uint32_t v) {
      const std::uint32_t i = from_of(v);
      return std::pair(lists.row(i), lists.row_weights(i));
    };
    const auto handle_of = [&](std::uint32_t v, std::uint32_t u) {
      const std::uint32_t found = handle[met.rank(VertexId(u))];
      return needs_.drop_loops && found == v ? InputLists::kDropped : found;
    };
    return write_lists(needs_, size, read_back_, list, handle_of, arrays_);
  }

  /// Finds the objects of the remote vertices by asking their homes, and gives them handles. Collective.
  void find_objects(const VertexSet& met, std::span<std::uint32_t> handle) {
    std::vector<VertexId> remote;
    met.for_each([&](VertexId v) {
      if (handle[met.rank(v)] == kUnknown) remote.push_back(v);
    });
    const std::vector<NodeId> homes = division_.homes(group_, remote);
    ByNode<VertexId> asked(group_.count());
    for (std::size_t i = 0; i < remote.size(); ++i) asked[homes[i].index()].push_back(remote[i]);
    const std::vector<std::size_t> questions_to = lengths(asked);
    const auto answers =
        answer(asked, [&](VertexId v) { return met.has(v) ? handle[met.rank(v)] : kUnknown; });
    const auto places = group_.swap_answers(answers, questions_to);
    std::vector<std::size_t> next(group_.count(), 0);
    std::vector<std::pair<ObjectId, VertexId>> objects;
    objects.reserve(remote.size());
    for (std::size_t i = 0; i < remote.size(); ++i) {
      const std::size_t node = homes[i].index();
      objects.emplace_back(ObjectId(homes[i], LocalIndex(places[node][next[node]++])), remote[i]);
    }
    // By home and local index there: the objects of one home are consecutive.
    std::sort(objects.begin(), objects.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    arrays_.copies.reserve(objects.size());
    for (const auto& [object, vertex] : objects) {
      handle[met.rank(vertex)] = count_ + static_cast<std::uint32_t>(arrays_.copies.size());
      arrays_.copies.push_back(object);
    }
  }

  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  Group& group_;
  const GraphPart& part_;
  const Division& division_;
  const std::vector<std::uint32_t> from_;  // as arrange_here returns it
  const LocalNeeds& needs_;
  const PartLists& home_;
  const std::uint32_t count_;
  const bool read_back_;
  LocalArrays arrays_;
};

}  // namespace

Result<BuiltLocal> build_local(Group& group, GraphPart& part, const LocalNeeds& needs,
                               const PartitionOptions& how, VertexOrder order,
                               const Partition* known) {
  const Stopwatch watch;
  LEEWAY_ASSIGN(const Division division, Division::make(group, part, how, known));
  const double seconds = watch.elapsed_seconds();
  const bool hubs = order == VertexOrder::Hubs &&
                    has_hubs(most_arcs(group, part), part.totals.arcs, part.totals.vertices);
  LEEWAY_ASSIGN(PartLists lists, read_lists(group, part, needs.reads, needs.weights));
  if (!division.by_ranges()) {
    LEEWAY_ASSIGN(lists, move_home(group, std::move(lists), division, part.totals.vertices));
  }
  LEEWAY_ASSIGN(
      LocalGraph graph,
      LocalBuilder(group, part, division, arrange_here(order, hubs, lists), needs, lists).build());
  return BuiltLocal{std::move(graph), seconds};
}

}  // namespace leeway
