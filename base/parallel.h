// How whoever started a run ends it early, from another thread: a flag that the run's engines look at between
// rounds or ticks. It outlives the run; null: nobody can.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

#include "leeway/result.h"

namespace leeway {

using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_set(StopFlag flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Of runs that give nothing when they are stopped.
[[nodiscard]] inline Error stopped_error() {
  return environment_error("run", "it was stopped before its end", "start it again");
}

// A mutex for sections of a microsecond or so that many threads enter: who finds it taken looks again for about as
// long as such a section takes, and only then goes to sleep, which costs several times that.
class SpinMutex {
 public:
  void lock() {
    for (int look = 0; look < kLooks; ++look) {
      if (!taken_.load(std::memory_order_relaxed) && try_lock()) return;
      pause();
    }
    mutex_.lock();
    taken_.store(true, std::memory_order_relaxed);
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    taken_.store(true, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    taken_.store(false, std::memory_order_relaxed);
    mutex_.unlock();
  }

 private:
  static constexpr int kLooks = 100;
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  std::mutex mutex_;
  std::atomic<bool> taken_{false};  // a hint: to look at it disturbs nobody
};

// A sum in four strands, added up at the end. A single strand costs a long list most of its time, because
// each addition waits for the last. The order is fixed, so the result is the same each time.
class StrandSum {
 public:
  /// In a loop unrolled by four the strands cost no moves.
  void add(double term) {
    const double grown = a_ + term;
    a_ = b_;
    b_ = c_;
    c_ = d_;
    d_ = grown;
  }
  [[nodiscard]] double total() const { return (a_ + b_) + (c_ + d_); }

 private:
  double a_ = 0;
  double b_ = 0;
  double c_ = 0;
  double d_ = 0;
};

// Fork-join over an index range with plain threads, for loading and generating. The split depends on
// `threads`, so work that must not differ by thread count keys its random numbers by index.

/// `requested`, or the cores this process may use when 0.
[[nodiscard]] unsigned thread_count(unsigned requested);

/// Calls `work(chunk, begin, end)` for `threads` contiguous chunks of [0, count), each on a thread of
/// its own (the caller's among them); returns when all are done. Chunks may be empty.
void parallel_chunks(
    std::size_t count, unsigned threads,
    const std::function<void(unsigned chunk, std::size_t begin, std::size_t end)>& work);

}  // namespace leeway
