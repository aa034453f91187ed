// Time: instants on a timeline, which may be the machine's or a virtual one, and clocks. Only implementations of Clock read
// the time from the operating system.
#pragma once

#include <atomic>
#include <chrono>

namespace leeway {

using Duration = std::chrono::nanoseconds;

/// A point on one run's timeline; the zero point is the start of that timeline.
struct Timeline {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<Timeline, Duration>;
  static constexpr bool is_steady = true;
};
using Instant = Timeline::time_point;

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

/// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    return Instant(std::chrono::duration_cast<Duration>(since_boot));
  }
};

/// A clock that advances only by `advance`: for tests and for code driven by recorded time. Thread-safe.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return Instant(Duration(now_ns_.load())); }
  void advance(Duration step) { now_ns_ += step.count(); }

 private:
  std::atomic<Duration::rep> now_ns_{0};
};

[[nodiscard]] constexpr double seconds(Duration duration) {
  return static_cast<double>(duration.count()) * 1e-9;
}

/// Time of the machine's monotonic clock since construction.
class Stopwatch {
 public:
  [[nodiscard]] Duration elapsed() const { return clock_.now() - begin_; }
  [[nodiscard]] double elapsed_seconds() const { return seconds(elapsed()); }

 private:
  SteadyClock clock_;
  Instant begin_ = clock_.now();
};

}  // namespace leeway
