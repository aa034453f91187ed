// What a command shows on standard error while it works: one Progress, kept moving.
#pragma once

#include "leeway/base/clock.h"
#include "leeway/base/progress.h"
#include "leeway/cli/options.h"

namespace leeway::cli {

/// Shows its line until it goes; make one for the work alone, so that no result mixes with it.
class Watch {
 public:
  explicit Watch(const Options& options)
      : style_(progress_style(stderr, options.quiet)),
        progress_(style_, clock_),
        ticker_(progress_, style_) {}
  [[nodiscard]] Progress* progress() { return &progress_; }

 private:
  SteadyClock clock_;
  ProgressStyle style_;
  Progress progress_;
  ProgressTicker ticker_;
};

}  // namespace leeway::cli
