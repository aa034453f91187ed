// Threads: the flag that stops a run, a mutex for short critical sections, a fast reproducible sum, and a fork-join loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>

#include "base/result.h"

namespace leeway {

/// A flag by which another thread stops a run; the engines check it between rounds or ticks. It must outlive the run. Null:
/// the run cannot be stopped.
using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_set(StopFlag flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// The error of a stopped run that has no partial result.
[[nodiscard]] inline Error stopped_error() {
  return environment_error("run", "it was stopped before its end", "start it again");
}

/// A mutex for critical sections of about a microsecond that many threads enter. A thread that finds it locked spins for
/// about the length of such a section before it sleeps, because sleeping costs several times as much.
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
  std::atomic<bool> taken_{
      false};  // a hint: reading it does not disturb the thread that holds the lock
};

/// A sum with four partial sums, which are added at the end. With a single sum each addition would wait for the previous
/// one. The order of additions is fixed, so the result is reproducible.
template <class Real>
class StrandSum {
 public:
  /// The partial sums rotate; in a loop unrolled by four this needs no moves.
  void add(Real term) {
    const Real grown = a_ + term;
    a_ = b_;
    b_ = c_;
    c_ = d_;
    d_ = grown;
  }
  [[nodiscard]] Real total() const { return (a_ + b_) + (c_ + d_); }

 private:
  Real a_ = 0;
  Real b_ = 0;
  Real c_ = 0;
  Real d_ = 0;
};

/// The sum of the numbers, added in their order.
[[nodiscard]] inline double sum_of(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// `requested`, or, if it is 0, the number of cores that this process may use.
[[nodiscard]] unsigned thread_count(unsigned requested);

/// Calls `work(chunk, begin, end)` for `threads` contiguous chunks of [0, count), each on a separate thread (one of them the
/// calling thread), and returns when all are done. Chunks may be empty. The chunks depend on `threads`: for results that do
/// not depend on the thread count, derive random numbers from the index.
void parallel_chunks(
    std::size_t count, unsigned threads,
    const std::function<void(unsigned chunk, std::size_t begin, std::size_t end)>& work);

}  // namespace leeway
