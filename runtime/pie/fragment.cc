#include "runtime/pie/fragment.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/bytes.h"
#include "base/check.h"
#include "base/parallel.h"

namespace leeway::pie {

Fragment::Fragment(FragmentArrays parts)
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
Status reverse_lists(FragmentArrays& parts, Back back) {
  parts.back = back;
  if (back == Back::None) return {};
  const auto count = static_cast<std::uint32_t>(parts.inner.size() + parts.outer.size());
  LEEWAY_ASSIGN(Csr lists, collect(count, false, [&](auto&& use) {
                  for (std::uint32_t place = 0; place < parts.listed; ++place) {
                    for (std::uint64_t arc = parts.offsets[place];
                         arc < parts.offsets[place + std::size_t{1}]; ++arc)
                      use(parts.targets[arc], place, 0);
                  }
                }));
  parts.back_offsets = std::move(lists.offsets);
  parts.sources = std::move(lists.targets);
  return {};
}

/// The arcs that a fragment of a vertex cut has: source by number, and position in the lists. Sources ascend.
struct KeptArc {
  std::uint32_t source;
  std::uint64_t arc;
};

}  // namespace

/// Makes one fragment. Copies and inner vertices are met by number.
class Fragmentation::Cutter {
 public:
  /// `kept`: the fragment's arcs in a vertex cut.
  Cutter(const Fragmentation& whole, PartId id, std::span<const KeptArc> kept)
      : whole_(whole), source_(whole.source_), lists_(whole.source_.lists), kept_(kept) {
    parts_.id = id;
  }

  Result<Fragment> cut() {
    parts_.fragment_count = whole_.count();
    parts_.cut = whole_.needs_.cut;
    const auto inner = whole_.vertices(parts_.id);
    parts_.inner = Array<VertexId>::view(inner, nullptr);
    if (whole_.count() == 1 && !whole_.in_parts()) return whole();
    LEEWAY_ASSIGN(place_of_, Array<std::uint32_t>::make(source_.count()));
    std::fill(place_of_.mutable_span().begin(), place_of_.mutable_span().end(), kNoPlace);
    for (const VertexId v : inner) numbers_.push_back(source_.number(v));
    for (Place p = 0; p < numbers_.size(); ++p) meet(numbers_[p], p);
    LEEWAY_TRY(parts_.cut == Cut::Edge ? cut_edges() : cut_vertices());
    LEEWAY_TRY(reverse_lists(parts_, whole_.needs_.back));
    return Fragment(std::move(parts_));
  }

