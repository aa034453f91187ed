#include "leeway/runtime/piece/ownership.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::piece {

BalancePlan::BalancePlan(const Options& options) : ticks_(options.ticks) {
  if (!has_balancer(options.system) || !has_barrier(options.system)) return;
  every_ = std::max(options.balance_every, 2U);
  lag_ = std::clamp(options.balance_lag, 2U, every_);
}

std::uint32_t BalancePlan::round_measured(TickId tick) const {
  if (every_ == 0 || (tick.value() + 1) % every_ != 0) return 0;
  const std::uint32_t round = (tick.value() + 1) / every_;
  return effective(round).value() < ticks_ ? round : 0;
}

TickId BalancePlan::effective(std::uint32_t round) const {
  return TickId(round * every_ - 1 + lag_);
}

std::uint32_t BalancePlan::rounds_before(TickId tick) const {
  if (every_ == 0 || tick.value() + 1 < lag_) return 0;
  return (tick.value() + 1 - lag_) / every_;
}

Ownership::Ownership(const PieceLayout& layout, NodeId self, const Options& options)
    : layout_(layout), self_(self), plan_(options) {
  begin(TickId(0), {layout.homes().begin(), layout.homes().end()});
}

const Ownership::Epoch& Ownership::epoch(TickId tick) const {
  LEEWAY_CHECK(known(tick));
  for (auto at = epochs_.rbegin(); at != epochs_.rend(); ++at) {
    if (at->from <= tick) return *at;
  }
  LEEWAY_UNREACHABLE("a map long gone is asked for", tick);
}

void Ownership::begin(TickId from, std::vector<NodeId> owners) {
  Epoch& epoch = epochs_.emplace_back();
  epoch.from = from;
  epoch.owners = std::move(owners);
  const auto distances = boundary_distances(layout_, epoch.owners, self_);
  for (PieceId piece(0); piece.value() < layout_.count(); piece = piece.next()) {
    if (epoch.owners[piece.index()] != self_) continue;
    epoch.mine.push_back(piece);
    epoch.distance[piece.value()] = distances[piece.index()];
    for (const PieceId other : layout_.around(piece)) {
      epoch.readers[other.value()].push_back(piece);
    }
  }
}

void Ownership::forget_before(TickId tick) {
  while (epochs_.size() > 1 && epochs_[1].from <= tick) epochs_.pop_front();
}

std::span<const PieceId> Ownership::readers(PieceId piece, TickId tick) const {
  const Epoch& now = epoch(tick);
  const auto found = now.readers.find(piece.value());
  return found == now.readers.end() ? std::span<const PieceId>() : found->second;
}

std::uint32_t Ownership::distance(PieceId piece, TickId tick) const {
  const Epoch& now = epoch(tick);
  const auto found = now.distance.find(piece.value());
  LEEWAY_CHECK(found != now.distance.end(), "piece", piece);
  return found->second;
}

void Ownership::learn(std::span<const Change> changes) {
  std::vector<NodeId> owners(latest().begin(), latest().end());
  for (const Change& change : changes) owners[change.piece.index()] = change.owner;
  ++learnt_;
  begin(plan_.effective(learnt_), std::move(owners));
}

}  // namespace leeway::piece
