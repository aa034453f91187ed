// For runs that never come back, and for those that end the process: either way the seed is said, and how to
// repeat it.
#pragma once

#include <string>

namespace leeway::campaign {

/// One per process. Ends it with code 1 when a run takes longer than its patience of which it had the processor for half,
/// or than ten times that.
class Watchdog {
 public:
  explicit Watchdog(unsigned patience_seconds = 60);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A run of what is described begins, and the one before has ended.
  void begin(const std::string& described, const std::string& repeat_command);
};

}  // namespace leeway::campaign
