// How a space's fetches went, counted by many threads without sharing cache lines.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "leeway/base/counter.h"
#include "leeway/protocol/cache.h"

namespace leeway {

/// The four outcomes of ASPIRE §4.1, and reads at the home, which need no protocol.
struct AccessCounts {
  std::uint64_t current_hits = 0;
  std::uint64_t stale_hits = 0;
  std::uint64_t stale_misses = 0;
  std::uint64_t cache_misses = 0;

  [[nodiscard]] std::uint64_t remote() const {
    return current_hits + stale_hits + stale_misses + cache_misses;
  }
  AccessCounts& operator+=(const AccessCounts& other) {
    current_hits += other.current_hits;
    stale_hits += other.stale_hits;
    stale_misses += other.stale_misses;
    cache_misses += other.cache_misses;
    return *this;
  }
};

class AccessCounters {
 public:
  void add(Access access, std::uint64_t times = 1) {
    Shard& shard = shards_[shard_index()];
    auto& count = shard.counts[static_cast<std::size_t>(access)];
    count.fetch_add(times, std::memory_order_relaxed);
  }

  [[nodiscard]] AccessCounts total() const {
    AccessCounts counts;
    for (const Shard& shard : shards_) {
      counts += {shard.counts[0].load(std::memory_order_relaxed),
                 shard.counts[1].load(std::memory_order_relaxed),
                 shard.counts[2].load(std::memory_order_relaxed),
                 shard.counts[3].load(std::memory_order_relaxed)};
    }
    return counts;
  }

 private:
  static constexpr std::size_t kShards = 16;
  struct alignas(64) Shard {
    std::array<std::atomic<std::uint64_t>, 4> counts{};
  };

  static std::size_t shard_index() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed) % kShards;
    return mine;
  }

  std::array<Shard, kShards> shards_;
};

}  // namespace leeway
