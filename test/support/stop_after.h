// A flag for runs that are stopped from another thread after a while.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "base/parallel.h"

namespace leeway::testing {

class StopAfter {
 public:
  explicit StopAfter(std::chrono::milliseconds time)
      : thread_([this, time] {
          std::this_thread::sleep_for(time);
          flag_ = true;
        }) {}
  [[nodiscard]] StopFlag flag() const { return &flag_; }

 private:
  std::atomic<bool> flag_ = false;
  std::jthread thread_;
};

}  // namespace leeway::testing
