// Disjoint sets (union-find) of the numbers [0, count), and connected components of adjacency lists. The root of a set is its
// smallest member.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/bytes.h"

namespace leeway {

/// Runs a loop over [0, count) on the calling thread. A parallel loop calls `body(begin, end)` for parts of [0, count) on
/// several threads, and has kShared = true.
struct OneThread {
  static constexpr bool kShared = false;
  template <class Body>
  void operator()(std::uint32_t count, const Body& body) const {
    body(0U, count);
  }
};

class DisjointSets {
 public:
  explicit DisjointSets(std::uint32_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }

  /// Merges the sets of `a` and `b` by Rem's algorithm: climbs from both sides, always from the larger parent, and shortens
  /// the path on the way. Invariant: a parent is smaller than its children. Returns false if they were one set already.
  bool join(std::uint32_t a, std::uint32_t b) {
    std::uint32_t first = parent_[a];
    std::uint32_t second = parent_[b];
    while (first != second) {
      if (first < second) std::swap(first, second);
      if (parent_[first] == first) {
        parent_[first] = second;
        return true;
      }
      first = std::exchange(parent_[first], parent_[parent_[first]]);
    }
    return false;
  }

  /// Like join, but other threads may call join_shared concurrently: parents are changed by compare-and-exchange.
  void join_shared(std::uint32_t a, std::uint32_t b) {
    std::uint32_t first = parent_of(a);
    std::uint32_t second = parent_of(b);
    while (first != second) {
      if (first < second) std::swap(first, second);
      const std::uint32_t parent = parent_of(first);
      if (parent == second) return;
      if (parent == first) {
        if (put_under(first, parent, second)) return;
        continue;  // `first` is no longer a root
      }
      const std::uint32_t above = parent_of(parent);
      if (above != parent) put_under(first, parent, above);  // shortens the path
      first = parent;
    }
  }

  /// The root of the member's set, at any time.
  [[nodiscard]] std::uint32_t find(std::uint32_t member) {
    while (parent_[member] != member)
      member = std::exchange(parent_[member], parent_[parent_[member]]);
    return member;
  }

  /// Makes every parent a root. One ascending pass suffices, because parents are smaller than their children.
  void flatten() {
    for (std::uint32_t& parent : parent_) parent = parent_[parent];
  }
  /// The same with a parallel loop.
  template <class Loop>
  void flatten(const Loop& loop) {
    loop(static_cast<std::uint32_t>(parent_.size()), [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t v = begin; v < end; ++v) {
        std::uint32_t root = parent_of(v);
        for (std::uint32_t next = 0; (next = parent_of(root)) != root;) root = next;
        std::atomic_ref(parent_[v]).store(root, std::memory_order_relaxed);
      }
    });
  }

  /// The root of the member's set. Requires that no sets were merged since the last flatten().
  [[nodiscard]] std::uint32_t root(std::uint32_t member) const { return parent_[member]; }
  /// The most frequent root in a sample of the numbers below `count` > 0. Same requirement as root().
  [[nodiscard]] std::uint32_t likely_largest(std::uint32_t count) const {
    constexpr std::uint32_t kProbes = 1024;
    std::unordered_map<std::uint32_t, std::uint32_t> seen;
    std::pair<std::uint32_t, std::uint32_t> most{0, 0};
    for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
      const std::uint32_t root = parent_[mix64(probe) % count];
      most = std::max(most, {++seen[root], root});
    }
    return most.second;
  }
  /// For each number, 1 if its root is `root`, else 0. Same requirement as root().
  template <class Loop>
  [[nodiscard]] std::vector<std::uint8_t> members(std::uint32_t root, const Loop& loop) const {
    std::vector<std::uint8_t> found(parent_.size());
    loop(static_cast<std::uint32_t>(found.size()), [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t v = begin; v < end; ++v) found[v] = parent_[v] == root ? 1 : 0;
    });
    return found;
  }
  /// The root of each number. Same requirement as root().
  [[nodiscard]] std::vector<std::uint32_t> take() { return std::move(parent_); }

 private:
  [[nodiscard]] std::uint32_t parent_of(std::uint32_t member) {
    return std::atomic_ref(parent_[member]).load(std::memory_order_relaxed);
  }
  /// Changes the parent of `member` from `before` to `parent`. False if another thread changed it before.
  bool put_under(std::uint32_t member, std::uint32_t before, std::uint32_t parent) {
    return std::atomic_ref(parent_[member])
        .compare_exchange_strong(before, parent, std::memory_order_relaxed);
  }

  std::vector<std::uint32_t> parent_;
};

