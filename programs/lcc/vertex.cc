#include "programs/lcc/vertex.h"

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/array.h"
#include "base/parallel.h"
#include "datasets/csr.h"
#include "runtime/graph/arc_exchange.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

/// Lists of vertices, each at first those that one arc joins with the list's vertex, then those that arcs in both directions do.
struct NearLists {
  Csr lists;
  Array<std::uint32_t> singles;  ///< by row: number of the first kind; empty: there are none

  [[nodiscard]] std::uint32_t singles_of(std::uint32_t row) const {
    return singles.empty() ? 0 : singles[row];
  }
};

/// Lists from other nodes: rows are the consecutive halo indices from `first` on.
struct FetchedLists {
  std::uint32_t first = 0;
  NearLists near;

  [[nodiscard]] bool has(std::uint32_t index) const {
    return index >= first && index - first < near.lists.rows();
  }
};

constexpr std::uint64_t kBatchEntries = std::uint64_t{1} << 22U;
constexpr std::uint32_t kBlock = 256;  // vertices for one thread

/// Two vertices are near if an arc joins them. Each pair is listed once, at the vertex of lower degree, so that the lists of hubs are
/// short; a triangle is then a vertex, one that it lists, and one that both list.
class TriangleCounter {
 public:
  TriangleCounter(Group& group, const GraphPart& part, unsigned threads)
      : group_(group), part_(part), threads_(threads), rows_(part.size()) {}

  Result<std::vector<ClusteringRow>> count() {
    LEEWAY_TRY(read_arcs());
    LEEWAY_TRY(group_.agree(list_near()));
    count_here();
    LEEWAY_TRY(count_elsewhere());
    halo_->give_back<std::uint64_t>(
        group_, [&](std::uint32_t index) { return arcs_[index] > 0; },
        [&](std::uint32_t index) { return arcs_[index]; },
        [&](std::uint32_t place, std::uint64_t arcs) { arcs_[place] += arcs; });
    for (std::uint32_t v = 0; v < rows_.size(); ++v) {
      const auto near = static_cast<double>(degrees_[v]);
      if (near >= 2) rows_[v].coefficient = static_cast<double>(arcs_[v]) / (near * (near - 1));
    }
    return std::move(rows_);
  }

 private:
  /// The arcs in both directions, and the halo of their ends.
  Status read_arcs() {
    if (part_.totals.directed) {
      LEEWAY_ASSIGN(incoming_, reverse_arcs(group_, part_, false));
    }
    halo_.emplace(group_, part_.ranges,
                  std::initializer_list<std::span<const VertexId>>{part_.lists.targets.span(),
                                                                   incoming_.targets.span()});
    halo_->for_each_ghost([&](VertexId ghost) { ghosts_.push_back(ghost); });
    return {};
  }

  [[nodiscard]] std::span<const VertexId> incoming(std::uint32_t v) const {
    if (!part_.totals.directed) return {};
    return incoming_.targets.span().subspan(
        incoming_.offsets[v], incoming_.offsets[v + std::size_t{1}] - incoming_.offsets[v]);
  }

  /// Calls use(near vertex, number of arcs) for each vertex near v, ascending.
  template <class Use>
  void each_near(std::uint32_t v, Use&& use) const {
    const VertexId self = part_.vertex(v);
    const auto out = part_.list(v);
    const auto in = incoming(v);
    std::size_t o = 0;
    std::size_t i = 0;
    while (o < out.size() || i < in.size()) {
      const bool from_out = i == in.size() || (o < out.size() && !(in[i] < out[o]));
      const VertexId next = from_out ? out[o] : in[i];
      unsigned arcs = part_.totals.directed ? 0 : 2;
      if (o < out.size() && out[o] == next) arcs += part_.totals.directed ? 1 : 0;
      if (i < in.size() && in[i] == next) ++arcs;
      while (o < out.size() && out[o] == next) ++o;
      while (i < in.size() && in[i] == next) ++i;
      if (next != self) use(next, arcs);
    }
  }

