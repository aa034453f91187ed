#include "runtime/pie/fragment.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace leeway::pie {

Fragment::Fragment(FragmentParts parts)
    : parts_(std::move(parts)), inner_count_(static_cast<std::uint32_t>(parts_.inner.size())) {
  LEEWAY_CHECK(parts_.outer_homes.size() == parts_.outer.size());
  LEEWAY_CHECK(parts_.listed >= inner_count_);
  LEEWAY_CHECK(parts_.listed <= vertex_count());
  LEEWAY_CHECK(parts_.offsets.size() == parts_.listed + std::size_t{1});
  LEEWAY_CHECK((parts_.weights.empty() || parts_.weights.size() == parts_.targets.size()));
}

std::optional<Place> Fragment::find(VertexId vertex) const {
  const auto inner = std::lower_bound(parts_.inner.begin(), parts_.inner.end(), vertex);
  if (inner != parts_.inner.end() && *inner == vertex)
    return static_cast<Place>(inner - parts_.inner.begin());
  const auto outer = std::find(parts_.outer.begin(), parts_.outer.end(), vertex);
  if (outer == parts_.outer.end()) return std::nullopt;
  return inner_count_ + static_cast<Place>(outer - parts_.outer.begin());
}

std::vector<Place> Fragment::out_copies() const {
  std::vector<bool> entered(outer_count(), false);
  for (std::uint64_t arc = 0; arc < parts_.offsets[inner_count_]; ++arc) {
    if (const Place target = parts_.targets[arc]; !is_inner(target))
      entered[target - inner_count_] = true;
  }
  std::vector<Place> places;
  for (std::uint32_t o = 0; o < outer_count(); ++o) {
    if (entered[o]) places.push_back(inner_count_ + o);
  }
  return places;
}

std::vector<Place> Fragment::out_border() const {
  std::vector<Place> places;
  for (Place v = 0; v < inner_count_; ++v) {
    const std::uint32_t* const begin = parts_.targets.data() + parts_.offsets[v];
    const std::uint32_t* const end = parts_.targets.data() + parts_.offsets[v + std::size_t{1}];
    if (std::any_of(begin, end, [&](Place target) { return !is_inner(target); }))
      places.push_back(v);
  }
  return places;
}

std::size_t Fragment::bytes() const {
  return parts_.inner.bytes() + parts_.offsets.bytes() + parts_.targets.bytes() +
         parts_.weights.bytes() + parts_.outer.size() * (sizeof(VertexId) + sizeof(Elsewhere)) +
         parts_.degrees.size() * sizeof(std::uint32_t) + parts_.back_offsets.bytes() +
         parts_.sources.bytes();
}

void Routes::settle() {
  for (Place p = fragment_.inner_count(); p < fragment_.vertex_count(); ++p)
    homes_.push_back(fragment_.home(p));
  border_ = homes_.size();
  if (announced_.empty()) return;
  firsts_.assign(fragment_.inner_count() + std::size_t{1}, 0);
  for (const Announced& each : announced_) ++firsts_[each.inner + std::size_t{1}];
  for (std::size_t v = 1; v < firsts_.size(); ++v) border_ += firsts_[v] > 0 ? 1 : 0;
  std::partial_sum(firsts_.begin(), firsts_.end(), firsts_.begin());
  copies_.resize(announced_.size());
  std::vector<std::uint32_t> next(firsts_.begin(), firsts_.end() - 1);
  for (const Announced& each : announced_) copies_[next[each.inner]++] = each.copy;
  announced_ = {};
}

namespace {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

/// Fills in the reversed lists that `back` selects: for each place, the places with an arc to it.
Status reverse_lists(FragmentParts& parts, Back back) {
  parts.back = back;
  if (back == Back::None) return {};
  const auto inner = static_cast<std::uint32_t>(parts.inner.size());
  const std::uint32_t first = back == Back::All ? 0 : inner;
  const std::uint32_t count = inner + static_cast<std::uint32_t>(parts.outer.size()) - first;
  LEEWAY_ASSIGN(Csr lists, collect(count, false, [&](auto&& use) {
                  for (std::uint32_t place = 0; place < parts.listed; ++place) {
                    for (std::uint64_t arc = parts.offsets[place];
                         arc < parts.offsets[place + std::size_t{1}]; ++arc) {
                      const std::uint32_t target = parts.targets[arc];
                      if (target >= first) use(target - first, place, 0);
                    }
                  }
                }));
  parts.back_offsets = std::move(lists.offsets);
  parts.sources = std::move(lists.targets);
  return {};
}

}  // namespace

