// The only door to oneTBB: tasks of a loop, dealt out to a fixed number of threads of which the caller is one. Built
// without the thread sanitizer's instruments: oneTBB's library has none either, and what its templates and it hand to
// each other would look like races. Who calls orders what is written before and after (runtime/parallel.cc).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "base/clock.h"

namespace leeway {

class TaskPool {
 public:
  explicit TaskPool(unsigned threads);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  using Task = void (*)(void* loop, unsigned thread, std::size_t first, std::size_t end);

  /// Calls `task(loop, thread, first, end)` until [0, tasks) is covered once; returns when all have returned. No two
  /// calls that run at one time have one number of a thread.
  void run(std::size_t tasks, Task task, void* loop);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

// Compute threads: the only door to oneTBB. A pool of a fixed number of threads that run the iterations
// of one loop; the caller is one of them. Bodies may fetch and block.

/// One pool a node. `for_chunks` is called by one thread at a time.
class ComputeThreads {
 public:
  /// `threads` of 0: as many as this process may use cores.
  explicit ComputeThreads(unsigned threads);
  ~ComputeThreads();
  ComputeThreads(const ComputeThreads&) = delete;
  ComputeThreads& operator=(const ComputeThreads&) = delete;

  [[nodiscard]] unsigned count() const { return count_; }

  /// How long the chunks of `size` vertices should be: several for every thread, so that none waits long for
  /// the last; not so short that setting one up shows; a multiple of 64, for a bit set's words have one
  /// thread each.
  [[nodiscard]] std::size_t grain(std::size_t size) const {
    constexpr std::size_t kEach = 8, kUnit = 64, kMost = 4096;
    return std::clamp(size / (kEach * count_) / kUnit * kUnit, kUnit, kMost);
  }

  /// Calls `body(begin, end)` until [0, size) is covered once, on all threads; returns when all have
  /// returned. Every chunk begins at a multiple of `grain` and is as long, but for the last.
  void for_chunks(std::size_t size, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);
  /// Likewise, saying which of `count()` threads it is: no two that run at one time have one number.
  void for_chunks(
      std::size_t size, std::size_t grain,
      const std::function<void(unsigned thread, std::size_t begin, std::size_t end)>& body);

 private:
  struct Arena;
  unsigned count_;
  std::unique_ptr<Arena> arena_;
};

/// Whether a loop is long enough for several threads, from what its items took before. One loop's.
class LoopLength {
 public:
  /// `guess`: what an item takes one thread, until one has been run.
  LoopLength(unsigned threads, Duration guess)
      : threads_(threads), item_ns_(static_cast<double>(guess.count())) {}

  [[nodiscard]] bool worth_threads(std::size_t items) const {
    constexpr double kLeastNs = 50'000;  // what starting the threads takes must not show
    return threads_ > 1 && static_cast<double>(items) * item_ns_ > kLeastNs;
  }
  /// So many items took so long, on all threads or on one.
  void took(std::size_t items, Duration time, bool on_threads) {
    if (items == 0) return;
    const double one = static_cast<double>(time.count()) * (on_threads ? threads_ : 1) /
                       static_cast<double>(items);
    item_ns_ = known_ ? (item_ns_ + one) / 2 : one;
    known_ = true;
  }

 private:
  unsigned threads_;
  double item_ns_;  // about what one takes one thread
  bool known_ = false;
};

}  // namespace leeway
