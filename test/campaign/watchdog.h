// Handles runs that hang and runs that end the process: prints the seed, and how to repeat the run.
#pragma once

#include <string>

namespace leeway::campaign {

/// One per process. Ends the process with exit code 1 when a run exceeds its patience while it had
/// the processor for half of that time, or exceeds ten times its patience.
class Watchdog {
 public:
  explicit Watchdog(unsigned patience_seconds = 60);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A run with this description begins; the previous one has ended.
  void begin(const std::string& described, const std::string& repeat_command);
};

}  // namespace leeway::campaign
