// How a space's fetches went, counted by many threads without sharing cache lines.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "base/clock.h"
#include "base/ids.h"
#include "protocol/ids.h"
#include "protocol/policy.h"

namespace leeway {

/// The four outcomes of ASPIRE §4.1, and how stale the stale hits were.
struct AccessCounts {
  static constexpr std::size_t kAges = 256;  ///< the last stands for itself and everything beyond

  std::uint64_t current_hits = 0;
  std::uint64_t stale_hits = 0;
  std::uint64_t stale_misses = 0;
  std::uint64_t cache_misses = 0;
  std::array<std::uint64_t, kAges> stale_by_age{};  ///< [n]: stale hits n versions old

  [[nodiscard]] std::uint64_t remote() const {
    return current_hits + stale_hits + stale_misses + cache_misses;
  }
  AccessCounts& operator+=(const AccessCounts& other) {
    current_hits += other.current_hits;
    stale_hits += other.stale_hits;
    stale_misses += other.stale_misses;
    cache_misses += other.cache_misses;
    for (std::size_t age = 0; age < kAges; ++age) stale_by_age[age] += other.stale_by_age[age];
    return *this;
  }
};

/// Times from a stale hit to the refreshed copy. A sample: each space measures one hit at a time. Contains only 64-bit
/// counts, so that an earlier state can be subtracted.
struct RefreshTimes {
  /// Bucket b holds times of 4 + b % 4 quarters of 2^(b / 4) nanoseconds, up to the next one.
  static constexpr std::size_t kBuckets = 4 * 40;

  std::array<std::uint64_t, kBuckets> buckets{};

  void add(Duration took) {
    const auto ns = static_cast<std::uint64_t>(std::max<Duration::rep>(took.count(), 4));
    const auto exponent = static_cast<unsigned>(std::bit_width(ns)) - 1;
    const std::size_t at = 4 * std::size_t{exponent} + (ns >> (exponent - 2)) % 4;
    ++buckets[std::min(at, kBuckets - 1)];
  }
  RefreshTimes& operator+=(const RefreshTimes& other) {
    for (std::size_t at = 0; at < kBuckets; ++at) buckets[at] += other.buckets[at];
    return *this;
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : buckets) sum += each;
    return sum;
  }
  /// The middle of the bucket in which that share of the times ends. 0 if there are none.
  [[nodiscard]] double quantile_seconds(double share) const {
    const auto wanted = share * static_cast<double>(count());
    std::uint64_t seen = 0;
    for (std::size_t at = 0; at < kBuckets; ++at) {
      seen += buckets[at];
      if (buckets[at] == 0 || static_cast<double>(seen) < wanted) continue;
      const double quarter = static_cast<double>(std::uint64_t{1} << (at / 4)) / 4;
      return 1e-9 * quarter * (static_cast<double>(4 + at % 4) + 0.5);
    }
    return 0;
  }
};

class AccessCounters {
 public:
  /// A hit or a miss; stale hits go through `add_stale`.
  void add(Access access, std::uint64_t times = 1) {
    mine().counts[static_cast<std::size_t>(access)].fetch_add(times, std::memory_order_relaxed);
  }
  void add_stale(std::uint64_t age, std::uint64_t times = 1) {
    const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(age, AccessCounts::kAges - 1));
    mine().stale_by_age[at].fetch_add(times, std::memory_order_relaxed);
  }

  [[nodiscard]] AccessCounts total() const {
    AccessCounts total;
    for (const Shard& shard : shards_) {
      if (!shard.used.load(std::memory_order_relaxed)) continue;
      total.current_hits += shard.of(Access::CurrentHit);
      total.stale_misses += shard.of(Access::StaleMiss);
      total.cache_misses += shard.of(Access::CacheMiss);
      for (std::size_t age = 0; age < AccessCounts::kAges; ++age) {
        const std::uint64_t times = shard.stale_by_age[age].load(std::memory_order_relaxed);
        total.stale_by_age[age] += times;
        total.stale_hits += times;
      }
    }
    return total;
  }

 private:
  static constexpr std::size_t kShards = 16;
  struct alignas(64) Shard {
    std::atomic<bool> used{false};
    std::array<std::atomic<std::uint64_t>, 4> counts{};
    std::array<std::atomic<std::uint64_t>, AccessCounts::kAges> stale_by_age{};

    [[nodiscard]] std::uint64_t of(Access access) const {
      return counts[static_cast<std::size_t>(access)].load(std::memory_order_relaxed);
    }
  };

  Shard& mine() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t index = next.fetch_add(1, std::memory_order_relaxed) % kShards;
    Shard& shard = shards_[index];
    if (!shard.used.load(std::memory_order_relaxed))
      shard.used.store(true, std::memory_order_relaxed);
    return shard;
  }

  std::array<Shard, kShards> shards_;
};

// What a space is opened with, how its objects are addressed, and what it counts.

// Who looks into a space.
class Node;
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm;
template <class T>
class View;

/// An object as this node addresses it: below the count of local objects its home is here, from there
/// on it is a cache slot. Resolved once; costs nothing to follow.
using Handle = Id<struct HandleTag, std::uint32_t>;

/// Which copy a full cache gives up.
enum class Eviction {
  Lru,    ///< exactly the one that the program read longest ago
  Clock,  ///< one that it has not read for long; reads take no lock at all
};

/// Local and remote objects together are at most 2^32 - 1, so that a handle can name each.
struct SpaceOptions {
  std::string name = "objects";
  std::uint32_t local_objects = 0;         ///< how many of them have this node as their home
  std::uint32_t remote_objects = 1 << 20;  ///< how many others this node will ever meet
  /// Copies held at once; beyond, `eviction` says which goes. 0: all that are met.
  std::uint32_t cache_capacity = 0;
  Eviction eviction = Eviction::Lru;
  /// The home goes on telling of newer versions of a copy that was evicted, as somebody must know who waits for changes.
  /// Then all that is kept of an object but its value stays here, and at its home.
  bool hear_of_evicted = false;
  /// The objects that live here are for others alone: handles begin with the copies. Where objects live away from who
  /// computes them, he has handles of his own objects in a row, whichever node is their home.
  bool serves_only = false;
  std::optional<Policy> policy;  ///< this space's own; the node's when absent
  bool note_changes = false;     ///< keep account of copies that changed, for take_changed
};
inline constexpr std::uint32_t kLeastCacheCapacity = 16;

struct SpaceStats {
  AccessCounts accesses;
  CacheCounts cache;
  DirectoryCounts directory;
  RefreshTimes refreshes;
  std::size_t bytes = 0;
};

}  // namespace leeway
