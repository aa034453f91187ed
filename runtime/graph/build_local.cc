#include "runtime/graph/build_local.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "datasets/build_graph.h"
#include "runtime/graph/division.h"
#include "runtime/graph/home_lists.h"
#include "runtime/graph/input_lists.h"
#include "runtime/graph/layout.h"
#include "runtime/graph/range_lists.h"
#include "runtime/graph/vertex_set.h"

namespace leeway {

namespace {

/// For each local index, the index of the vertex among those received; empty: the same order.
std::vector<std::uint32_t> arrange_here(VertexOrder order, bool hubs, const HomeLists& lists) {
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
               std::vector<std::uint32_t> from, const LocalNeeds& needs, const HomeLists& home)
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
    arrays_.mutual = read_back_;
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
    LEEWAY_ASSIGN(arrays_.records, home_.records.pick(count_, [&](std::size_t v) {
      return from_of(static_cast<std::uint32_t>(v));
    }));
    return {};
  }

  /// Homes are ranges in the graph's order, so objects follow from vertex numbers.
  Status build_range() {
    RangeLists lists(needs_, home_.lists, {part_.first(), count_, 0}, part_.totals.vertices);
    lists.meet(read_back_ ? &arrays_.boundary : nullptr);
    const std::vector<VertexId> copies = lists.copies().members();
    arrays_.copies = read_back_
                         ? objects_in(part_.ranges, copies)
                         : announce(copies, [&](VertexId v) { return v.value() - part_.first(); });
    return lists.fill(read_back_, arrays_);
  }

  /// Finds the objects of remote vertices, and marks the local vertices that other nodes ask for. Collective.
  template <class PlaceOf>
  std::vector<ObjectId> announce(std::span<const VertexId> remote, const PlaceOf& place_of) {
    arrays_.boundary.assign(count_ / 64 + 1, 0);
    return find_objects(group_, division_, remote, count_, [&](VertexId v) {
      const std::uint32_t place = place_of(v);
      if (place < count_) arrays_.boundary[place / 64] |= std::uint64_t{1} << (place % 64);
      return place;
    });
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
    give_handles(met, handle);
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
  void give_handles(const VertexSet& met, std::span<std::uint32_t> handle) {
    std::vector<VertexId> remote;
    met.for_each([&](VertexId v) {
      if (handle[met.rank(v)] == kUnknown) remote.push_back(v);
    });
    const std::vector<ObjectId> found =
        announce(remote, [&](VertexId v) { return met.has(v) ? handle[met.rank(v)] : kUnknown; });
    std::vector<std::pair<ObjectId, VertexId>> objects;
    objects.reserve(remote.size());
    for (std::size_t i = 0; i < remote.size(); ++i) objects.emplace_back(found[i], remote[i]);
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
  const HomeLists& home_;
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
  LEEWAY_ASSIGN(const HomeLists lists,
                bring_home(group, part, division, needs.reads, needs.weights, needs.records));
  LEEWAY_ASSIGN(
      LocalGraph graph,
      LocalBuilder(group, part, division, arrange_here(order, hubs, lists), needs, lists).build());
  return BuiltLocal{std::move(graph), seconds};
}

}  // namespace leeway
