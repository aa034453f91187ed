// Compute threads for parallel loops: TaskPool is the only use of oneTBB, ComputeThreads runs loops on it, and
// LoopLength decides whether a loop is long enough for several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/clock.h"

namespace leeway {

/// A fixed number of threads, the caller included, that run the tasks of one loop. task_pool.cc is built without the
/// thread sanitizer, because oneTBB's library is not instrumented either: accesses between its templates and the
/// library would be reported as races. ComputeThreads orders the accesses before and after a loop
/// (compute_threads.cc).
class TaskPool {
 public:
  explicit TaskPool(unsigned threads);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  using Task = void (*)(void* loop, unsigned thread, std::size_t first, std::size_t end);

  /// Calls `task(loop, thread, first, end)` until [0, tasks) is covered once; returns when all calls have returned.
  /// No two calls that run at the same time have the same `thread`.
  void run(std::size_t tasks, Task task, void* loop);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

/// A pool of a fixed number of threads that run the iterations of one loop; the caller is one of them. Loop bodies
/// may fetch and block. One pool for each node. `for_chunks` may be called by one thread at a time.
class ComputeThreads {
 public:
  /// `threads` = 0: one for each core that this process may use.
  explicit ComputeThreads(unsigned threads);
  ~ComputeThreads();
  ComputeThreads(const ComputeThreads&) = delete;
  ComputeThreads& operator=(const ComputeThreads&) = delete;

  [[nodiscard]] unsigned count() const { return count_; }

  /// Chunk size for a loop over `size` vertices: several chunks for each thread, so that no thread waits long for the
  /// last one; not so small that the cost of starting a chunk matters; a multiple of 64, because one thread must own
  /// each word of a bit set.
  [[nodiscard]] std::size_t grain(std::size_t size) const {
    constexpr std::size_t kEach = 8, kUnit = 64, kMost = 4096;
    return std::clamp(size / (kEach * count_) / kUnit * kUnit, kUnit, kMost);
  }

  /// Calls `body(begin, end)` on all threads until [0, size) is covered once; returns when all calls have returned.
  /// Every chunk begins at a multiple of `grain`; all but the last have this size.
  void for_chunks(std::size_t size, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);
  /// The same, with the number of the thread, below `count()`. No two calls that run at the same time have the same
  /// number.
  void for_chunks(
      std::size_t size, std::size_t grain,
      const std::function<void(unsigned thread, std::size_t begin, std::size_t end)>& body);

 private:
  struct Arena;
  unsigned count_;
  std::unique_ptr<Arena> arena_;
};

/// Decides whether a loop is long enough for several threads, from the time that its items took before. One object
/// per loop.
class LoopLength {
 public:
  /// `guess`: estimated time of an item on one thread, used until the loop has run once.
  LoopLength(unsigned threads, Duration guess)
      : threads_(threads), item_ns_(static_cast<double>(guess.count())) {}

  [[nodiscard]] bool worth_threads(std::size_t items) const {
    constexpr double kLeastNs = 50'000;  // starting the threads must cost little in comparison
    return threads_ > 1 && static_cast<double>(items) * item_ns_ > kLeastNs;
  }
  /// Records that `items` took `time`, on all threads or on one.
  void took(std::size_t items, Duration time, bool on_threads) {
    if (items == 0) return;
    const double one = static_cast<double>(time.count()) * (on_threads ? threads_ : 1) /
                       static_cast<double>(items);
    item_ns_ = known_ ? (item_ns_ + one) / 2 : one;
    known_ = true;
  }

 private:
  unsigned threads_;
  double item_ns_;  // estimated time of an item on one thread
  bool known_ = false;
};

}  // namespace leeway
