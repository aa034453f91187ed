// The options and counters of a space, the types that address its objects, and the choice of the threads that serve a node.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/clock.h"
#include "base/ids.h"
#include "protocol/ids.h"
#include "protocol/policy.h"

namespace leeway {

/// The four outcomes of ASPIRE §4.1, and how stale the stale hits were.
struct AccessCounts {
  static constexpr std::size_t kAges = 256;  ///< the last counts all greater ages too
  using Ages = std::array<std::uint64_t, kAges>;

  std::uint64_t current_hits = 0;
  std::uint64_t stale_hits = 0;
  std::uint64_t stale_misses = 0;
  std::uint64_t cache_misses = 0;
  Ages stale_by_age{};  ///< [n]: stale hits n versions old

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.current_hits, self.stale_hits, self.stale_misses, self.cache_misses,
                    self.stale_by_age);
  }
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

/// Histogram of the times from a stale hit to the refreshed copy. A sample: each space measures one
/// hit at a time. Contains only 64-bit counts, so that an earlier state can be subtracted.
struct RefreshTimes {
  /// Bucket b counts times from (4 + b % 4) / 4 · 2^(b / 4) nanoseconds up to the next bucket.
  static constexpr std::size_t kBuckets = 4 * 40;

  std::array<std::uint64_t, kBuckets> buckets{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.buckets);
  }
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
  /// The middle of the bucket that contains this quantile; 0 if there are no times.
  [[nodiscard]] double quantile_seconds(double share) const {
    const auto target = share * static_cast<double>(count());
    std::uint64_t seen = 0;
    for (std::size_t at = 0; at < kBuckets; ++at) {
      seen += buckets[at];
      if (buckets[at] == 0 || static_cast<double>(seen) < target) continue;
      const double quarter = static_cast<double>(std::uint64_t{1} << (at / 4)) / 4;
      return 1e-9 * quarter * (static_cast<double>(4 + at % 4) + 0.5);
    }
    return 0;
  }
};

/// Counts the outcomes of a space's fetches in per-thread shards, so that threads share no cache
/// lines.
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

/// The threads that handle a node's messages.
enum class Service {
  /// A separate thread refreshes, sends invalidations and replies (ASPIRE's refresher); compute threads help while they
  /// wait and in progress().
  Background,
  Inline,  ///< compute threads do this while they wait and in progress()
  /// Several threads do this, and compute threads only send the requests that they wait for (ASPIRE §5.1). For networks
  /// whose messages take much processor time.
  Separate,
};

[[nodiscard]] constexpr std::string_view service_name(Service service) {
  switch (service) {
    case Service::Background:
      return "thread";
    case Service::Inline:
      return "inline";
    case Service::Separate:
      return "separate";
  }
  return "";
}

class Node;
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= kMaxValueBytes)
class Dsm;
template <class T>
class View;

/// An object as this node addresses it: below the number of local handles a local object, from
/// there on a registered remote object. Resolved once; access by handle needs no lookup.
using Handle = Id<struct HandleTag, std::uint32_t>;

/// The copy that a full cache evicts.
enum class Eviction {
  Lru,    ///< exactly the least recently read one
  Clock,  ///< approximately the least recently read one; reads take no lock
  Known,  ///< the one that the program reads last from now, in an order of reads that it has announced (Belady)
};

/// The program's next read of an object, at a position of its order of reads.
struct NextRead {
  Handle object;
  std::uint32_t position = 0;
};

/// Local and remote objects together are at most 2^32 - 1, the number of handles.
struct SpaceOptions {
  std::string name = "objects";
  std::uint32_t local_objects = 0;  ///< number of objects whose home is this node
  /// Limit of the remote objects that this node will ever use.
  std::uint32_t remote_objects = 1 << 20;
  /// Limit of the copies held; beyond it, `eviction` selects a copy to evict. 0: no limit.
  std::uint32_t cache_capacity = 0;
  Eviction eviction = Eviction::Lru;
  /// For Eviction::Known: number of positions of the order of reads, which repeats.
  std::uint32_t read_positions = 0;
  /// The home continues to send invalidations for an evicted copy, for engines that wait for
  /// changes. Then the object's state, except its value, is kept here and at its home.
  bool invalidate_evicted = false;
  /// The local objects are used only by other nodes, so handles begin with the copies. If objects
  /// are stored away from the node that computes them, that node has consecutive handles of its
  /// objects, whatever their homes.
  bool serves_only = false;
  std::optional<Policy> policy;  ///< default: the node's policy
  bool note_changes = false;     ///< record changed copies for take_changed
};
inline constexpr std::uint32_t kLeastCacheCapacity = 16;

struct SpaceStats {
  AccessCounts accesses;
  CacheCounts cache;
  DirectoryCounts directory;
  RefreshTimes refreshes;
  std::size_t bytes = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.accesses, self.cache, self.directory, self.refreshes, self.bytes);
  }
};

}  // namespace leeway
