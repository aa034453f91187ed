#include "leeway/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <vector>

#include "leeway/base/nearest.h"

namespace leeway {

namespace {

struct LevelName {
  std::string_view name;
  LogLevel level;
  spdlog::level::level_enum spdlog_level;
};
constexpr std::array kLevels = {
    LevelName{"trace", LogLevel::Trace, spdlog::level::trace},
    LevelName{"debug", LogLevel::Debug, spdlog::level::debug},
    LevelName{"info", LogLevel::Info, spdlog::level::info},
    LevelName{"warning", LogLevel::Warning, spdlog::level::warn},
    LevelName{"error", LogLevel::Error, spdlog::level::err},
    LevelName{"off", LogLevel::Off, spdlog::level::off},
};

spdlog::level::level_enum to_spdlog(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].spdlog_level;
}

constexpr const char* kPattern = "%H:%M:%S.%e %l: %v";

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("leeway",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_level(spdlog::level::warn);
    made->set_pattern(kPattern);
    return made;
  }();
  return *instance;
}

}  // namespace

Result<LogLevel> parse_log_level(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& entry : kLevels) {
    if (entry.name == name) return entry.level;
    names.push_back(entry.name);
  }
  return fail(
      input_error("--log-level", format("unknown level '{}'", name), did_you_mean(name, names)));
}

void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

bool log_enabled(LogLevel level) { return logger().should_log(to_spdlog(level)); }

void set_log_prefix(std::string prefix) {
  logger().set_pattern(prefix.empty() ? kPattern : "%H:%M:%S.%e %l: " + prefix + ": %v");
}

void log_line(LogLevel level, std::string_view message) {
  logger().log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace leeway
