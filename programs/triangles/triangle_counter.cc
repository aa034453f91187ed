#include "programs/triangles/triangle_counter.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "datasets/csr.h"
#include "runtime/graph/arc_exchange.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

enum class TriangleSum { Triangles, OppositeArcs };

/// Lists of neighbours by number (see TriangleCounter), each at first those that one arc joins with the list's vertex, then those that
/// arcs in both directions do. Both parts are ascending.
struct NearLists {
  Csr lists;
  Array<std::uint32_t> singles;  ///< by number: length of the first part; empty: there are none

  [[nodiscard]] std::uint32_t singles_of(std::uint32_t number) const {
    return singles.empty() ? 0 : singles[number];
  }
};

constexpr std::uint64_t kBatchEntries = std::uint64_t{1} << 22U;
constexpr std::uint32_t kBlock = 256;  // vertices for one thread

/// The vertices with the lowest numbers, which are part of most triangles, have counts for each thread.
constexpr std::uint32_t kHubs = std::uint32_t{1} << 14U;
/// Entries of lists between a prefetch and the use.
constexpr std::size_t kOffsetAhead = 24;
constexpr std::size_t kListAhead = 12;

/// Mean square of the lengths of lists divided by the square of their mean from which hubs are numbered first. Random graphs with
/// equal chances for all arcs are near 1, and sorting their vertices costs more than it saves.
constexpr double kSkew = 1.5;
constexpr std::uint32_t kMostKeys = std::uint32_t{1} << 16U;  // longer lists are equal in the order

template <bool kShared>
void add(std::uint64_t& sum, std::uint64_t more) {
  if constexpr (kShared) {
    std::atomic_ref(sum).fetch_add(more, std::memory_order_relaxed);
  } else {
    sum += more;
  }
}

/// One thread's part of the search for triangles with first vertices of the range and lists of second vertices in `seconds`. kComplete:
/// the lists also have the neighbours with higher numbers, each neighbour once.
template <TriangleSum kSum, class Row, bool kShared, bool kComplete>
class TrianglePass {
 public:
  TrianglePass(const NearLists& own, const NearLists& seconds, bool is_own, std::span<Row> rows)
      : own_(own),
        seconds_(seconds),
        is_own_(is_own),
        rows_(rows),
        marks_(rows.size()),
        hubs_(std::min<std::size_t>(rows.size(), kHubs)),
        end_(static_cast<std::uint32_t>(rows.size())) {
    while (begin_ < end_ && seconds_.row(begin_).empty()) ++begin_;
    while (begin_ < end_ && seconds_.row(end_ - 1).empty()) --end_;
  }

  /// The triangles of which v is the first vertex.
  void count(std::uint32_t v) {
    const auto mine = lower(v);
    if (mine.size() < 2) return;
    if constexpr (kComplete) {
      if (mine.size() == 2) return count_pair(v, mine[0], mine[1]);
    }
    const auto elsewhere = [&](std::uint32_t u) {
      return u < begin_ || u >= end_ || seconds_.row(u).empty();
    };
    if (!is_own_ && std::all_of(mine.begin(), mine.end(), elsewhere)) return;
    const std::uint32_t singles = own_.singles_of(v);
    for (std::uint32_t i = 0; i < mine.size(); ++i)
      marks_[mine[i]] = kArcs && i >= singles ? std::uint8_t{2} : std::uint8_t{1};
    std::uint64_t opposite_v = 0;
    std::uint64_t entries = mine.size();
    // The first of ascending numbers is the lowest and lists none of the others.
    for (const std::uint32_t& u : mine.subspan(kArcs ? 0 : 1)) {
      if constexpr (!kComplete) {
        if (u < begin_ || u >= end_) continue;
        prefetch_after(&u);
      }
      const auto theirs = seconds_.row(u);
      ListSums sums;
      if constexpr (kArcs) {
        const std::uint32_t single = seconds_.singles_of(u);
        scan<1>(u, theirs.first(single), marks_[u], sums);
        scan<2>(u, theirs.subspan(single), marks_[u], sums);
      } else {
        scan<1>(u, theirs, 1, sums);
      }
      opposite_v += sums.opposite_v;
      if (sums.opposite_u > 0) add_to(u, sums.opposite_u);
      entries += sums.entries;
    }
    if (opposite_v > 0) add_to(v, opposite_v);
    if constexpr (Row::kDetailed) {
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
      rows_[v].entries = static_cast<std::uint32_t>(std::min(rows_[v].entries + entries, kMost));
    }
    for (const std::uint32_t u : mine) marks_[u] = 0;
  }

