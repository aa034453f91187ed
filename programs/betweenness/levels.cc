#include "programs/betweenness/levels.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

#include "base/array.h"
#include "datasets/csr.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

constexpr std::uint32_t kUnreached = 0;    // the source has depth 1
constexpr std::size_t kFewVertices = 256;  // one thread is faster for a level below this size

/// Adds to a number that several threads change. The order of additions changes the last digits.
void add_shared(double& sum, double more) {
  std::atomic_ref<double> shared(sum);
  double before = shared.load(std::memory_order_relaxed);
  while (!shared.compare_exchange_weak(before, before + more, std::memory_order_relaxed)) {
  }
}

class DepthSearch {
 public:
  DepthSearch(Group& group, const GraphPart& part, unsigned threads)
      : group_(group), part_(part), threads_(threads), size_(part.size()) {}

  Result<DependencySums> run(const PathSources& sources) {
    LEEWAY_TRY(group_.agree(number_ends()));
    DependencySums found;
    for (std::uint64_t i = 0; i < sources.count(); ++i) {
      search(sources.at(i));
      sum_back(sources.at(i));
      found.supersteps += 2 * levels_.size();
    }
    found.rows = std::move(rows_);
    return found;
  }

 private:
  [[nodiscard]] bool alone() const { return group_.count() == 1; }

  /// The ends of the arcs as halo indices.
  Status number_ends() {
    std::uint32_t indices = size_;
    if (alone()) {
      ends_ = as_numbers(part_.lists.targets.span());
    } else {
      halo_.emplace(group_, part_.ranges,
                    std::initializer_list<std::span<const VertexId>>{part_.lists.targets.span()});
      indices = halo_->indices();
      LEEWAY_ASSIGN(ends_, Array<std::uint32_t>::make(part_.lists.targets.size()));
      const auto ends = ends_.mutable_span();
      for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = halo_->index(part_.lists.targets[i]);
    }
    LEEWAY_ASSIGN(depths_, Array<std::uint32_t>::make(indices));
    LEEWAY_ASSIGN(path_counts_, Array<double>::make(indices));
    LEEWAY_ASSIGN(shares_, Array<double>::make(indices));
    LEEWAY_ASSIGN(arc_bits_, Array<std::uint64_t>::make(part_.lists.targets.size() / 64 + 1));
    LEEWAY_ASSIGN(rows_, Array<DependencyRow>::make(size_));
    depth_ = depths_.mutable_span();
    paths_ = path_counts_.mutable_span();
    share_ = shares_.mutable_span();
    nearer_ = arc_bits_.mutable_span();
    return {};
  }

  /// Forgets the last search. Memory that no search has reached is not touched: the system clears it when it is.
  void forget() {
    constexpr std::size_t kFew = 8;  // as a share of the range
    if (!alone() || order_.size() > size_ / kFew) {
      std::fill(depth_.begin(), depth_.end(), kUnreached);
      std::fill(paths_.begin(), paths_.end(), 0.0);
      std::fill(nearer_.begin(), nearer_.end(), 0);
    } else {
      for (const std::uint32_t v : order_) {
        depth_[v] = kUnreached;
        paths_[v] = 0;
        const auto first =
            nearer_.begin() + static_cast<std::ptrdiff_t>(part_.lists.offsets[v] / 64);
        const auto last = nearer_.begin() +
                          static_cast<std::ptrdiff_t>(part_.lists.offsets[v + std::size_t{1}] / 64);
        std::fill(first, last + 1, 0);
      }
    }
    order_.clear();
    levels_.clear();
  }

  /// Depths and numbers of shortest paths, and the arcs that these paths take.
  void search(VertexId source) {
    if (!levels_.empty()) forget();
    if (part_.holds(source)) {
      const std::uint32_t place = source.value() - part_.first();
      depth_[place] = 1;
      paths_[place] = 1;
      order_.push_back(place);
    } else if (!alone() && halo_->has(source)) {
      depth_[halo_->index(source)] = 1;
    }
    std::size_t begin = 0;
    for (std::uint32_t depth = 1; group_.sum(order_.size() - begin) > 0; ++depth) {
      levels_.push_back(begin);
      const std::size_t end = order_.size();
      reach(begin, end, depth);
      if (!alone()) exchange(depth);
      begin = end;
    }
    levels_.push_back(order_.size());
  }

  /// The vertices of a level reach those of the next, also in other ranges.
  void reach(std::size_t begin, std::size_t end, std::uint32_t depth) {
    if (threads_.count() == 1 || end - begin < kFewVertices) {
      for (std::size_t i = begin; i < end; ++i) reach_from<false>(order_[i], depth, order_);
      return;
    }
    std::vector<std::vector<std::uint32_t>> reached(threads_.count());
    threads_.for_chunks(end - begin, kChunk,
                        [&](unsigned thread, std::size_t first, std::size_t last) {
                          for (std::size_t i = first; i < last; ++i)
                            reach_from<true>(order_[begin + i], depth, reached[thread]);
                        });
    for (const auto& each : reached) order_.insert(order_.end(), each.begin(), each.end());
  }

