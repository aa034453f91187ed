// Logging to standard error (one line for each message, warnings and errors by default; a message below the level is not
// formatted), and progress messages of long commands. Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"

namespace leeway {

enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "trace", "debug", "info", "warning", "error" or "off".
Result<LogLevel> parse_log_level(std::string_view name);
void set_log_level(LogLevel level);
[[nodiscard]] bool log_enabled(LogLevel level);
/// Writes `message` unformatted. Prefer the functions below.
void log_line(LogLevel level, std::string_view message);

template <class... Args>
void log(LogLevel level, fmt::format_string<Args...> text, Args&&... args) {
  if (log_enabled(level)) log_line(level, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void log_debug(fmt::format_string<Args...> text, Args&&... args) {
  log(LogLevel::Debug, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> text, Args&&... args) {
  log(LogLevel::Info, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  log(LogLevel::Warning, text, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> text, Args&&... args) {
  log(LogLevel::Error, text, std::forward<Args>(args)...);
}

// The current phase of this process, for code that has no Progress object at hand. Thread-safe; cheap enough for every tick
// or round, but not for every item.
class Progress;

/// Sets the Progress that the functions below report to; null: none. It must outlive their calls.
void set_watcher(Progress* progress);

/// Until as many calls of unmute_phases, the functions below do nothing: for quiet runs inside a command that shows its own
/// progress.
void mute_phases();
void unmute_phases();

/// Starts a new phase, like Progress::start.
void show_phase(std::string phase, std::uint64_t total = 0, std::string unit = {});
/// Reports the amount of the phase that is done.
void show_done(std::uint64_t done);

/// Live: one line that is rewritten. Plain: an occasional line. Silent: no output.
enum class ProgressStyle { Silent, Plain, Live };

/// Silent if quiet, Live if `stream` is a terminal that can rewrite a line, otherwise Plain.
[[nodiscard]] ProgressStyle progress_style(std::FILE* stream, bool quiet);

/// Shows the progress of a long command on standard error, in successive phases ("reading graph.txt"). Clears its line when
/// destroyed. Thread-safe; `update` and `add` are cheap enough to call every few thousand items. For work that cannot call
/// them, a ProgressTicker shows the elapsed time.
class Progress {
 public:
  Progress(ProgressStyle style, const Clock& clock, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Starts a new phase. A `total` of 0 means unknown: amounts are then shown without a percentage. `unit` is the unit of the
  /// amounts; without one only the elapsed time is shown.
  void start(std::string phase, std::uint64_t total = 0, std::string unit = {});
  /// The amount of this phase done so far.
  void update(std::uint64_t done);
  /// The same for iterations, with the number of values that the last one changed on this node.
  void update(std::uint64_t done, std::uint64_t changed);
  /// Adds to the amount done.
  void add(std::uint64_t more);
  /// Prints the line if its interval has passed.
  void tick();

 private:
  void print(Instant now);

  static constexpr Duration kLiveInterval = std::chrono::milliseconds(100);
  static constexpr Duration kPlainFirst = std::chrono::seconds(1);
  static constexpr Duration kPlainInterval = std::chrono::seconds(5);
  static constexpr std::uint64_t kUncounted = ~std::uint64_t{0};

  const ProgressStyle style_;
  const Clock& clock_;
  std::FILE* const stream_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> changed_{kUncounted};
  std::mutex mutex_;
  std::string phase_;
  std::uint64_t total_ = 0;
  std::string unit_;
  Instant started_;
  Instant next_print_;
  bool printed_ = false;
};

/// A thread that calls Progress::tick periodically, for work that cannot report progress. No thread is started for Silent.
class ProgressTicker {
 public:
  ProgressTicker(Progress& progress, ProgressStyle style);
  ~ProgressTicker();
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace leeway
