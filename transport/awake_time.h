// Time as whoever judges others' silence may count it. A judge that was itself stopped (Ctrl-Z, a debugger, a
// machine too busy to run it) has not heard anybody meanwhile, and that is not their fault: of the time between
// two looks at most one step counts. Not thread-safe; look at least once a step.
#pragma once

#include <algorithm>

#include "leeway/base/clock.h"

namespace leeway {

class AwakeTime {
 public:
  AwakeTime(Instant now, Duration longest_step) : seen_(now), now_(now), longest_(longest_step) {}

  /// The step for who judges by `verdict`; who looks every eighth of it loses nothing of a healthy wait.
  [[nodiscard]] static Duration step_for(Duration verdict) {
    return std::max<Duration>(verdict / 4, std::chrono::milliseconds(20));
  }

  /// Takes notice of the clock; gives how much of the time since the last look counts.
  Duration look(Instant clock) {
    const Duration counts = std::clamp(clock - seen_, Duration::zero(), longest_);
    seen_ = clock;
    now_ += counts;
    return counts;
  }
  /// As of the last look.
  [[nodiscard]] Instant now() const { return now_; }

 private:
  Instant seen_;
  Instant now_;
  Duration longest_;
};

}  // namespace leeway