/// Makes one fragment.
class Fragmentation::Cutter {
 public:
  Cutter(const Fragmentation& whole, PartId id) : whole_(whole), lists_(whole.lists_), id_(id) {}

  Result<Fragment> cut() {
    parts_.id = id_;
    parts_.fragment_count = whole_.count();
    parts_.cut = whole_.needs_.cut;
    const auto inner = whole_.vertices(id_);
    parts_.inner = Array<VertexId>::view(inner, nullptr);
    if (whole_.count() == 1) return whole();
    LEEWAY_ASSIGN(place_of_, Array<std::uint32_t>::make(whole_.vertex_count()));
    std::fill(place_of_.mutable_span().begin(), place_of_.mutable_span().end(), kNoPlace);
    for (Place p = 0; p < inner.size(); ++p) meet(inner[p], p);
    if (parts_.cut == Cut::Edge) {
      meet_over_cut();
    } else {
      meet_own_arcs();
    }
    LEEWAY_TRY(fill_lists());
    LEEWAY_TRY(reverse_lists(parts_, whole_.needs_.back));
    if (parts_.cut == Cut::Vertex) keep_degrees();
    return Fragment(std::move(parts_));
  }

 private:
  /// With a single fragment, the graph's own arrays are used.
  Result<Fragment> whole() {
    parts_.listed = static_cast<std::uint32_t>(parts_.inner.size());
    parts_.offsets = Array<std::uint64_t>::view(lists_.offsets.span(), nullptr);
    parts_.targets = Array<std::uint32_t>::view(lists_.targets.span(), nullptr);
    parts_.weights = Array<double>::view(lists_.weights.span(), nullptr);
    if (whole_.needs_.back == Back::All && whole_.same_back_) {
      parts_.back = Back::All;
      parts_.back_offsets = Array<std::uint64_t>::view(lists_.offsets.span(), nullptr);
      parts_.sources = Array<std::uint32_t>::view(lists_.targets.span(), nullptr);
    } else {
      LEEWAY_TRY(reverse_lists(parts_, whole_.needs_.back));
    }
    return Fragment(std::move(parts_));
  }

  void meet(VertexId vertex, Place place) { place_of_.mutable_span()[vertex.index()] = place; }
  [[nodiscard]] bool met(VertexId vertex) const { return place_of_[vertex.index()] != kNoPlace; }
  [[nodiscard]] bool mine(VertexId vertex) const {
    return whole_.layout_->home(vertex).value() == id_.value();
  }
  /// Whether this fragment has the arc.
  [[nodiscard]] bool keeps(VertexId from, VertexId to) const {
    if (parts_.cut == Cut::Edge) return true;
    const auto degree = [&](VertexId v) { return lists_.row(v.value()).size(); };
    const bool by_target = degree(to) != degree(from) ? degree(to) < degree(from) : to < from;
    return mine(by_target ? to : from);
  }

  /// Adds the copies beyond the cut, hop after hop; those with lists come first.
  void meet_over_cut() {
    std::vector<VertexId> fringe(parts_.inner.begin(), parts_.inner.end());
    for (std::uint32_t hop = 0;; ++hop) {
      std::vector<VertexId> next;
      for (const VertexId v : fringe) {
        for (const std::uint32_t number : lists_.row(v.value())) {
          const VertexId u(number);
          if (met(u)) continue;
          meet(u, 0);  // its place follows when next is sorted
          next.push_back(u);
        }
      }
      add_outer(next);
      if (hop == whole_.needs_.hops) break;
      parts_.listed = listed_so_far();
      fringe = std::move(next);
    }
    if (whole_.needs_.hops == 0) parts_.listed = static_cast<std::uint32_t>(parts_.inner.size());
  }

  void meet_own_arcs() {
    std::vector<VertexId> next;
    const auto touch = [&](VertexId v) {
      if (met(v)) return;
      meet(v, 0);
      next.push_back(v);
    };
    for (VertexId v(0); v.value() < whole_.vertex_count(); v = v.next()) {
      for (const std::uint32_t u : lists_.row(v.value())) {
        if (!keeps(v, VertexId(u))) continue;
        touch(v);
        touch(VertexId(u));
      }
    }
    add_outer(next);
    parts_.listed = listed_so_far();
  }

