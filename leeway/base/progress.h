// Tells a person how far a long command has come, on standard error: a live line on a terminal, an
// occasional plain line otherwise, nothing when quiet. Thread-safe; `update` is cheap enough to call
// every few thousand items.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

#include "leeway/base/clock.h"

namespace leeway {

enum class ProgressStyle { Silent, Plain, Live };

/// Live if `stream` is a terminal that can rewrite a line, Plain if not, Silent if quiet.
[[nodiscard]] ProgressStyle progress_style(std::FILE* stream, bool quiet);

/// One phase of work ("reading graph.txt"). Ends its line when destroyed.
class Progress {
 public:
  /// `total` of 0 means unknown: the amount is shown without a share. `unit` follows the amounts.
  Progress(std::string phase, std::uint64_t total, std::string unit, ProgressStyle style,
           const Clock& clock, std::FILE* stream = stderr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// The amount done so far (not an increment); may go with a few words of detail.
  void update(std::uint64_t done, const std::string& detail = {});

 private:
  void print(Instant now, const std::string& detail);

  static constexpr Duration kLiveInterval = std::chrono::milliseconds(100);
  static constexpr Duration kPlainInterval = std::chrono::seconds(5);

  const std::string phase_;
  const std::uint64_t total_;
  const std::string unit_;
  const ProgressStyle style_;
  const Clock& clock_;
  std::FILE* const stream_;
  const Instant started_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  Instant last_print_;
  bool printed_ = false;
};

}  // namespace leeway
