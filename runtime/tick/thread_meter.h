// The calling thread's processor time, told apart by what it was spent on. Where threads outnumber cores the
// system puts a thread aside at any moment, most often where it wakes another; the time that passes then
// says nothing of the code it passes in, the processor's time does. One thread's own.
#pragma once

#include <algorithm>

#include "leeway/base/clock.h"

namespace leeway::tick {

/// The processor time the calling thread has used.
class ThreadClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
};

class ThreadMeter {
 public:
  /// One that is off reads no clock and adds nothing. Reading is a call of the system, so a meter first finds
  /// out what it takes at least, and deducts that.
  explicit ThreadMeter(bool on);

  /// What was used since the last call of either was used on this.
  void add_to(Duration& sum) {
    if (!on_) return;
    const Instant now = clock_.now();
    sum += std::max(now - mark_ - reading_, Duration::zero());
    mark_ = now;
  }
  /// What was used since the last call of either does not count.
  void skip() {
    if (on_) mark_ = clock_.now();
  }

 private:
  bool on_;
  ThreadClock clock_;
  Duration reading_{};  // the least time from one reading to the next
  Instant mark_{};
};

}  // namespace leeway::tick
