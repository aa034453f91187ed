#include "leeway/runtime/parallel.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "leeway/base/check.h"
#include "leeway/base/parallel.h"

namespace leeway {

struct ComputeThreads::Arena {
  explicit Arena(unsigned threads)
      : limit(tbb::global_control::max_allowed_parallelism, threads),
        arena(static_cast<int>(threads)) {}

  tbb::global_control limit;  // more threads than cores are allowed when asked for
  tbb::task_arena arena;
};

ComputeThreads::ComputeThreads(unsigned threads)
    : count_(thread_count(threads)), arena_(std::make_unique<Arena>(count_)) {}

ComputeThreads::~ComputeThreads() = default;

void ComputeThreads::for_chunks(std::size_t size, std::size_t grain,
                                const std::function<void(std::size_t, std::size_t)>& body) {
  LEEWAY_CHECK(grain > 0u);
  // TBB halves its ranges, so what it is given are numbers of chunks: places would be cut anywhere.
  const std::size_t chunks = size / grain + (size % grain == 0 ? 0 : 1);
  arena_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, chunks, 1),
        [&](const tbb::blocked_range<std::size_t>& range) {
          for (std::size_t chunk = range.begin(); chunk < range.end(); ++chunk)
            body(chunk * grain, std::min(size, (chunk + 1) * grain));
        },
        tbb::simple_partitioner());
  });
}

}  // namespace leeway