  /// With kComplete: whether a list had an entry twice, so that the counts are wrong.
  [[nodiscard]] bool repeats() const { return repeats_; }

  /// Adds what is counted for hubs.
  void finish() {
    for (std::uint32_t w = 0; w < hubs_.size(); ++w) {
      if (hubs_[w] > 0) add<true>(rows_[w].count, hubs_[w]);
    }
  }

 private:
  static constexpr bool kArcs = kSum == TriangleSum::OppositeArcs;
  static constexpr std::size_t kShort = 16;  ///< up to this length, all entries are compared

  /// What one list adds.
  struct ListSums {
    std::uint64_t opposite_v = 0;
    std::uint64_t opposite_u = 0;
    std::uint64_t entries = 0;
  };

  /// NearLists without checks.
  struct PlainLists {
    explicit PlainLists(const NearLists& near)
        : offsets(near.lists.offsets.data()),
          targets(near.lists.targets.data()),
          end(targets + near.lists.targets.size()),
          singles(near.singles.data()) {}

    const std::uint64_t* offsets;
    const std::uint32_t* targets;
    const std::uint32_t* end;
    const std::uint32_t* singles;

    [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t number) const {
      return {targets + offsets[number], targets + offsets[number + std::size_t{1}]};
    }
    [[nodiscard]] std::uint32_t singles_of(std::uint32_t number) const {
      return kArcs ? singles[number] : 0;
    }
  };

  /// The neighbours of v with lower numbers.
  [[nodiscard]] std::span<const std::uint32_t> lower(std::uint32_t v) {
    const auto all = own_.row(v);
    if constexpr (!kComplete) return all;
    std::uint32_t count = 0;
    bool loop = false;
    std::uint32_t last = VertexId::none().value();
    each_of(all, [&](bool is, std::uint32_t u) {
      count += static_cast<unsigned>(is & (u < v));
      loop |= is & (u == v);
      repeats_ |= is & (u == last);
      last = u;
    });
    if constexpr (Row::kDetailed)
      rows_[v].near = static_cast<std::uint32_t>(all.size()) - (loop ? 1 : 0);
    return all.first(count);
  }

  /// Calls use(true, entry) for each entry of the list. A short list has a fixed number of calls, which need no branches; those after
  /// its end are use(false, any number).
  template <class Use>
  void each_of(std::span<const std::uint32_t> list, Use&& use) const {
    constexpr std::size_t kFew = 4;
    if (list.size() <= kFew && static_cast<std::size_t>(own_.end - list.data()) >= kFew) {
      for (std::size_t i = 0; i < kFew; ++i) use(i < list.size(), list.data()[i]);
    } else {
      for (const std::uint32_t entry : list) use(true, entry);
    }
  }

  /// The same if w and u, which is higher, are the neighbours of v with lower numbers. Without marks, which cost more than this search.
  void count_pair(std::uint32_t v, std::uint32_t w, std::uint32_t u) {
    const auto list = own_.row(u);
    if constexpr (Row::kDetailed) rows_[v].entries = static_cast<std::uint32_t>(2 + list.size());
    bool found = false;
    if (list.size() <= kShort) {
      each_of(list, [&](bool is, std::uint32_t each) { found |= is & (each == w); });
    } else {
      found = std::binary_search(list.begin(), list.end(), w);
    }
    if (!found) return;
    for (const std::uint32_t corner : {v, u, w}) add_to(corner, 1);
  }

  void add_to(std::uint32_t number, std::uint64_t more) {
    if (number < hubs_.size()) {
      hubs_[number] += more;
    } else {
      add<kShared>(rows_[number].count, more);
    }
  }

