// Rest for a wire that cannot say when something arrives: look again and again, give way, then sleep for a
// fraction of how long nothing has happened. An arrival is late by at most that fraction, and a long wait
// costs next to nothing. `interrupt` may be called by any thread.
#pragma once

#include "leeway/base/clock.h"

namespace leeway {

/// A file descriptor that can be rung and waited for.
class Doorbell {
 public:
  Doorbell();
  ~Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

  /// Any thread, and signal handlers.
  void ring() const;
  /// Forgets the rings so far.
  void answer() const;
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Blocks until rung, until `other` (if not negative) is readable, or so long. Answers the bell.
  void wait(Duration most, int other = -1) const;

 private:
  int descriptor_;
};

class Backoff {
 public:
  /// `crowded`: others need the processor more than we need to be early.
  void rest(Duration idle, Duration most, bool crowded) const;
  void interrupt() const { bell_.ring(); }

 private:
  Doorbell bell_;
};

}  // namespace leeway