  Status list_near() {
    degrees_.resize(halo_->indices());
    for (std::uint32_t v = 0; v < rows_.size(); ++v)
      each_near(v, [&](VertexId, unsigned) { ++degrees_[v]; });
    publish(degrees_);
    std::vector<std::uint32_t> singles(part_.totals.directed ? rows_.size() : 0);
    const auto each = [&](std::uint32_t v, const auto& use) {
      each_near(v, [&](VertexId near, unsigned arcs) {
        const std::uint32_t index = halo_->index(near);
        const bool follows =
            degrees_[index] != degrees_[v] ? degrees_[index] > degrees_[v] : part_.vertex(v) < near;
        if (follows) use(index, arcs);
      });
    };
    LEEWAY_ASSIGN(own_.lists,
                  collect(static_cast<std::uint32_t>(rows_.size()), false, [&](auto&& use) {
                    for (std::uint32_t v = 0; v < rows_.size(); ++v) {
                      const auto put = [&](unsigned joined_by) {
                        std::uint32_t found = 0;
                        each(v, [&](std::uint32_t index, unsigned arcs) {
                          if (arcs != joined_by) return;
                          use(v, index, 0);
                          ++found;
                        });
                        return found;
                      };
                      if (!singles.empty()) singles[v] = put(1);
                      put(2);
                    }
                  }));
    incoming_ = {};
    LEEWAY_ASSIGN(own_.singles, Array<std::uint32_t>::copy_of(singles));
    arcs_.resize(halo_->indices());
    return {};
  }

  /// Gives the values of this range's vertices to the nodes that have copies. Collective.
  void publish(std::vector<std::uint32_t>& values) {
    halo_->publish<std::uint32_t>(
        group_, 0, part_.size(), [](std::uint32_t) { return true; },
        [&](std::uint32_t place) { return values[place]; },
        [&](std::uint32_t index, std::uint32_t value) { values[index] = value; });
  }

  /// The triangles whose first two vertices are in this range.
  void count_here() {
    const FetchedLists here{
        .first = 0,
        .near = {.lists = own_.lists.view(),
                 .singles = Array<std::uint32_t>::view(own_.singles.span(), nullptr)}};
    count_with(here);
  }

  /// Those whose second vertex is elsewhere, by batches of its lists.
  Status count_elsewhere() {
    std::vector<std::uint32_t> lengths(halo_->indices());
    std::vector<std::uint32_t> singles(halo_->indices());
    for (std::uint32_t v = 0; v < rows_.size(); ++v) {
      lengths[v] = static_cast<std::uint32_t>(own_.lists.row(v).size());
      singles[v] = own_.singles_of(v);
    }
    publish(lengths);
    if (part_.totals.directed) publish(singles);
    std::vector<bool> listed(halo_->indices());
    for (const std::uint32_t index : own_.lists.targets) listed[index] = true;
    for (std::uint32_t next = part_.size(); group_.sum(next < halo_->indices() ? 1 : 0) > 0;) {
      std::uint32_t last = next;
      for (std::uint64_t entries = 0; last < halo_->indices(); ++last) {
        if (!listed[last]) lengths[last] = singles[last] = 0;
        entries += lengths[last];
        if (entries > kBatchEntries && last > next) break;
      }
      LEEWAY_ASSIGN(const FetchedLists batch, fetch(next, last, lengths, singles));
      count_with(batch);
      next = last;
    }
    return {};
  }

