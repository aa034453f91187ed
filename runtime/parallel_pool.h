// The only door to oneTBB: tasks of a loop, dealt out to a fixed number of threads of which the caller is one. Built
// without the thread sanitizer's instruments: oneTBB's library has none either, and what its templates and it hand to
// each other would look like races. Who calls orders what is written before and after (runtime/parallel.cc).
#pragma once

#include <cstddef>
#include <memory>

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

}  // namespace leeway
