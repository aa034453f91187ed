// What a command shows on standard error while it works: one Progress, kept moving.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/options.h"
#include "leeway/result.h"
#include "transport/fabric.h"

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

// What ends the command from outside: SIGINT, SIGTERM and SIGHUP.

/// From now on a signal that asks the process to end removes unfinished files, says so in one line on standard
/// error and exits with 128 and the signal's number. Under mpiexec only rank 0 prints the line. A process of `leeway launch`
/// prints nothing and dies by the signal itself, because the launcher prints the reason. Signals that are ignored already
/// (nohup) stay ignored. Call it once, before any
/// other thread runs.
void handle_end_signals();

// Whether all processes of a job were told the same: where a program, a setting or a graph differs, they would wait for
// each other for ever, or compute half of one thing and half of another.

/// Collective, before anything else is done together. Where they differ, an Input error at every process, told by the
/// first that differs from the first process.
Status agree_on_what_was_said(const Invocation& invocation, Job& job);

}  // namespace leeway::cli
