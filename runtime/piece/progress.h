// What the coordinating worker is told where load moves without barriers: how far each piece has come and
// what its ticks took. From that follows who would come last to a tick somewhat beyond the first worker's,
// and which pieces it is to hand to whom. One worker's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/runtime/piece/forecast.h"
#include "leeway/runtime/piece/layout.h"
#include "leeway/runtime/piece/options.h"

namespace leeway::piece {

struct PieceProgress {
  PieceId piece{0};
  TickId tick{0};                 ///< that it works on
  std::uint64_t nanoseconds = 0;  ///< that ticks took which are over, since it was told of last
  std::uint32_t ticks = 0;        ///< as many
  std::uint64_t under_way = 0;    ///< nanoseconds, of its tick
};

class MasterProgress {
 public:
  struct Move {
    PieceId piece{0};
    NodeId from{0};
    NodeId to{0};
  };

  MasterProgress(const Options& options, const PieceLayout& layout, std::uint32_t workers);

  void take(NodeId worker, std::span<const PieceProgress> report, Instant now);
  /// What is to move, when as many reports have come in as there are workers since it was last asked.
  [[nodiscard]] std::vector<Move> moves(Instant now);

 private:
  struct Known {
    NodeId owner{0};   // who has it or was told to take it
    NodeId holder{0};  // who told of it last
    TickId tick{0};
    std::uint64_t under_way = 0;
  };
  /// What there is to do until all are at the same tick.
  struct Outlook {
    std::vector<NodeId> owners;
    std::vector<std::uint64_t> loads;     // by piece, beyond the tick under way
    std::vector<std::uint64_t> standing;  // by worker, what cannot be moved
  };
  [[nodiscard]] TickId target() const;
  [[nodiscard]] Outlook outlook(Instant now) const;

  const PieceLayout& layout_;
  std::uint32_t ticks_;
  std::vector<Known> pieces_;
  Forecast forecast_;
  std::vector<Instant> told_;  // by worker, its last report
  std::uint32_t reports_ = 0;
};

}  // namespace leeway::piece
