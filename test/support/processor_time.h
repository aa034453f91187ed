// Processor time of this process, for tests that waiting uses none.
#pragma once

#include <sys/resource.h>

namespace leeway::testing {

/// User and system time of all threads so far.
inline double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace leeway::testing
