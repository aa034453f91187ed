// A worker's scheduler (AsyTick §4.2.2): what has arrived and waits to be processed, least Pri(P) =
// α·D(P) + β·N(P) first, equals always in the order of pieces; or in order of arrival where it is switched
// off. What waits for one piece at one tick is taken together: its task is woken once. What lies beyond the
// gate's tick waits until the gate moves. One worker's own.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "leeway/runtime/piece/options.h"
#include "leeway/runtime/piece/program.h"

namespace leeway::piece {

/// Information for a piece at a tick.
struct Arrival {
  PieceId piece{0};
  TickId tick{0};
  Diffused diffused;
};

class ReadyQueue {
 public:
  /// `gate`: the first tick that may not be worked on.
  ReadyQueue(const Options& options, TickId gate)
      : by_priority_(options.scheduler), alpha_(options.alpha), beta_(options.beta), gate_(gate) {}

  /// `distance`: D(P).
  void push(Arrival arrival, std::uint32_t distance);
  [[nodiscard]] bool empty() const { return turns_.empty(); }
  Arrival pop();
  /// Lets everything before `gate` be worked on.
  void move_gate(TickId gate);
  [[nodiscard]] TickId gate() const { return gate_; }
  /// What waits for `piece`, which is not to be worked on here any more.
  [[nodiscard]] std::vector<Arrival> take_out(PieceId piece);
  void clear();

 private:
  /// A piece's task at a tick, with something to do.
  struct ReadyPiece {
    double priority;
    bool by_piece;        // among equals
    std::uint64_t order;  // of what came first
    PieceId piece{0};
    TickId tick{0};
    bool operator<(const ReadyPiece& other) const {
      if (priority != other.priority) return priority > other.priority;
      if (by_piece && piece != other.piece) return piece > other.piece;
      return order > other.order;
    }
  };
  struct Closed {
    Arrival arrival;
    std::uint32_t distance;
  };
  static std::uint64_t key(PieceId piece, TickId tick) {
    return std::uint64_t{piece.value()} << 32U | tick.value();
  }
  void open(Arrival arrival, std::uint32_t distance);

  bool by_priority_;
  double alpha_;
  double beta_;
  TickId gate_;
  std::uint64_t order_ = 0;
  std::vector<ReadyPiece> turns_;  // a heap
  std::unordered_map<std::uint64_t, std::deque<Arrival>>
      open_;  // by piece and tick, none of them empty
  std::map<TickId, std::vector<Closed>> closed_;
};

}  // namespace leeway::piece
