// What pieces will take a tick, from what they took: persistence, as the balancer of both systems has it.
// How long a memory tells most of what is to come depends on what moves, so several are kept and the one
// that has foretold best is believed. One worker's own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "leeway/runtime/piece/ids.h"

namespace leeway::piece {

class Forecast {
 public:
  /// Memories are judged by how well they foretell `ahead` ticks of a piece.
  Forecast(std::uint32_t pieces, std::uint32_t ahead) : ahead_(ahead), pieces_(pieces) {}

  /// `piece` took so long for so many ticks.
  void take(PieceId piece, std::uint64_t nanoseconds, std::uint32_t ticks);
  /// Nanoseconds a tick; 0 of a piece never heard of.
  [[nodiscard]] std::uint64_t rate(PieceId piece) const;
  [[nodiscard]] std::vector<std::uint64_t> rates() const;
  /// Half of what a worker's load may be mistaken by, in percent, if each has as many pieces: smaller
  /// differences are not worth moving anything for. From 2 to 15.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const;

 private:
  /// What is left of a tick's weight a tick later.
  static constexpr std::array kKept = {0.5, 0.75, 0.9, 0.97};
  struct Memory {
    double load = 0;
    double ticks = 0;
    [[nodiscard]] double rate() const { return ticks > 0 ? load / ticks : 0; }
  };
  struct Told {
    std::array<Memory, kKept.size()> memories;
    std::array<double, kKept.size()> foretold{};
    bool judged = false;
    double load = 0;  // since it was foretold
    double ticks = 0;
  };

  double ahead_;
  std::vector<Told> pieces_;
  std::array<double, kKept.size()> errors_{};  // squared, older ones counting less
  double judgements_ = 0;                      // as many, counting as much
  std::size_t best_ = 0;
};

}  // namespace leeway::piece
