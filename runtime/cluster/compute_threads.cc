#include "runtime/cluster/compute_threads.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "base/parallel.h"

namespace leeway {

struct ComputeThreads::Arena : TaskPool {
  using TaskPool::TaskPool;
};

ComputeThreads::ComputeThreads(unsigned threads)
    : count_(thread_count(threads)), arena_(std::make_unique<Arena>(count_)) {}

ComputeThreads::~ComputeThreads() = default;

void ComputeThreads::for_chunks(std::size_t size, std::size_t grain,
                                const std::function<void(std::size_t, std::size_t)>& body) {
  for_chunks(size, grain, [&](unsigned, std::size_t begin, std::size_t end) { body(begin, end); });
}

namespace {

/// One parallel loop. Chunks read what was written before it, and the caller reads what the chunks wrote. The pool
/// orders these accesses, but the thread sanitizer cannot see that inside oneTBB. The atomics repeat the ordering
/// where it can: a chunk checks `begun` first.
struct Loop {
  std::atomic<bool> begun{false};
  std::atomic<std::size_t> done{0};
  std::size_t size;
  std::size_t grain;
  const std::function<void(unsigned, std::size_t, std::size_t)>& body;

  static void take(void* loop, unsigned thread, std::size_t first, std::size_t end) {
    static_cast<Loop*>(loop)->run(thread, first, end);
  }
  void run(unsigned thread, std::size_t first, std::size_t end) {
    LEEWAY_CHECK(begun.load(std::memory_order_acquire));
    // mutant: chunks-that-are-no-multiples-of-a-word
    for (std::size_t chunk = first; chunk < end; ++chunk)
      body(thread, chunk * grain, std::min(size, (chunk + 1) * grain));
    done.fetch_add(end - first, std::memory_order_release);
  }
};

}  // namespace

void ComputeThreads::for_chunks(
    std::size_t size, std::size_t grain,
    const std::function<void(unsigned, std::size_t, std::size_t)>& body) {
  LEEWAY_CHECK(grain > 0u);
  // The pool halves its ranges anywhere, so it is given a range of chunks instead of a range of items.
  const std::size_t chunks = size / grain + (size % grain == 0 ? 0 : 1);
  Loop loop{.size = size, .grain = grain, .body = body};
  loop.begun.store(true, std::memory_order_release);
  arena_->run(chunks, &Loop::take, &loop);
  LEEWAY_CHECK(loop.done.load(std::memory_order_acquire) == chunks);
}

}  // namespace leeway
