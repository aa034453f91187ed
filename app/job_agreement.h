// The process around a command: its progress line, its signals, and the check that all processes of a job have the same
// settings.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/options.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "transport/fabric.h"

namespace leeway::app {

/// Shows one progress line on standard error until it is destroyed. Destroy it before results are printed.
class Watch {
 public:
  explicit Watch(const CommandOptions& options)
      : style_(progress_style(stderr, options.quiet)),
        progress_(style_, clock_),
        ticker_(progress_, style_) {
    if (silent()) {
      mute_phases();
    } else {
      set_watcher(&progress_);
    }
  }
  ~Watch() {
    if (silent()) {
      unmute_phases();
    } else {
      set_watcher(nullptr);
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  [[nodiscard]] Progress* progress() { return &progress_; }

 private:
  [[nodiscard]] bool silent() const { return style_ == ProgressStyle::Silent; }

  SteadyClock clock_;
  ProgressStyle style_;
  Progress progress_;
  ProgressTicker ticker_;
};

/// Calls `work` and shows progress over `ticks` ticks.
template <class Work>
auto watch_ticks(const CommandOptions& options, std::uint64_t ticks, Work&& work) {
  Watch watch(options);
  watch.progress()->start("computing", ticks, "ticks");
  return work();
}

/// The processes that a launcher started with this one, by its environment variables.
struct Started {
  unsigned long processes = 1;
  unsigned long self = 0;
};
[[nodiscard]] Started started_by_launcher();
/// Warns, in the first process, if a launcher started several processes of a command that runs in one: each then does
/// all the work, and all may write the same files.
void warn_of_others(std::string_view what);

/// Installs handlers for SIGINT, SIGTERM, SIGHUP and SIGQUIT. A handler removes unfinished files, prints one line on standard
/// error and exits with 128 plus the signal's number. Under mpiexec only rank 0 prints. A process of `leeway launch`
/// prints nothing and dies by the signal, because the launcher prints the reason. Signals that are ignored already
/// (nohup) stay ignored. Call once, before other threads start.
void handle_end_signals();

/// In a run of one process, the signals that a job of processes answers print one line and do not end it; SIGUSR1 is
/// left alone if the run takes snapshots.
void answer_job_signals(bool takes_snapshots);

/// Compares program, settings and graph of all processes; if they differ, processes could block for ever or compute
/// parts of different problems. Collective, before any other collective call. On a difference, every process returns
/// the Input error of the lowest rank that differs from rank 0.
Status agree_on_settings(std::string_view program, const CommandOptions& options, Job& job);

/// The failure of any process, on all; `job` may be null. Collective.
Status agree_in_job(Job* job, Status mine);
template <class T>
Result<T> agree_in_job(Job* job, Result<T> mine) {
  LEEWAY_TRY(agree_in_job(job, mine ? Status{} : fail(mine.error())));
  return mine;
}

}  // namespace leeway::app
