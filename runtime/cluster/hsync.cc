#include "runtime/cluster/hsync.h"

#include <algorithm>
#include <utility>

namespace leeway {

namespace {

constexpr std::uint32_t kFirstLength = 4;
constexpr std::uint32_t kMostLength = 64;

}  // namespace

bool HsyncChoice::better_apart(const HsyncPeriod& step) const {
  if (step.seconds <= 0) return false;
  const double in_step = step.updates / step.seconds;
  if (memory_.sampled) return memory_.apart_rate / ratio_ > in_step;
  return step.busy_seconds > 0 && step.updates / step.busy_seconds / ratio_ > in_step;
}

Together HsyncChoice::ended(const HsyncPeriod& period) {
  if (period.together == Together::Async) {
    memory_.sampled = period.seconds > 0;
    memory_.apart_rate = memory_.sampled ? period.updates / period.seconds : 0;
    memory_.first_step = true;
    return Together::Sync;
  }
  const bool first_step = std::exchange(memory_.first_step, false);
  if (memory_.steps_left > 1) {
    --memory_.steps_left;
    return Together::Sync;
  }
  const bool sampled = memory_.sampled;
  if (better_apart(period)) {
    memory_.apart_length =
        sampled && first_step ? std::min(2 * memory_.apart_length, kMostLength) : kFirstLength;
    if (sampled) memory_.step_length = 1;
    memory_.steps_left = 0;
    return Together::Async;
  }
  if (sampled) memory_.step_length = std::min(2 * memory_.step_length, kMostLength);
  memory_.steps_left = memory_.step_length;
  memory_.sampled = false;  // outdated at the next comparison
  return Together::Sync;
}

}  // namespace leeway
