#include <mutex>
#include <optional>

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "runtime/cluster/compute_threads.h"

namespace leeway {

namespace {

/// Sets TBB's limit of worker threads to the sum of what all pools of this process request. The limit may exceed the
/// number of cores. One common limit is necessary, because TBB applies the smallest of several.
class Limit {
 public:
  void more(unsigned threads) { change(static_cast<int>(threads)); }
  void fewer(unsigned threads) { change(-static_cast<int>(threads)); }

 private:
  void change(int by) {
    const std::lock_guard lock(mutex_);
    workers_ += by;
    limit_.reset();
    if (workers_ > 0) {
      limit_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(workers_) + 1);
    }
  }

  std::mutex mutex_;
  int workers_ = 0;
  std::optional<tbb::global_control> limit_;
};

Limit& limit() {
  static Limit one;
  return one;
}

}  // namespace

struct TaskPool::Arena {
  explicit Arena(unsigned threads) : workers(threads - 1), arena(static_cast<int>(threads)) {
    limit().more(workers);
  }
  ~Arena() { limit().fewer(workers); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  unsigned workers;
  tbb::task_arena arena;
};

TaskPool::TaskPool(unsigned threads) : arena_(std::make_unique<Arena>(threads)) {}

TaskPool::~TaskPool() = default;

void TaskPool::run(std::size_t tasks, Task task, void* loop) {
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, tasks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          const auto thread = static_cast<unsigned>(tbb::this_task_arena::current_thread_index());
          task(loop, thread, range.begin(), range.end());
        },
        tbb::simple_partitioner());
  });
}

}  // namespace leeway
