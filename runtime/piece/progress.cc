#include "leeway/runtime/piece/progress.h"

#include <algorithm>
#include <utility>

#include "leeway/runtime/piece/balancer.h"

namespace leeway::piece {

namespace {

/// Over how many ticks workers are to have as much to do: what a piece takes is known for about as long.
constexpr std::uint32_t kAhead = 8;

}  // namespace

MasterProgress::MasterProgress(const Options& options, const PieceLayout& layout,
                               std::uint32_t workers)
    : layout_(layout),
      ticks_(options.ticks),
      pieces_(layout.count()),
      forecast_(layout.count(), kAhead),
      told_(workers) {
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    pieces_[i].owner = pieces_[i].holder = layout.homes()[i];
}

void MasterProgress::take(NodeId worker, std::span<const PieceProgress> report, Instant now) {
  for (const PieceProgress& each : report) {
    Known& known = pieces_[each.piece.index()];
    forecast_.take(each.piece, each.nanoseconds, each.ticks);
    if (each.tick < known.tick) continue;  // somebody else has told of it since
    known.tick = each.tick;
    known.holder = worker;
    known.under_way = each.under_way;
  }
  told_[worker.index()] = now;
  ++reports_;
}

TickId MasterProgress::target() const {
  TickId lead(0);
  for (const Known& known : pieces_) lead = std::max(lead, known.tick);
  return TickId(std::min(lead.value() + kAhead, ticks_));
}

MasterProgress::Outlook MasterProgress::outlook(Instant now) const {
  const TickId target = this->target();
  Outlook ahead;
  ahead.standing.resize(told_.size());
  std::vector<std::uint64_t> sums(told_.size());
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next()) {
    const Known& known = pieces_[piece.index()];
    const std::uint64_t rate = forecast_.rate(piece);
    const std::uint64_t left = target.value() - std::min(known.tick, target).value();
    ahead.owners.push_back(known.owner);
    // The tick that is under way stays with whoever has begun it.
    ahead.loads.push_back(left > 1 ? rate * (left - 1) : 0);
    if (left > 0 && rate > known.under_way)
      ahead.standing[known.holder.index()] += rate - known.under_way;
    sums[known.owner.index()] += ahead.loads.back();
  }
  // What they have done since they told of it counts as less to do, that is, as more for all others.
  std::vector<std::uint64_t> done(told_.size());
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const auto since = static_cast<std::uint64_t>((now - told_[i]).count());
    done[i] = std::min(since, sums[i] + ahead.standing[i]);
  }
  const std::uint64_t most = *std::max_element(done.begin(), done.end());
  for (std::size_t i = 0; i < told_.size(); ++i) ahead.standing[i] += most - done[i];
  return ahead;
}

std::vector<MasterProgress::Move> MasterProgress::moves(Instant now) {
  if (reports_ < told_.size()) return {};
  reports_ = 0;
  const auto workers = static_cast<std::uint32_t>(told_.size());
  const Outlook ahead = outlook(now);
  const auto next = balanced_owners(layout_, ahead.owners, ahead.loads, ahead.standing,
                                    forecast_.slack_percent(workers));
  std::vector<Move> moves;
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next()) {
    NodeId& owner = pieces_[piece.index()].owner;
    const NodeId to = next[piece.index()];
    if (to != owner) moves.push_back({piece, std::exchange(owner, to), to});
  }
  return moves;
}

}  // namespace leeway::piece
