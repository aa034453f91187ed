#include "base/clock.h"

namespace leeway {

Instant SteadyClock::now() const {
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return Instant(std::chrono::duration_cast<Duration>(since_boot));
}

}  // namespace leeway