  /// For each of the fragments `ids`, its arcs in a vertex cut.
  static std::vector<std::vector<KeptArc>> kept_by(const Fragmentation& whole,
                                                   std::span<const PartId> ids) {
    const FragmentSource& source = whole.source_;
    std::vector<std::vector<KeptArc>> kept(ids.size());
    std::vector<std::size_t> index(whole.count(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) index[ids[i].index()] = i;
    for (std::uint32_t v = 0; v < source.count(); ++v) {
      for (std::uint64_t arc = source.lists.offsets[v];
           arc < source.lists.offsets[v + std::size_t{1}]; ++arc) {
        const std::uint32_t to = source.lists.targets[arc];
        const bool by_target = target_keeps(v, source.degree(v), to, source.degree(to));
        const std::uint32_t keeper = by_target ? to : v;
        const std::size_t i = index[source.home(keeper).fragment.index()];
        if (i < kept.size()) kept[i].push_back({v, arc});
      }
    }
    return kept;
  }

 private:
  /// With a single fragment, the graph's own arrays are used.
  Result<Fragment> whole() {
    parts_.listed = static_cast<std::uint32_t>(parts_.inner.size());
    Csr lists = lists_.view();
    parts_.offsets = std::move(lists.offsets);
    parts_.targets = std::move(lists.targets);
    parts_.weights = std::move(lists.weights);
    if (whole_.needs_.back == Back::All && whole_.same_back_) {
      parts_.back = Back::All;
      Csr back = lists_.view();
      parts_.back_offsets = std::move(back.offsets);
      parts_.sources = std::move(back.targets);
    } else {
      LEEWAY_TRY(reverse_lists(parts_, whole_.needs_.back));
    }
    return Fragment(std::move(parts_));
  }

  void meet(std::uint32_t number, Place place) { place_of_.mutable_span()[number] = place; }
  [[nodiscard]] bool met(std::uint32_t number) const { return place_of_[number] != kNoPlace; }

  Status cut_edges() {
    meet_over_cut();
    const auto each_arc = [&](Place place, auto&& take) {
      const std::uint32_t v = numbers_[place];
      for (std::uint64_t arc = lists_.offsets[v]; arc < lists_.offsets[v + std::size_t{1}]; ++arc) {
        // Targets beyond the last hop are not in this fragment.
        if (met(lists_.targets[arc])) take(arc);
      }
    };
    LEEWAY_ASSIGN(parts_.offsets, Array<std::uint64_t>::make(parts_.listed + std::size_t{1}));
    const auto offsets = parts_.offsets.mutable_span();
    for (Place p = 0; p < parts_.listed; ++p) {
      std::uint64_t count = 0;
      each_arc(p, [&](std::uint64_t) { ++count; });
      offsets[p + std::size_t{1}] = offsets[p] + count;
    }
    LEEWAY_TRY(make_arcs());
    std::uint64_t at = 0;
    for (Place p = 0; p < parts_.listed; ++p)
      each_arc(p, [&](std::uint64_t arc) { put(at++, arc); });
    return {};
  }

  /// Adds the copies beyond the cut, hop after hop; those with lists come first.
  void meet_over_cut() {
    std::size_t first = 0;
    for (std::uint32_t hop = 0;; ++hop) {
      std::vector<std::uint32_t> next;
      for (; first < numbers_.size(); ++first) {
        for (const std::uint32_t u : lists_.row(numbers_[first])) {
          if (met(u)) continue;
          meet(u, 0);  // its place follows when next is sorted
          next.push_back(u);
        }
      }
      add_outer(next);
      if (hop == whole_.needs_.hops) break;
      parts_.listed = static_cast<std::uint32_t>(numbers_.size());
    }
    if (whole_.needs_.hops == 0) parts_.listed = static_cast<std::uint32_t>(parts_.inner.size());
  }

  Status cut_vertices() {
    std::vector<std::uint32_t> next;
    const auto touch = [&](std::uint32_t v) {
      if (met(v)) return;
      meet(v, 0);
      next.push_back(v);
    };
    for (const KeptArc& kept : kept_) {
      touch(kept.source);
      touch(lists_.targets[kept.arc]);
    }
    add_outer(next);
    parts_.listed = static_cast<std::uint32_t>(numbers_.size());
    LEEWAY_ASSIGN(parts_.offsets, Array<std::uint64_t>::make(parts_.listed + std::size_t{1}));
    const auto offsets = parts_.offsets.mutable_span();
    for (const KeptArc& kept : kept_) ++offsets[place_of_[kept.source] + std::size_t{1}];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    LEEWAY_TRY(make_arcs());
    std::vector<std::uint64_t> at(offsets.begin(), offsets.end() - 1);
    for (const KeptArc& kept : kept_) put(at[place_of_[kept.source]]++, kept.arc);
    for (const std::uint32_t v : numbers_)
      parts_.degrees.push_back(static_cast<std::uint32_t>(source_.degree(v)));
    return {};
  }

  /// Makes the arrays of arcs, whose number the offsets contain.
  Status make_arcs() {
    const std::uint64_t count = parts_.offsets[parts_.listed];
    LEEWAY_ASSIGN(parts_.targets, Array<std::uint32_t>::make(count));
    LEEWAY_ASSIGN(parts_.weights, Array<double>::make(lists_.weighted() ? count : 0));
    targets_ = parts_.targets.mutable_span();
    weights_ = parts_.weights.mutable_span();
    return {};
  }
  void put(std::uint64_t at, std::uint64_t arc) {
    targets_[at] = place_of_[lists_.targets[arc]];
    if (!weights_.empty()) weights_[at] = lists_.weights[arc];
  }

  /// Sorted by home and place there, so that a home's messages have ascending places.
  void add_outer(std::vector<std::uint32_t>& numbers) {
    std::sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
      const Elsewhere left = source_.home(a);
      const Elsewhere right = source_.home(b);
      return std::pair(left.fragment, left.place) < std::pair(right.fragment, right.place);
    });
    for (const std::uint32_t v : numbers) {
      meet(v, static_cast<Place>(numbers_.size()));
      numbers_.push_back(v);
      parts_.outer.push_back(source_.vertex(v));
      parts_.outer_homes.push_back(source_.home(v));
    }
  }

  const Fragmentation& whole_;
  const FragmentSource& source_;
  const Csr& lists_;
  const std::span<const KeptArc> kept_;
  FragmentArrays parts_;
  std::vector<std::uint32_t> numbers_;  // by place
  Array<std::uint32_t> place_of_;       // by number
  std::span<std::uint32_t> targets_;    // view of parts_.targets
  std::span<double> weights_;
};

