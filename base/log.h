// Logging for the whole project: quiet by default, on standard error, one line a message. Thread-safe.
// Formatting is skipped when the level is off.
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
#include "leeway/result.h"

namespace leeway {

enum class LogLevel { Trace, Debug, Info, Warning, Error, Off };

/// "trace", "debug", "info", "warning", "error" or "off".
Result<LogLevel> parse_log_level(std::string_view name);
void set_log_level(LogLevel level);
[[nodiscard]] bool log_enabled(LogLevel level);
/// Who speaks, e.g. "node 3"; stands before every later message of this process.
void set_log_prefix(std::string prefix);
/// Writes `message` as it is. Prefer the functions below.
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

// What this process is at, told to whoever watches it, if anybody does: for work so deep that nobody hands it a
// Progress. Thread-safe; cheap enough for every tick and round, not for every item.
class Progress;

/// Whom the functions below tell from now on; null: nobody. It outlives their calls.
void set_watcher(Progress* progress);

/// A new phase of work, as Progress::start.
void show_phase(std::string phase, std::uint64_t total = 0, std::string unit = {});
/// How much of it is done.
void show_done(std::uint64_t done);

// Tells a person how far a long command has come, on standard error: a live line on a terminal, an
// occasional plain line otherwise, nothing when quiet. Thread-safe; `update` and `add` are cheap enough
// to call every few thousand items. Work that cannot report within is shown by a ProgressTicker.
enum class ProgressStyle { Silent, Plain, Live };

/// Live if `stream` is a terminal that can rewrite a line, Plain if not, Silent if quiet.
[[nodiscard]] ProgressStyle progress_style(std::FILE* stream, bool quiet);

/// One phase of work after the other ("reading graph.txt"). Clears its line when destroyed.
class Progress {
 public:
  Progress(ProgressStyle style, const Clock& clock, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A new phase. `total` of 0 means unknown: the amount is shown without a share. `unit` follows the
  /// amounts; without one the time that has passed is shown alone.
  void start(std::string phase, std::uint64_t total = 0, std::string unit = {});
  /// The amount of this phase done so far.
  void update(std::uint64_t done);
  /// So much more is done.
  void add(std::uint64_t more);
  /// Shows the line if it is due.
  void tick();

 private:
  void print(Instant now);

  static constexpr Duration kLiveInterval = std::chrono::milliseconds(100);
  static constexpr Duration kPlainFirst = std::chrono::seconds(1);
  static constexpr Duration kPlainInterval = std::chrono::seconds(5);

  const ProgressStyle style_;
  const Clock& clock_;
  std::FILE* const stream_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::string phase_;
  std::uint64_t total_ = 0;
  std::string unit_;
  Instant started_;
  Instant next_print_;
  bool printed_ = false;
};

/// Keeps a Progress moving from a thread of its own while the work cannot; none runs for a silent one.
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
