// How whoever started a run ends it early, from another thread: a flag that the run's engines look at between
// rounds or ticks. It outlives the run; null: nobody can.
#pragma once

#include <atomic>

#include "leeway/base/error.h"

namespace leeway {

using StopFlag = const std::atomic<bool>*;

[[nodiscard]] inline bool is_set(StopFlag flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Of runs that give nothing when they are stopped.
[[nodiscard]] inline Error stopped_error() {
  return environment_error("run", "it was stopped before its end", "start it again");
}

}  // namespace leeway