Result<Fragmentation> Fragmentation::make(const Graph& graph, const Partition& partition,
                                          const FragmentNeeds& needs) {
  LEEWAY_CHECK((needs.cut == Cut::Edge || needs.hops == 0));
  Fragmentation whole;
  whole.needs_ = needs;
  whole.count_ = partition.part_count;
  whole.vertex_count_ = graph.vertex_count();
  auto layout = partition.part_count == 1 ? Layout::single(graph.vertex_count())
                                          : Layout::make(graph, partition, VertexOrder::Graph);
  if (!layout) return fail(layout.error());
  whole.source_.layout = std::make_unique<const Layout>(std::move(*layout));
  LEEWAY_ASSIGN(whole.source_.lists, lists_of(graph, needs.lists, needs.weights));
  whole.same_back_ = reads_its_readers(graph.directed(), needs.lists);
  for (std::uint32_t worker = 0; worker < whole.count_; ++worker)
    whole.checksums_.push_back(checksum(std::as_bytes(whole.vertices(PartId(worker)))));
  return whole;
}

Result<std::vector<Fragment>> Fragmentation::fragments(std::span<const PartId> ids) const {
  std::vector<std::vector<KeptArc>> kept(ids.size());
  if (needs_.cut == Cut::Vertex && (count() > 1 || in_parts())) kept = Cutter::kept_by(*this, ids);
  std::vector<std::optional<Result<Fragment>>> cut(ids.size());
  const auto most = static_cast<unsigned>(std::max<std::size_t>(1, ids.size()));
  parallel_chunks(ids.size(), std::min(thread_count(0), most),
                  [&](unsigned, std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                      LEEWAY_CHECK(ids[i].value() < count());
                      cut[i].emplace(Cutter(*this, ids[i], kept[i]).cut());
                      kept[i] = {};
                    }
                  });
  std::vector<Fragment> made;
  for (std::optional<Result<Fragment>>& each : cut) {
    LEEWAY_ASSIGN(Fragment fragment, std::move(*each));
    made.push_back(std::move(fragment));
  }
  return made;
}

Result<Fragment> Fragmentation::fragment(PartId id) const {
  LEEWAY_ASSIGN(std::vector<Fragment> made, fragments(std::span(&id, 1)));
  return std::move(made.front());
}

void Fragmentation::drop_lists() {
  LEEWAY_CHECK(in_parts());
  source_.lists = {};
  source_.vertices = {};
  source_.homes = {};
  source_.degrees = {};
}

}  // namespace leeway::pie