/// The copies: the last `count` numbers, which begin with `first`.
struct Copies {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// A view of the adjacency lists of the numbers 0, 1, …: the list of i is [offsets[i], offsets[i + 1]) of `targets`, which are
/// numbers or ids. Does not own the arrays.
template <class Target>
struct NeighbourLists {
  std::uint32_t count = 0;
  const std::uint64_t* offsets = nullptr;
  const Target* targets = nullptr;
  /// Number of entries of each list before its copies; null: copies may be anywhere.
  const std::uint32_t* own = nullptr;

  [[nodiscard]] std::uint64_t copies_begin(std::uint32_t i) const {
    return begin(i) + (own == nullptr ? 0 : own[i]);
  }
  [[nodiscard]] std::uint64_t begin(std::uint32_t i) const { return offsets[i]; }
  [[nodiscard]] std::uint64_t end(std::uint32_t i) const { return offsets[i + std::size_t{1}]; }
  [[nodiscard]] std::uint32_t target(std::uint64_t arc) const {
    if constexpr (std::is_integral_v<Target>) {
      return targets[arc];
    } else {
      return targets[arc].value();
    }
  }
};

/// Joins the connected components of the lists by Afforest (Sutton, Ben-Nun & Barak, IPDPS 2018): first along the first two
/// arcs of every list, then along the other arcs of only those numbers that are outside the largest set so far.
/// Requires lists from number 0 on. Every arc must also be in the list of its other end, unless that is a copy: a number without
/// a list.
template <class Target, class Loop = OneThread>
void join_sampled(DisjointSets& sets, const NeighbourLists<Target>& lists, Copies copies = {},
                  const Loop& loop = {}) {
  constexpr std::uint64_t kSampled = 2;
  if (lists.count == 0) return;
  const auto join = [&sets](std::uint32_t a, std::uint32_t b) {
    if constexpr (Loop::kShared) {
      sets.join_shared(a, b);
    } else {
      sets.join(a, b);
    }
  };
  loop(lists.count, [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t v = first; v < last; ++v) {
      const std::uint64_t end = std::min(lists.begin(v) + kSampled, lists.end(v));
      for (std::uint64_t arc = lists.begin(v); arc < end; ++arc) join(v, lists.target(arc));
    }
  });
  if constexpr (Loop::kShared) {
    sets.flatten(loop);
  } else {
    sets.flatten();
  }
  // The members are determined before any further join: a join can change the root of the set, and can add numbers whose
  // remaining arcs were not joined. Exactly the members at this point skip their remaining arcs.
  // mutant: components-lose-an-arc
  const std::vector<std::uint8_t> members = sets.members(sets.likely_largest(lists.count), loop);
  loop(lists.count, [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t v = first; v < last; ++v) {
      if (members[v] != 0) continue;
      for (std::uint64_t arc = lists.begin(v) + kSampled; arc < lists.end(v); ++arc)
        join(v, lists.target(arc));
    }
  });
  // An arc that a member skipped is joined from its other end, unless that end is a copy.
  const auto outside = [&](std::uint32_t copy) { return members[copy] == 0; };
  bool any = false;
  for (std::uint32_t i = 0; i < copies.count && !any; ++i) any = outside(copies.first + i);
  if (!any) return;
  loop(lists.count, [&](std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t v = first; v < last; ++v) {
      // mutant: components-lose-an-arc
      if (members[v] == 0) continue;
      for (std::uint64_t arc = lists.copies_begin(v); arc < lists.end(v); ++arc) {
        const std::uint32_t target = lists.target(arc);
        if (target >= copies.first && outside(target)) join(v, target);
      }
    }
  });
}

/// Joins along every arc; needed if an arc may be in the list of only one of its ends.
template <class Target>
void join_all(DisjointSets& sets, const NeighbourLists<Target>& lists) {
  for (std::uint32_t i = 0; i < lists.count; ++i) {
    for (std::uint64_t arc = lists.begin(i); arc < lists.end(i); ++arc)
      sets.join(i, lists.target(arc));
  }
}

}  // namespace leeway
