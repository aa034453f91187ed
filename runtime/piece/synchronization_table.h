// The synchronization table (AsyTick §4.2.1): for each piece at each tick that is under way at a worker,
// which of the pieces it needs are in. One worker's own.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "leeway/runtime/piece/layout.h"

namespace leeway::piece {

class SynchronizationTable {
 public:
  explicit SynchronizationTable(const PieceLayout& layout) : layout_(layout) {}

  /// Notes that `piece` has processed what `from` diffused for `tick`. Requires: not noted before
  /// (checked), and `from` is needed.
  void note(PieceId piece, TickId tick, PieceId from);
  /// Barrier(P): whether all are in.
  [[nodiscard]] bool barrier(PieceId piece, TickId tick) const;
  /// The pieces that are not in yet.
  [[nodiscard]] std::vector<PieceId> missing(PieceId piece, TickId tick) const;
  /// The piece is through with this tick.
  void forget(PieceId piece, TickId tick) { rows_.erase(key(piece, tick)); }

 private:
  struct Row {
    std::uint32_t in = 0;
    std::vector<bool> from;  // by place in layout.around
  };
  static std::uint64_t key(PieceId piece, TickId tick) {
    return std::uint64_t{piece.value()} << 32U | tick.value();
  }

  const PieceLayout& layout_;
  std::unordered_map<std::uint64_t, Row> rows_;
};

}  // namespace leeway::piece
