#include "leeway/runtime/tick/thread_meter.h"

#include <ctime>

namespace leeway::tick {

Instant ThreadClock::now() const {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return Instant(std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec));
}

ThreadMeter::ThreadMeter(bool on) : on_(on) {
  if (!on) return;
  constexpr int kReadings = 100;
  reading_ = Duration::max();
  for (int i = 0; i < kReadings; ++i) {
    const Instant first = clock_.now();
    reading_ = std::min(reading_, clock_.now() - first);
  }
}

}  // namespace leeway::tick
