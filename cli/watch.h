// What a command shows on standard error while it works: one Progress, kept moving.
#pragma once

#include <cstdint>

#include "leeway/base/clock.h"
#include "leeway/base/phase.h"
#include "leeway/base/progress.h"
#include "leeway/cli/options.h"

namespace leeway::cli {

/// Shows its line until it goes; make one for the work alone, so that no result mixes with it.
class Watch {
 public:
  explicit Watch(const Options& options)
      : style_(progress_style(stderr, options.quiet)),
        progress_(style_, clock_),
        ticker_(progress_, style_) {
    set_watcher(&progress_);
  }
  ~Watch() { set_watcher(nullptr); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  [[nodiscard]] Progress* progress() { return &progress_; }

 private:
  SteadyClock clock_;
  ProgressStyle style_;
  Progress progress_;
  ProgressTicker ticker_;
};

/// `work()`, watched while it goes through so many ticks.
template <class Work>
auto watch_ticks(const Options& options, std::uint64_t ticks, Work&& work) {
  Watch watch(options);
  watch.progress()->start("computing", ticks, "ticks");
  return work();
}

}  // namespace leeway::cli