  [[nodiscard]] std::uint32_t listed_so_far() const {
    return static_cast<std::uint32_t>(parts_.inner.size() + parts_.outer.size());
  }

  /// Sorted by home and place there, so that a home's messages have ascending places.
  void add_outer(std::vector<VertexId>& vertices) {
    const Layout& layout = *whole_.layout_;
    std::sort(vertices.begin(), vertices.end(), [&](VertexId a, VertexId b) {
      return std::pair(layout.home(a), layout.place(a)) <
             std::pair(layout.home(b), layout.place(b));
    });
    for (const VertexId v : vertices) {
      meet(v, listed_so_far());
      parts_.outer.push_back(v);
      parts_.outer_homes.push_back({PartId(layout.home(v).value()), layout.place(v).value()});
    }
  }

  [[nodiscard]] VertexId vertex_at(Place place) const {
    const auto inner = static_cast<Place>(parts_.inner.size());
    return place < inner ? parts_.inner[place] : parts_.outer[place - inner];
  }

  Status fill_lists() {
    LEEWAY_ASSIGN(parts_.offsets, Array<std::uint64_t>::make(parts_.listed + std::size_t{1}));
    const auto offsets = parts_.offsets.mutable_span();
    const auto each_arc = [&](Place place, auto&& take) {
      const VertexId v = vertex_at(place);
      const auto list = lists_.row(v.value());
      for (std::size_t i = 0; i < list.size(); ++i) {
        const VertexId to(list[i]);
        // Targets beyond the last hop are not in this fragment.
        if (met(to) && keeps(v, to)) take(to, i);
      }
    };
    for (Place p = 0; p < parts_.listed; ++p) {
      std::uint64_t count = 0;
      each_arc(p, [&](VertexId, std::size_t) { ++count; });
      offsets[p + std::size_t{1}] = offsets[p] + count;
    }
    LEEWAY_ASSIGN(parts_.targets, Array<std::uint32_t>::make(offsets[parts_.listed]));
    if (lists_.weighted()) {
      LEEWAY_ASSIGN(parts_.weights, Array<double>::make(offsets[parts_.listed]));
    }
    const auto targets = parts_.targets.mutable_span();
    const auto weights = parts_.weights.mutable_span();
    std::uint64_t arc = 0;
    for (Place p = 0; p < parts_.listed; ++p) {
      each_arc(p, [&](VertexId to, std::size_t i) {
        targets[arc] = place_of_[to.index()];
        if (!weights.empty()) weights[arc] = lists_.row_weights(vertex_at(p).value())[i];
        ++arc;
      });
    }
    return {};
  }

  void keep_degrees() {
    for (Place p = 0; p < parts_.listed; ++p)
      parts_.degrees.push_back(static_cast<std::uint32_t>(lists_.row(vertex_at(p).value()).size()));
  }

  const Fragmentation& whole_;
  const Csr& lists_;
  PartId id_;
  FragmentParts parts_;
  Array<std::uint32_t> place_of_;  // by vertex of the graph
};

Result<Fragmentation> Fragmentation::make(const Graph& graph, const Partition& partition,
                                          const FragmentNeeds& needs) {
  LEEWAY_CHECK((needs.cut == Cut::Edge || needs.hops == 0));
  Fragmentation whole;
  whole.needs_ = needs;
  if (partition.part_count == 1) {
    LEEWAY_ASSIGN(auto layout, Layout::single(graph.vertex_count()));
    whole.layout_ = std::make_unique<Layout>(std::move(layout));
  } else {
    LEEWAY_ASSIGN(auto layout, Layout::make(graph, partition, VertexOrder::Graph));
    whole.layout_ = std::make_unique<Layout>(std::move(layout));
  }
  LEEWAY_ASSIGN(whole.lists_, lists_of(graph, needs.lists, needs.weights));
  whole.same_back_ = reads_its_readers(graph.directed(), needs.lists);
  return whole;
}

Result<Fragment> Fragmentation::fragment(PartId id) const {
  LEEWAY_CHECK(id.value() < count());
  return Cutter(*this, id).cut();
}

}  // namespace leeway::pie
