// Logging for the whole project: quiet by default, on standard error, one line a message. Thread-safe.
// Formatting is skipped when the level is off.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/result.h"

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

}  // namespace leeway