  /// Loads what later entries of the lists will need. `entry` is in own_.
  void prefetch_after(const std::uint32_t* entry) const {
    if (static_cast<std::size_t>(own_.end - entry) <= kOffsetAhead) return;
    __builtin_prefetch(seconds_.offsets + entry[kOffsetAhead]);
    __builtin_prefetch(seconds_.targets + seconds_.offsets[entry[kListAhead]]);
  }

  /// Adds the triangles of v, u and each marked vertex of `list`, which has vertices that kUw arcs join with u.
  template <unsigned kUw>
  void scan(std::uint32_t u, std::span<const std::uint32_t> list, std::uint64_t arcs_vu,
            ListSums& sums) {
    const std::uint8_t* const marks = marks_.data();
    std::uint64_t* const hubs = hubs_.data();
    auto hub_end = static_cast<std::uint32_t>(hubs_.size());
    if constexpr (kComplete) hub_end = std::min(u, hub_end);
    std::uint64_t found = 0;
    std::uint64_t marked = 0;
    std::size_t i = 0;
    // Most hubs are marked or not with similar chances, so a branch would often be mispredicted.
    for (; i < list.size() && list[i] < hub_end; ++i) {
      const std::uint32_t w = list[i];
      const std::uint64_t hit = kArcs ? std::uint64_t{marks[w] != 0} : marks[w];
      found += hit;
      if constexpr (kArcs) marked += marks[w];
      hubs[w] += hit * arcs_vu;
    }
    for (; i < list.size() && (!kComplete || list[i] < u); ++i) {
      const std::uint32_t w = list[i];
      if (marks[w] == 0) continue;
      ++found;
      if constexpr (kArcs) marked += marks[w];
      add<kShared>(rows_[w].count, arcs_vu);
    }
    sums.opposite_v += found * kUw;
    sums.opposite_u += kArcs ? marked : found;
    sums.entries += i;
  }

  const PlainLists own_;
  const PlainLists seconds_;
  const bool is_own_;
  const std::span<Row> rows_;
  std::vector<std::uint8_t>
      marks_;  // all 0 between vertices; by number, the number of arcs that join it with the vertex
  std::vector<std::uint64_t> hubs_;  // by number: not yet in the rows
  std::uint32_t begin_ = 0;          // seconds_ has no list before
  std::uint32_t end_;                // or from here on
  bool repeats_ = false;
};

/// Vertices of the range and its halo are numbered in an order that all nodes share: by descending length of their lists if these
/// differ much, then as in the graph. Each vertex lists its neighbours with lower numbers, so that the lists of hubs are short. A
/// triangle is then a vertex, one that it lists, and one that both list. If the order is the graph's and no vertex is elsewhere,
/// numbers are halo indices, no table of numbers is made, and the lists may be those of the graph.
template <TriangleSum kSum, class Row>
class TriangleCounter {
 public:
  TriangleCounter(Group& group, const GraphPart& part, unsigned threads)
      : group_(group), part_(part), threads_(threads) {}

  Result<Array<Row>> count() {
    LEEWAY_TRY(read_arcs());
    number_vertices();
    complete_ = !kArcs && group_.count() == 1 && numbers_.empty() && has_short_lists();
    LEEWAY_TRY(group_.agree(list_near()));
    count_with(own_, true);
    if (repeats_) {  // only in a group of one
      complete_ = false;
      LEEWAY_TRY(list_near());
      count_with(own_, true);
    }
    if (group_.count() > 1) LEEWAY_TRY(count_elsewhere());
    const auto rows = rows_.mutable_span();
    halo_->give_back<std::uint64_t>(
        group_, [&](std::uint32_t index) { return rows[number_of(index)].count > 0; },
        [&](std::uint32_t index) { return rows[number_of(index)].count; },
        [&](std::uint32_t place, std::uint64_t more) { rows[number_of(place)].count += more; });
    if (numbers_.empty()) return std::move(rows_);
    for (std::uint32_t place = 0; place < part_.size(); ++place)
      by_place_.mutable_span()[place] = rows[number_of(place)];
    return std::move(by_place_);
  }