  template <bool kShared>
  void reach_from(std::uint32_t v, std::uint32_t depth, std::vector<std::uint32_t>& reached) {
    const double paths = paths_[v];
    const std::uint64_t end = part_.lists.offsets[v + std::size_t{1}];
    for (std::uint64_t arc = part_.lists.offsets[v]; arc < end; ++arc) {
      const std::uint32_t to = ends_[arc];
      if (!enter<kShared>(to, depth, reached)) continue;
      if constexpr (kShared) {
        add_shared(paths_[to], paths);
        std::atomic_ref<std::uint64_t>(nearer_[arc / 64])
            .fetch_or(std::uint64_t{1} << (arc % 64), std::memory_order_relaxed);
      } else {
        paths_[to] += paths;
        nearer_[arc / 64] |= std::uint64_t{1} << (arc % 64);
      }
    }
  }
  /// Whether a vertex is one of the next level; the first that reaches it adds it to `reached`.
  template <bool kShared>
  bool enter(std::uint32_t to, std::uint32_t depth, std::vector<std::uint32_t>& reached) {
    std::uint32_t found = depth_[to];
    if constexpr (kShared) {
      std::atomic_ref<std::uint32_t> shared(depth_[to]);
      found = shared.load(std::memory_order_relaxed);
      if (found == kUnreached &&
          shared.compare_exchange_strong(found, depth + 1, std::memory_order_relaxed)) {
        reached.push_back(to);
        return true;
      }
    } else if (found == kUnreached) {
      depth_[to] = depth + 1;
      reached.push_back(to);
      return true;
    }
    return found == depth + 1;
  }

  /// Gives the paths to ghosts to the nodes of their ranges, and gets the depths of ghosts that were reached. Only vertices of this range
  /// stay in the order.
  void exchange(std::uint32_t depth) {
    const std::size_t begin = levels_.back();
    std::size_t kept = begin;
    for (std::size_t i = begin; i < order_.size(); ++i) {
      if (order_[i] < size_) order_[kept++] = order_[i];
    }
    order_.resize(kept);
    halo_->give_back<double>(
        group_, [&](std::uint32_t index) { return depth_[index] == depth + 1; },
        [&](std::uint32_t index) { return std::exchange(paths_[index], 0.0); },
        [&](std::uint32_t place, double paths) {
          if (enter<false>(place, depth, order_)) paths_[place] += paths;
        });
    halo_->publish<std::uint8_t>(
        group_, 0, size_, [&](std::uint32_t place) { return depth_[place] == depth + 1; },
        [](std::uint32_t) { return std::uint8_t{1}; },
        [&](std::uint32_t index, std::uint8_t) { depth_[index] = depth + 1; });
  }

  /// Adds up dependencies, from the last level to the first.
  void sum_back(VertexId source) {
    for (std::size_t level = levels_.size() - 1; level-- > 0;) {
      const std::size_t begin = levels_[level];
      const std::size_t end = levels_[level + 1];
      if (threads_.count() == 1 || end - begin < kFewVertices) {
        sum_range(begin, end, source);
      } else {
        threads_.for_chunks(end - begin, kChunk,
                            [&](unsigned, std::size_t first, std::size_t last) {
                              sum_range(begin + first, begin + last, source);
                            });
      }
      if (alone()) continue;
      const auto depth = static_cast<std::uint32_t>(level + 1);
      halo_->publish<double>(
          group_, 0, size_, [&](std::uint32_t place) { return depth_[place] == depth; },
          [&](std::uint32_t place) { return share_[place]; },
          [&](std::uint32_t index, double share) { share_[index] = share; });
    }
  }
  void sum_range(std::size_t begin, std::size_t end, VertexId source) {
    const auto rows = rows_.mutable_span();
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t v = order_[i];
      double sum = 0;
      each_next(v, [&](std::uint32_t to) { sum += share_[to]; });
      const double dependency = paths_[v] * sum;
      share_[v] = (1 + dependency) / paths_[v];
      if (part_.vertex(v) != source) rows[v].total += dependency;
      rows[v].entries += 2 * part_.degree(v);
    }
  }
  /// Calls use(index) for the ends of v's arcs that are part of shortest paths.
  template <class Use>
  void each_next(std::uint32_t v, const Use& use) const {
    std::uint64_t arc = part_.lists.offsets[v];
    const std::uint64_t end = part_.lists.offsets[v + std::size_t{1}];
    while (arc < end) {
      std::uint64_t bits = nearer_[arc / 64] >> (arc % 64);
      const std::uint64_t left = std::min<std::uint64_t>(64 - arc % 64, end - arc);
      if (left < 64) bits &= (std::uint64_t{1} << left) - 1;
      for (; bits != 0; bits &= bits - 1)
        use(ends_[arc + static_cast<unsigned>(std::countr_zero(bits))]);
      arc += left;
    }
  }

  static constexpr std::size_t kChunk = 64;

  Group& group_;
  const GraphPart& part_;
  ComputeThreads threads_;
  const std::uint32_t size_;
  std::optional<Halo> halo_;
  Array<std::uint32_t> ends_;         // by arc
  std::span<std::uint32_t> depth_;    // by halo index
  std::span<double> paths_;           // by halo index
  std::span<double> share_;           // by halo index: (1 + dependency) / paths
  std::span<std::uint64_t> nearer_;   // a bit for each arc: it is on a shortest path
  std::vector<std::uint32_t> order_;  // the reached vertices of this range, by depth
  std::vector<std::size_t> levels_;   // where each depth begins in the order, then its end
  Array<DependencyRow> rows_;
  // The memory of the spans.
  Array<std::uint32_t> depths_;
  Array<double> path_counts_;
  Array<double> shares_;
  Array<std::uint64_t> arc_bits_;
};

}  // namespace

Result<DependencySums> sum_dependencies(Group& group, const GraphPart& part,
                                        const PathSources& sources, unsigned threads) {
  return DepthSearch(group, part, threads).run(sources);
}

}  // namespace leeway
