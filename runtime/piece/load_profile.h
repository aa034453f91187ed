// What the coordinating worker has been told of load behind barriers: what each piece takes a tick, older
// measurements counting ever less. One worker's own.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "leeway/runtime/piece/forecast.h"
#include "leeway/runtime/piece/ids.h"

namespace leeway::piece {

/// What a piece took of one worker, and for how many ticks.
struct PieceLoad {
  std::uint64_t nanoseconds = 0;
  std::uint32_t ticks = 0;
};

class LoadProfile {
 public:
  using Loads = std::span<const std::pair<PieceId, PieceLoad>>;

  explicit LoadProfile(std::uint32_t pieces) : pieces_(pieces), forecast_(pieces, kAhead) {}

  /// A worker is through with the ticks of `round` in `count` pieces; `loads` is what it worked on.
  void take(std::uint32_t round, std::uint32_t count, Loads loads);
  /// Whether all pieces have been heard of in `round`.
  [[nodiscard]] bool complete(std::uint32_t round) const;

  /// Nanoseconds that each piece takes a tick.
  [[nodiscard]] std::vector<std::uint64_t> rates() const { return forecast_.rates(); }
  /// What differences are not worth moving anything for.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const {
    return forecast_.slack_percent(workers);
  }

 private:
  static constexpr std::uint32_t kAhead = 4;  // a map holds about as long

  std::uint32_t pieces_;
  Forecast forecast_;
  std::map<std::uint32_t, std::uint32_t> heard_;  // pieces, by round
};

}  // namespace leeway::piece