 private:
  static constexpr bool kArcs = kSum == TriangleSum::OppositeArcs;

  /// The incoming arcs if they count, and the halo of the arcs' ends.
  Status read_arcs() {
    if constexpr (kArcs) {
      LEEWAY_ASSIGN(incoming_, reverse_arcs(group_, part_, false));
    }
    const bool alone = group_.count() == 1;
    halo_.emplace(group_, part_.ranges,
                  std::initializer_list<std::span<const VertexId>>{
                      alone ? std::span<const VertexId>{} : part_.lists.targets.span(),
                      alone ? std::span<const VertexId>{} : incoming_.targets.span()});
    halo_->for_each_ghost([&](VertexId ghost) { ghosts_.push_back(ghost); });
    return {};
  }

  [[nodiscard]] std::span<const VertexId> incoming(std::uint32_t place) const {
    return incoming_.targets.span().subspan(
        incoming_.offsets[place],
        incoming_.offsets[place + std::size_t{1}] - incoming_.offsets[place]);
  }

  /// Length of the lists of a vertex of the range.
  [[nodiscard]] std::uint64_t length(std::uint32_t place) const {
    return part_.list(place).size() + (kArcs ? incoming(place).size() : 0);
  }

  /// Calls use(neighbour, number of arcs) for each neighbour of the vertex, ascending.
  template <class Use>
  void each_near(std::uint32_t place, Use&& use) const {
    const VertexId self = part_.vertex(place);
    const auto out = part_.list(place);
    if constexpr (!kArcs) {
      VertexId last = self;
      for (const VertexId next : out) {
        if (next == last || next == self) continue;
        last = next;
        use(next, 2);
      }
      return;
    } else {
      const auto in = incoming(place);
      for (std::size_t o = 0, i = 0; o < out.size() || i < in.size();) {
        const bool from_out = i == in.size() || (o < out.size() && !(in[i] < out[o]));
        const VertexId next = from_out ? out[o] : in[i];
        unsigned arcs = 0;
        if (o < out.size() && out[o] == next) ++arcs;
        if (i < in.size() && in[i] == next) ++arcs;
        while (o < out.size() && out[o] == next) ++o;
        while (i < in.size() && in[i] == next) ++i;
        if (next != self) use(next, arcs);
      }
    }
  }