  /// The lists of the ghosts with halo indices in [first, last), which have these lengths. Without entries that are not in the halo,
  /// which belong to no triangle here. Collective.
  Result<FetchedLists> fetch(std::uint32_t first, std::uint32_t last,
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
                        for (const std::uint32_t index : own_.lists.row(v.value() - part_.first()))
                          batcher.add(NodeId(node), number(index));
                      }
                    }
                  }));
    FetchedLists batch;
    LEEWAY_TRY(group_.agree(keep_known(first, last, lengths, singles, std::move(ends), batch)));
    return batch;
  }

  [[nodiscard]] VertexId number(std::uint32_t index) const {
    return index < part_.size() ? part_.vertex(index) : ghosts_[index - part_.size()];
  }

  /// `ends`: the entries of the lists, one list after the other. Halo indices replace those that are kept.
  Status keep_known(std::uint32_t first, std::uint32_t last, std::span<const std::uint32_t> lengths,
                    std::span<const std::uint32_t> singles, Array<VertexId> ends,
                    FetchedLists& batch) {
    const std::uint32_t rows = last - first;
    batch.first = first;
    LEEWAY_ASSIGN(batch.near.lists.offsets, Array<std::uint64_t>::make(rows + std::size_t{1}));
    LEEWAY_ASSIGN(batch.near.singles, Array<std::uint32_t>::make(part_.totals.directed ? rows : 0));
    const auto offsets = batch.near.lists.offsets.mutable_span();
    const auto known_singles = batch.near.singles.mutable_span();
    const auto entries = ends.mutable_span();
    std::size_t read = 0;
    std::size_t kept = 0;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t i = 0; i < lengths[first + row]; ++i) {
        const VertexId end = entries[read++];
        if (!halo_->has(end)) continue;
        entries[kept++] = VertexId(halo_->index(end));
        if (i < singles[first + row]) ++known_singles[row];
      }
      offsets[row + std::size_t{1}] = kept;
    }
    ends.shrink(kept);
    batch.near.lists.targets = as_numbers(std::move(ends));
    return {};
  }

  /// Counts the triangles whose second vertex has its list in `seconds`.
  void count_with(const FetchedLists& seconds) {
    std::atomic<std::uint32_t> next = 0;
    parallel_chunks(threads_, threads_, [&](unsigned, std::size_t, std::size_t) {
      std::vector<std::uint8_t> marks(halo_->indices());
      const auto size = static_cast<std::uint32_t>(rows_.size());
      for (std::uint32_t begin = next.fetch_add(kBlock); begin < size;
           begin = next.fetch_add(kBlock)) {
        for (std::uint32_t v = begin; v < std::min(size, begin + kBlock); ++v)
          threads_ == 1 ? count_from<false>(v, seconds, marks)
                        : count_from<true>(v, seconds, marks);
      }
    });
  }

  /// The triangles of v. `marks`: all 0 between calls; by halo index, the number of arcs that join it with v.
  template <bool kShared>
  void count_from(std::uint32_t v, const FetchedLists& seconds, std::vector<std::uint8_t>& marks) {
    const auto mine = own_.lists.row(v);
    const std::uint32_t singles = own_.singles_of(v);
    if (std::none_of(mine.begin(), mine.end(), [&](std::uint32_t u) { return seconds.has(u); }))
      return;
    for (std::uint32_t i = 0; i < mine.size(); ++i)
      marks[mine[i]] = i < singles ? std::uint8_t{1} : std::uint8_t{2};
    std::uint64_t opposite_v = 0;
    std::uint64_t entries = mine.size();
    for (const std::uint32_t u : mine) {
      if (!seconds.has(u)) continue;
      const std::uint32_t row = u - seconds.first;
      const auto theirs = seconds.near.lists.row(row);
      const std::uint32_t single = seconds.near.singles_of(row);
      const unsigned arcs_vu = marks[u];
      std::uint64_t opposite_u = 0;
      for (std::uint32_t i = 0; i < theirs.size(); ++i) {
        const std::uint32_t w = theirs[i];
        if (marks[w] == 0) continue;
        opposite_v += i < single ? 1 : 2;
        opposite_u += marks[w];
        add<kShared>(arcs_[w], arcs_vu);
      }
      add<kShared>(arcs_[u], opposite_u);
      entries += theirs.size();
    }
    add<kShared>(arcs_[v], opposite_v);
    rows_[v].entries += entries;
    for (const std::uint32_t u : mine) marks[u] = 0;
  }

  template <bool kShared>
  static void add(std::uint64_t& sum, std::uint64_t more) {
    if constexpr (kShared) {
      std::atomic_ref(sum).fetch_add(more, std::memory_order_relaxed);
    } else {
      sum += more;
    }
  }

  Group& group_;
  const GraphPart& part_;
  const unsigned threads_;
  std::vector<ClusteringRow> rows_;
  GraphArrays incoming_;  // the reversed arcs if the graph is directed, until the lists are made
  std::optional<Halo> halo_;
  std::vector<VertexId> ghosts_;        // in the order of their halo indices
  std::vector<std::uint32_t> degrees_;  // by halo index: number of vertices near it
  NearLists own_;
  std::vector<std::uint64_t> arcs_;  // by halo index: arcs found between vertices near it
};

}  // namespace

Result<std::vector<ClusteringRow>> count_clustering(Group& group, const GraphPart& part,
                                                    unsigned threads) {
  return TriangleCounter(group, part, thread_count(threads)).count();
}

}  // namespace leeway
