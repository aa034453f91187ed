#include "leeway/runtime/piece/holdings.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"

namespace leeway::piece {

Holdings::Holdings(const PieceLayout& layout, NodeId self)
    : layout_(layout),
      self_(self),
      locations_(layout.count()),
      distance_(boundary_distances(layout, layout.homes(), self)) {
  for (PieceId piece(0); piece.value() < layout_.count(); piece = piece.next()) {
    const NodeId home = layout_.homes()[piece.index()];
    locations_[piece.index()].owner = home;
    if (home == self_) take(piece, TickId(0));
  }
}

void Holdings::hear(PieceId piece, NodeId owner, TickId tick) {
  Location& place = locations_[piece.index()];
  if (place.whereabouts == Whereabouts::Here || tick < place.tick) return;
  place.owner = owner;
  place.tick = tick;
}

void Holdings::take(PieceId piece, TickId tick) {
  Location& place = locations_[piece.index()];
  LEEWAY_CHECK(place.whereabouts != Whereabouts::Here, "piece", piece);
  place = {.owner = self_, .tick = tick, .whereabouts = Whereabouts::Here};
  ++at_[tick];
}

void Holdings::leave(TickId tick) {
  const auto found = at_.find(tick);
  LEEWAY_CHECK(found != at_.end());
  if (--found->second == 0) at_.erase(found);
}

void Holdings::advance(PieceId piece, TickId next) {
  Location& place = locations_[piece.index()];
  LEEWAY_CHECK(place.whereabouts == Whereabouts::Here, "piece", piece);
  leave(place.tick);
  place.tick = next;
  ++at_[next];
  Spent& spent = spent_[piece.value()];
  spent.finished += spent.under_way;
  ++spent.ticks;
  spent.under_way = std::exchange(spent.ahead, 0);
}

void Holdings::give(PieceId piece, NodeId to, TickId next) {
  advance(piece, next);
  leave(next);
  Location& place = locations_[piece.index()];
  place.owner = to;
  place.whereabouts = Whereabouts::Gone;
  orders_.erase(piece.value());
}

void Holdings::order(PieceId piece, NodeId to) {
  if (to == self_) {
    orders_.erase(piece.value());
  } else {
    orders_[piece.value()] = to;
  }
}

std::optional<NodeId> Holdings::ordered(PieceId piece) const {
  const auto found = orders_.find(piece.value());
  return found == orders_.end() ? std::nullopt : std::optional(found->second);
}

void Holdings::spend(PieceId piece, TickId tick, std::uint64_t nanoseconds) {
  Spent& spent = spent_[piece.value()];
  const bool now = !here(piece) || tick == locations_[piece.index()].tick;
  (now ? spent.under_way : spent.ahead) += nanoseconds;
}

std::vector<PieceProgress> Holdings::report() {
  std::vector<PieceProgress> report;
  for (auto at = spent_.begin(); at != spent_.end();) {
    auto& [number, spent] = *at;
    const PieceId piece(number);
    if (here(piece) || spent.ticks > 0) {
      report.push_back({.piece = piece,
                        .tick = locations_[piece.index()].tick,
                        .nanoseconds = std::exchange(spent.finished, 0),
                        .ticks = std::exchange(spent.ticks, 0),
                        .under_way = here(piece) ? spent.under_way : 0});
    }
    at = gone(piece) ? spent_.erase(at) : std::next(at);
  }
  std::sort(report.begin(), report.end(),
            [](const auto& a, const auto& b) { return a.piece < b.piece; });
  return report;
}

}  // namespace leeway::piece
