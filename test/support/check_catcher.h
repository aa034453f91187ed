// Turns a failed LEEWAY_CHECK into an exception during its lifetime, so that a test can expect one.
#pragma once

#include <stdexcept>
#include <string>

#include "base/check.h"

namespace leeway::testing {

struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class CheckCatcher {
 public:
  CheckCatcher()
      : previous_(set_check_handler([](const std::string& report) { throw CheckFailed(report); })) {
  }
  ~CheckCatcher() { set_check_handler(previous_); }
  CheckCatcher(const CheckCatcher&) = delete;
  CheckCatcher& operator=(const CheckCatcher&) = delete;

 private:
  CheckHandler previous_;
};

}  // namespace leeway::testing