  [[nodiscard]] std::uint32_t number_of(std::uint32_t index) const {
    return numbers_.empty() ? index : numbers_[index];
  }
  /// The halo index of a number.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t number) const {
    return indices_.empty() ? number : indices_[number];
  }
  [[nodiscard]] VertexId vertex_of(std::uint32_t number) const {
    const std::uint32_t index = index_of(number);
    return index < part_.size() ? part_.vertex(index) : ghosts_[index - part_.size()];
  }

  /// Whether hubs are numbered first, because the lengths of the lists of all nodes differ by kSkew or more. Collective.
  [[nodiscard]] bool has_hubs() const {
    struct Moments {
      double vertices = 0;
      double lengths = 0;
      double squares = 0;
    } mine{static_cast<double>(part_.size())};
    for (std::uint32_t place = 0; place < part_.size(); ++place) {
      const auto each = static_cast<double>(length(place));
      mine.lengths += each;
      mine.squares += each * each;
    }
    Moments all;
    for (const Moments& each : group_.share(mine)) {
      all.vertices += each.vertices;
      all.lengths += each.lengths;
      all.squares += each.squares;
    }
    return all.squares * all.vertices > kSkew * all.lengths * all.lengths;
  }

  void number_vertices() {
    by_length_ = has_hubs();
    if (!by_length_ && group_.count() == 1) return;
    std::vector<std::uint32_t> keys(halo_->indices());
    if (by_length_) {
      for (std::uint32_t place = 0; place < part_.size(); ++place)
        keys[place] = kMostKeys -
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(length(place), kMostKeys));
      publish(keys);
    }
    std::vector<std::uint32_t> starts(kMostKeys + std::size_t{2});
    for (const std::uint32_t key : keys) ++starts[key + 1];
    for (std::size_t key = 1; key < starts.size(); ++key) starts[key] += starts[key - 1];
    numbers_.resize(keys.size());
    indices_.resize(keys.size());
    const auto give_numbers = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t index = begin; index < end; ++index) {
        numbers_[index] = starts[keys[index]]++;
        indices_[numbers_[index]] = index;
      }
    };
    // In the order of the graph: ghosts before the range, the range, ghosts after it.
    const auto before = std::lower_bound(ghosts_.begin(), ghosts_.end(), VertexId(part_.first()));
    const std::uint32_t after = part_.size() + static_cast<std::uint32_t>(before - ghosts_.begin());
    give_numbers(part_.size(), after);
    give_numbers(0, part_.size());
    give_numbers(after, halo_->indices());
  }

  /// Gives the values of this range's vertices to the nodes that have copies. Collective.
  void publish(std::vector<std::uint32_t>& values) {
    halo_->publish<std::uint32_t>(
        group_, 0, part_.size(), [](std::uint32_t) { return true; },
        [&](std::uint32_t place) { return values[place]; },
        [&](std::uint32_t index, std::uint32_t value) { values[index] = value; });
  }

  /// Whether reading half of each list for nothing costs less than copying the other half.
  [[nodiscard]] bool has_short_lists() const {
    constexpr std::size_t kMeanLength = 8;
    return part_.lists.targets.size() <= kMeanLength * part_.size();
  }

  /// Makes own_. Each thread lists the vertices of one stretch of numbers at the place that their complete lists would have; then the
  /// gaps are closed.
  Status list_near() {
    const std::uint32_t numbers = halo_->indices();
    LEEWAY_ASSIGN(rows_, Array<Row>::make(numbers));
    LEEWAY_ASSIGN(by_place_, Array<Row>::make(numbers_.empty() ? 0 : part_.size()));
    if (complete_) {
      own_.lists = {.offsets = Array<std::uint64_t>::view(part_.lists.offsets.span(), nullptr),
                    .targets = as_numbers(part_.lists.targets.span())};
      return {};
    }
    LEEWAY_ASSIGN(own_.lists.offsets, Array<std::uint64_t>::make(numbers + std::size_t{1}));
    LEEWAY_ASSIGN(own_.singles, Array<std::uint32_t>::make(kArcs ? numbers : 0));
    const auto offsets = own_.lists.offsets.mutable_span();
    for (std::uint32_t v = 0; v < numbers; ++v)
      offsets[v + std::size_t{1}] =
          offsets[v] + (index_of(v) < part_.size() ? length(index_of(v)) : 0);
    LEEWAY_ASSIGN(own_.lists.targets, Array<std::uint32_t>::make(offsets.back()));
    std::vector<std::uint32_t> edges;
    std::vector<std::uint64_t> starts;
    for (unsigned thread = 0; thread <= threads_; ++thread) {
      const auto edge =
          std::lower_bound(offsets.begin(), offsets.end() - 1, offsets.back() * thread / threads_);
      edges.push_back(thread == threads_ ? numbers
                                         : static_cast<std::uint32_t>(edge - offsets.begin()));
      starts.push_back(offsets[edges.back()]);
    }
    const auto targets = own_.lists.targets.mutable_span();
    parallel_chunks(threads_, threads_, [&](unsigned thread, std::size_t, std::size_t) {
      std::uint64_t at = starts[thread];
      for (std::uint32_t v = edges[thread]; v < edges[thread + 1]; ++v) {
        if (index_of(v) < part_.size()) at = list_one(v, at);
        offsets[v + std::size_t{1}] = at;
      }
    });
    for (unsigned thread = 1; thread < threads_; ++thread) {
      const std::uint64_t end = offsets[edges[thread]];
      const std::uint64_t gap = starts[thread] - end;
      if (edges[thread] == edges[thread + 1] || gap == 0) continue;
      std::memmove(targets.data() + end, targets.data() + starts[thread],
                   (offsets[edges[thread + 1]] - starts[thread]) * sizeof(std::uint32_t));
      for (std::uint32_t v = edges[thread]; v < edges[thread + 1]; ++v)
        offsets[v + std::size_t{1}] -= gap;
    }
    own_.lists.targets.shrink(offsets.back());
    incoming_ = {};
    return {};
  }

  /// Writes the list of the vertex from place `at` on and returns its end.
  std::uint64_t list_one(std::uint32_t v, std::uint64_t at) {
    const std::uint32_t place = index_of(v);
    std::uint32_t* const begin = own_.lists.targets.mutable_span().data() + at;
    std::uint32_t* end = begin;
    std::uint32_t near = 0;
    const auto put = [&](unsigned joined_by) {
      std::uint32_t* const first = end;
      each_near(place, [&](VertexId other, unsigned arcs) {
        if (arcs != joined_by) return;
        ++near;
        const std::uint32_t u = number_of(halo_->index(other));
        // The store is made in any case: which neighbours have lower numbers cannot be predicted.
        *end = u;
        end += u < v ? 1 : 0;
      });
      if (by_length_) std::sort(first, end);
      return static_cast<std::uint32_t>(end - first);
    };
    if constexpr (kArcs) own_.singles.mutable_span()[v] = put(1);
    put(2);
    if constexpr (Row::kDetailed) rows_.mutable_span()[v].near = near;
    return at + static_cast<std::uint64_t>(end - begin);
  }

  /// The triangles whose second vertex is in another range, by batches of its lists.
  Status count_elsewhere() {
    std::vector<std::uint32_t> lengths(halo_->indices());
    std::vector<std::uint32_t> singles(kArcs ? halo_->indices() : 0);
    for (std::uint32_t place = 0; place < part_.size(); ++place) {
      lengths[place] = static_cast<std::uint32_t>(own_.lists.row(number_of(place)).size());
      if constexpr (kArcs) singles[place] = own_.singles_of(number_of(place));
    }
    publish(lengths);
    if constexpr (kArcs) publish(singles);
    std::vector<bool> listed(halo_->indices());
    for (const std::uint32_t u : own_.lists.targets) listed[index_of(u)] = true;
    for (std::uint32_t next = part_.size(); group_.sum(next < halo_->indices() ? 1 : 0) > 0;) {
      std::uint32_t last = next;
      for (std::uint64_t entries = 0; last < halo_->indices(); ++last) {
        if (!listed[last]) lengths[last] = 0;
        entries += lengths[last];
        if (entries > kBatchEntries && last > next) break;
      }
      LEEWAY_ASSIGN(const NearLists batch, fetch(next, last, lengths, singles));
      count_with(batch, false);
      next = last;
    }
    return {};
  }

  /// The lists of the ghosts with halo indices in [first, last), which have these lengths. Without entries that are not in the halo,
  /// which belong to no triangle here. Collective.
  Result<NearLists> fetch(std::uint32_t first, std::uint32_t last,
                          std::span<const std::uint32_t> lengths,
                          std::span<const std::uint32_t> singles) {
    ByNode<VertexId> asked(group_.count());
    std::vector<std::uint64_t> coming(group_.count());
    for (std::uint32_t index = first; index < last; ++index) {
      if (lengths[index] == 0) continue;
      const NodeId home = halo_->home(index);
      asked[home.index()].push_back(ghosts_[index - part_.size()]);
      coming[home.index()] += lengths[index];
    }
    const auto questions = group_.swap(asked);
    for (std::uint32_t node = 0; node < questions.size(); ++node) {
      for (const VertexId v : questions[node]) group_.require(part_.holds(v), NodeId(node));
    }
    LEEWAY_ASSIGN(auto ends, exchange_lists<VertexId>(group_, coming, [&](auto& batcher) {
                    for (std::uint32_t node = 0; node < questions.size(); ++node) {
                      for (const VertexId v : questions[node]) {
                        for (const std::uint32_t u : own_.lists.row(number_of(halo_->index(v))))
                          batcher.add(NodeId(node), vertex_of(u));
                      }
                    }
                  }));
    NearLists batch;
    LEEWAY_TRY(group_.agree(keep_known(first, last, lengths, singles, ends, batch)));
    return batch;
  }

  /// `ends`: the entries of the lists, one list after the other.
  Status keep_known(std::uint32_t first, std::uint32_t last, std::span<const std::uint32_t> lengths,
                    std::span<const std::uint32_t> singles, Array<VertexId>& ends,
                    NearLists& batch) {
    const auto entries = ends.mutable_span();
    for (VertexId& end : entries)
      end = halo_->has(end) ? VertexId(number_of(halo_->index(end))) : VertexId::none();
    LEEWAY_ASSIGN(batch.singles, Array<std::uint32_t>::make(kArcs ? halo_->indices() : 0));
    LEEWAY_ASSIGN(batch.lists, collect(halo_->indices(), false, [&](auto&& use) {
                    std::size_t read = 0;
                    for (std::uint32_t index = first; index < last; ++index) {
                      const std::uint32_t row = number_of(index);
                      std::uint32_t known_singles = 0;
                      for (std::uint32_t i = 0; i < lengths[index]; ++i) {
                        const VertexId end = entries[read++];
                        if (end == VertexId::none()) continue;
                        use(row, end.value(), 0);
                        if (kArcs && i < singles[index]) ++known_singles;
                      }
                      if constexpr (kArcs) batch.singles.mutable_span()[row] = known_singles;
                    }
                  }));
    return {};
  }

  /// Counts the triangles whose second vertex has its list in `seconds`, which has those of all vertices of the range or others.
  void count_with(const NearLists& seconds, bool own) {
    if (complete_) {
      threads_ == 1 ? count_by<false, true>(seconds, own) : count_by<true, true>(seconds, own);
    } else {
      threads_ == 1 ? count_by<false, false>(seconds, own) : count_by<true, false>(seconds, own);
    }
  }

  template <bool kShared, bool kComplete>
  void count_by(const NearLists& seconds, bool own) {
    const std::uint32_t numbers = halo_->indices();
    std::atomic<std::uint32_t> next = 0;
    parallel_chunks(threads_, threads_, [&](unsigned, std::size_t, std::size_t) {
      TrianglePass<kSum, Row, kShared, kComplete> pass(own_, seconds, own, rows_.mutable_span());
      for (std::uint32_t begin = next.fetch_add(kBlock); begin < numbers;
           begin = next.fetch_add(kBlock)) {
        for (std::uint32_t v = begin; v < std::min(numbers, begin + kBlock); ++v) pass.count(v);
      }
      pass.finish();
      if (kComplete && pass.repeats()) repeats_ = true;
    });
  }

  Group& group_;
  const GraphPart& part_;
  const unsigned threads_;
  GraphArrays incoming_;  // the reversed arcs if they count, until the lists are made
  std::optional<Halo> halo_;
  std::vector<VertexId> ghosts_;  // in the order of their halo indices
  bool by_length_ = false;
  std::vector<std::uint32_t> numbers_;  // by halo index; empty: they are equal
  std::vector<std::uint32_t> indices_;  // the reverse
  NearLists own_;
  bool complete_ = false;              // own_ has the neighbours with higher numbers, too
  std::atomic<bool> repeats_ = false;  // and has some of them twice
  Array<Row> rows_;                    // by number
  Array<Row> by_place_;
};

}  // namespace

template <class Row>
Result<Array<Row>> count_triangles(Group& group, const GraphPart& part, unsigned threads) {
  return TriangleCounter<TriangleSum::Triangles, Row>(group, part, thread_count(threads)).count();
}
template Result<Array<TriangleCount>> count_triangles(Group&, const GraphPart&, unsigned);
template Result<Array<TriangleRow>> count_triangles(Group&, const GraphPart&, unsigned);

Result<Array<TriangleRow>> count_opposite_arcs(Group& group, const GraphPart& part,
                                               unsigned threads) {
  return TriangleCounter<TriangleSum::OppositeArcs, TriangleRow>(group, part, thread_count(threads))
      .count();
}

}  // namespace leeway
