#include "leeway/base/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "leeway/base/format.h"

namespace leeway {

ProgressStyle progress_style(std::FILE* stream, bool quiet) {
  if (quiet) return ProgressStyle::Silent;
  const char* terminal = std::getenv("TERM");
  const bool rewrites = terminal != nullptr && std::string_view(terminal) != "dumb";
  return rewrites && ::isatty(::fileno(stream)) == 1 ? ProgressStyle::Live : ProgressStyle::Plain;
}

Progress::Progress(std::string phase, std::uint64_t total, std::string unit, ProgressStyle style,
                   const Clock& clock, std::FILE* stream)
    : phase_(std::move(phase)),
      total_(total),
      unit_(std::move(unit)),
      style_(style),
      clock_(clock),
      stream_(stream),
      started_(clock.now()),
      last_print_(started_) {}

Progress::~Progress() {
  if (printed_ && style_ == ProgressStyle::Live) std::fputs("\r\x1b[K", stream_);
}

void Progress::update(std::uint64_t done, const std::string& detail) {
  if (style_ == ProgressStyle::Silent) return;
  const Instant now = clock_.now();
  const std::lock_guard lock(mutex_);
  done_ = done;
  if (now - last_print_ < (style_ == ProgressStyle::Live ? kLiveInterval : kPlainInterval)) return;
  print(now, detail);
}

void Progress::print(Instant now, const std::string& detail) {
  const double elapsed = seconds(now - started_);
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0.0;
  std::string line = format("{}: {} {}", phase_, format_count(done_), unit_);
  if (total_ > 0) {
    line += format(" of {} ({:.0f} %)", format_count(total_),
                   100.0 * static_cast<double>(done_) / static_cast<double>(total_));
  }
  line += format(", {:.3g} {}/s", rate, unit_);
  if (!detail.empty()) line += ", " + detail;
  const bool live = style_ == ProgressStyle::Live;
  fmt::print(stream_, "{}{}{}", live ? "\r\x1b[K" : "", line, live ? "" : "\n");
  std::fflush(stream_);
  last_print_ = now;
  printed_ = true;
}

}  // namespace leeway
