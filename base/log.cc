#include "base/log.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/format.h"

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

void log_line(LogLevel level, std::string_view message) {
  logger().log(to_spdlog(level), "{}", printable(message));
}

namespace {

std::mutex mutex;
Progress* watcher = nullptr;
int muted = 0;

bool shown() { return watcher != nullptr && muted == 0; }

}  // namespace

void set_watcher(Progress* progress) {
  const std::lock_guard lock(mutex);
  watcher = progress;
}

void mute_phases() {
  const std::lock_guard lock(mutex);
  ++muted;
}

void unmute_phases() {
  const std::lock_guard lock(mutex);
  --muted;
}

void show_phase(std::string phase, std::uint64_t total, std::string unit) {
  const std::lock_guard lock(mutex);
  if (shown()) watcher->start(std::move(phase), total, std::move(unit));
}

void show_done(std::uint64_t done) {
  const std::lock_guard lock(mutex);
  if (shown()) watcher->update(done);
}

ProgressStyle progress_style(std::FILE* stream, bool quiet) {
  if (quiet) return ProgressStyle::Silent;
  const char* terminal = std::getenv("TERM");
  const bool rewrites = terminal != nullptr && std::string_view(terminal) != "dumb";
  return rewrites && ::isatty(::fileno(stream)) == 1 ? ProgressStyle::Live : ProgressStyle::Plain;
}

namespace {

std::string rate(double per_second, bool bytes) {
  if (bytes) return format_bytes(per_second) + " a second";
  return per_second < 10
             ? format("{:.1f} a second", per_second)
             : format("{} a second", format_count(static_cast<std::uint64_t>(per_second)));
}

/// A time to two digits: "9 s", "12 min", "3 h".
std::string span(double seconds) {
  if (seconds < 100) return format("{:.0f} s", seconds);
  if (seconds < 6000) return format("{:.0f} min", seconds / 60);
  return format("{:.0f} h", seconds / 3600);
}

}  // namespace

Progress::Progress(ProgressStyle style, const Clock& clock, std::FILE* stream)
    : style_(style),
      clock_(clock),
      stream_(stream),
      started_(clock.now()),
      next_print_(started_ + (style == ProgressStyle::Live ? kLiveInterval : kPlainFirst)) {}

Progress::~Progress() {
  if (!printed_ || style_ != ProgressStyle::Live) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void Progress::start(std::string phase, std::uint64_t total, std::string unit) {
  const std::lock_guard lock(mutex_);
  phase_ = std::move(phase);
  total_ = total;
  unit_ = std::move(unit);
  started_ = clock_.now();
  done_.store(0, std::memory_order_relaxed);
  changed_.store(kUncounted, std::memory_order_relaxed);
}

void Progress::update(std::uint64_t done, std::uint64_t changed) {
  changed_.store(changed, std::memory_order_relaxed);
  update(done);
}

void Progress::update(std::uint64_t done) {
  done_.store(done, std::memory_order_relaxed);
  tick();
}

void Progress::add(std::uint64_t more) {
  done_.fetch_add(more, std::memory_order_relaxed);
  tick();
}

void Progress::tick() {
  if (style_ == ProgressStyle::Silent) return;
  const Instant now = clock_.now();
  const std::lock_guard lock(mutex_);
  if (now >= next_print_ && !phase_.empty()) print(now);
}

void Progress::print(Instant now) {
  const double elapsed = seconds(now - started_);
  std::string line = phase_ + ": ";
  if (unit_.empty()) {
    line += format("{:.1f} s", elapsed);
  } else {
    const std::uint64_t done = done_.load(std::memory_order_relaxed);
    const bool bytes = unit_ == "bytes";
    const auto amount = [&](double value) {
      return bytes ? format_bytes(value)
                   : format("{} {}", format_count(static_cast<std::uint64_t>(value)), unit_);
    };
    line += amount(static_cast<double>(done));
    if (total_ > 0) {
      line += format(" of {} ({:.0f} %)",
                     bytes ? format_bytes(static_cast<double>(total_)) : format_count(total_),
                     100.0 * static_cast<double>(done) / static_cast<double>(total_));
    }
    line += format(", {:.1f} s", elapsed);
    if (done > 0 && elapsed > 0) {
      const double speed = static_cast<double>(done) / elapsed;
      line += ", " + rate(speed, bytes);
      if (done < total_)
        line += format(", {} left", span(static_cast<double>(total_ - done) / speed));
    }
    const std::uint64_t changed = changed_.load(std::memory_order_relaxed);
    if (changed != kUncounted)
      line += format(", the last changed {} values of node 0", format_count(changed));
  }
  const bool live = style_ == ProgressStyle::Live;
  fmt::print(stream_, "{}{}{}", live ? "\r\x1b[K" : "", line, live ? "" : "\n");
  std::fflush(stream_);
  next_print_ = now + (live ? kLiveInterval : kPlainInterval);
  printed_ = true;
}

ProgressTicker::ProgressTicker(Progress& progress, ProgressStyle style) {
  if (style == ProgressStyle::Silent) return;
  thread_ = std::thread([this, &progress] {
    std::unique_lock lock(mutex_);
    while (!woken_.wait_for(lock, std::chrono::milliseconds(100), [this] { return ended_; })) {
      progress.tick();
    }
  });
}

ProgressTicker::~ProgressTicker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

}  // namespace leeway
