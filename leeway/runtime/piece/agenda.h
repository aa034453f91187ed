// A worker's scheduler (AsyTick §4.2.2): what has arrived and waits to be processed, least Pri(P) =
// α·D(P) + β·N(P) first, what arrived first among equals; or in order of arrival where it is switched
// off. What lies beyond the gate's tick waits until the gate moves. One worker's own.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "leeway/runtime/piece/options.h"
#include "leeway/runtime/piece/program.h"

namespace leeway::piece {

/// Information for a piece at a tick.
struct Arrival {
  PieceId piece{0};
  TickId tick{0};
  Parcel parcel;
};

class Agenda {
 public:
  /// `gate`: the first tick that may not be worked on.
  Agenda(const PieceOptions& options, TickId gate)
      : by_priority_(options.scheduler), alpha_(options.alpha), beta_(options.beta), gate_(gate) {}

  /// `distance`: D(P).
  void push(Arrival arrival, std::uint32_t distance);
  [[nodiscard]] bool empty() const { return open_.empty(); }
  Arrival pop();
  /// Lets everything before `gate` be worked on.
  void move_gate(TickId gate);
  [[nodiscard]] TickId gate() const { return gate_; }
  /// What waits for `piece`, which is not to be worked on here any more.
  [[nodiscard]] std::vector<Arrival> take_out(PieceId piece);
  void clear();

 private:
  struct Item {
    double priority;
    std::uint64_t order;
    Arrival arrival;
    bool operator<(const Item& other) const {
      return priority != other.priority ? priority > other.priority : order > other.order;
    }
  };

  bool by_priority_;
  double alpha_;
  double beta_;
  TickId gate_;
  std::uint64_t order_ = 0;
  std::vector<Item> open_;  // a heap
  std::map<TickId, std::vector<Item>> closed_;
};

}  // namespace leeway::piece
