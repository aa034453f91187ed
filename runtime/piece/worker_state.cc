#include "runtime/piece/worker_state.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "runtime/piece/ownership.h"

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

void Holdings::note_owner(PieceId piece, NodeId owner, TickId tick) {
  Location& place = locations_[piece.index()];
  if (place.whereabouts == Whereabouts::Here || tick < place.tick) return;
  place.owner = owner;
  place.tick = tick;
}

bool Holdings::may_take(PieceId piece, TickId tick) const {
  const Location& place = locations_[piece.index()];
  return place.whereabouts == Whereabouts::Elsewhere ||
         (place.whereabouts == Whereabouts::Gone && tick > place.given);
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
  place.given = next;
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

namespace {

/// The number of ticks over which the workers' loads are balanced; load predictions are valid for about as long.
constexpr std::uint32_t kAhead = 8;

}  // namespace

MasterProgress::MasterProgress(const PieceOptions& options, const PieceLayout& layout,
                               std::uint32_t workers)
    : layout_(layout),
      ticks_(options.ticks),
      pieces_(layout.count()),
      forecast_(layout.count(), kAhead),
      last_report_(workers) {
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    pieces_[i].owner = pieces_[i].holder = layout.homes()[i];
}

void MasterProgress::take(NodeId worker, std::span<const PieceProgress> report, Instant now) {
  for (const PieceProgress& each : report) {
    KnownOwner& known = pieces_[each.piece.index()];
    forecast_.take(each.piece, each.nanoseconds, each.ticks);
    if (each.tick < known.tick) continue;  // another worker has reported it since
    known.tick = each.tick;
    known.holder = worker;
    known.under_way = each.under_way;
  }
  last_report_[worker.index()] = now;
  ++reports_;
}

TickId MasterProgress::target() const {
  TickId lead(0);
  for (const KnownOwner& known : pieces_) lead = std::max(lead, known.tick);
  return TickId(std::min(lead.value() + kAhead, ticks_));
}

MasterProgress::Outlook MasterProgress::outlook(Instant now) const {
  const TickId target = this->target();
  Outlook ahead;
  ahead.fixed_loads.resize(last_report_.size());
  std::vector<std::uint64_t> sums(last_report_.size());
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next()) {
    const KnownOwner& known = pieces_[piece.index()];
    const std::uint64_t rate = forecast_.rate(piece);
    const std::uint64_t left = target.value() - std::min(known.tick, target).value();
    ahead.owners.push_back(known.owner);
    // The current tick of a piece stays with the worker that has begun it.
    ahead.loads.push_back(left > 1 ? rate * (left - 1) : 0);
    if (left > 0 && rate > known.under_way)
      ahead.fixed_loads[known.holder.index()] += rate - known.under_way;
    sums[known.owner.index()] += ahead.loads.back();
  }
  // The work done since a worker's last report reduces its load, which is expressed as more load of all others.
  std::vector<std::uint64_t> done(last_report_.size());
  for (std::size_t i = 0; i < last_report_.size(); ++i) {
    const auto since = static_cast<std::uint64_t>((now - last_report_[i]).count());
    done[i] = std::min(since, sums[i] + ahead.fixed_loads[i]);
  }
  const std::uint64_t most = *std::max_element(done.begin(), done.end());
  for (std::size_t i = 0; i < last_report_.size(); ++i) ahead.fixed_loads[i] += most - done[i];
  return ahead;
}

std::vector<MasterProgress::Move> MasterProgress::moves(Instant now) {
  if (reports_ < last_report_.size()) return {};
  reports_ = 0;
  const auto workers = static_cast<std::uint32_t>(last_report_.size());
  const Outlook ahead = outlook(now);
  const auto next = balanced_owners(layout_, ahead.owners, ahead.loads, ahead.fixed_loads,
                                    forecast_.slack_percent(workers));
  std::vector<Move> moves;
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next()) {
    NodeId& owner = pieces_[piece.index()].owner;
    const NodeId to = next[piece.index()];
    if (to != owner) moves.push_back({piece, std::exchange(owner, to), to});
  }
  return moves;
}

bool SynchronizationTable::note(PieceId piece, TickId tick, PieceId from) {
  if (tick < next_[piece.index()]) return false;
  const auto around = layout_.around(piece);
  const auto place = std::lower_bound(around.begin(), around.end(), from) - around.begin();
  SynchronizationRow& row = rows_[key(piece, tick)];
  row.from.resize(around.size());
  LEEWAY_CHECK(static_cast<std::size_t>(place) < around.size(), "piece", piece, "from", from);
  const auto index = static_cast<std::size_t>(place);
  LEEWAY_CHECK(around[index] == from);
  if (row.from[index]) return false;
  row.from[index] = true;
  ++row.in;
  return true;
}

bool SynchronizationTable::barrier(PieceId piece, TickId tick) const {
  const auto row = rows_.find(key(piece, tick));
  return row != rows_.end() && row->second.in == layout_.around(piece).size();
}

std::vector<PieceId> SynchronizationTable::missing(PieceId piece, TickId tick) const {
  const auto around = layout_.around(piece);
  const auto row = rows_.find(key(piece, tick));
  std::vector<PieceId> missing;
  for (std::size_t i = 0; i < around.size(); ++i) {
    if (row == rows_.end() || !row->second.from[i]) missing.push_back(around[i]);
  }
  return missing;
}

void ReadyQueue::push(PieceArrival arrival, std::uint32_t distance) {
  if (arrival.tick >= gate_) {
    closed_[arrival.tick].push_back({std::move(arrival), distance});
  } else {
    open(std::move(arrival), distance);
  }
}

namespace {

/// D(P) for a distance in pieces. Below 1, so that with alpha < beta the earliest tick is processed first, and the
/// distance only orders pieces of the same tick (AsyTick §4.2.2).
double below_one(std::uint32_t distance) { return distance / (1.0 + distance); }

}  // namespace

void ReadyQueue::open(PieceArrival arrival, std::uint32_t distance) {
  std::deque<PieceArrival>& waiting = open_[key(arrival.piece, arrival.tick)];
  if (waiting.empty()) {
    const double tick = arrival.tick.value();
    const double priority = by_priority_ ? alpha_ * below_one(distance) + beta_ * tick : 0;
    turns_.push_back({priority, by_priority_, order_++, arrival.piece, arrival.tick});
    std::push_heap(turns_.begin(), turns_.end());
  }
  waiting.push_back(std::move(arrival));
}

PieceArrival ReadyQueue::pop() {
  LEEWAY_CHECK(!turns_.empty());
  const auto found = open_.find(key(turns_.front().piece, turns_.front().tick));
  PieceArrival arrival = std::move(found->second.front());
  found->second.pop_front();
  if (found->second.empty()) {
    open_.erase(found);
    std::pop_heap(turns_.begin(), turns_.end());
    turns_.pop_back();
  }
  return arrival;
}

void ReadyQueue::move_gate(TickId gate) {
  gate_ = std::max(gate_, gate);
  while (!closed_.empty() && closed_.begin()->first < gate_) {
    for (Closed& each : closed_.begin()->second) open(std::move(each.arrival), each.distance);
    closed_.erase(closed_.begin());
  }
}

std::vector<PieceArrival> ReadyQueue::take_out(PieceId piece) {
  std::vector<PieceArrival> taken;
  std::erase_if(turns_, [&](const ReadyPiece& turn) {
    if (turn.piece != piece) return false;
    auto waiting = open_.extract(key(piece, turn.tick));
    for (PieceArrival& arrival : waiting.mapped()) taken.push_back(std::move(arrival));
    return true;
  });
  std::make_heap(turns_.begin(), turns_.end());
  for (auto& [tick, waiting] : closed_) {
    std::erase_if(waiting, [&](Closed& each) {
      if (each.arrival.piece != piece) return false;
      taken.push_back(std::move(each.arrival));
      return true;
    });
  }
  return taken;
}

void ReadyQueue::clear() {
  turns_.clear();
  open_.clear();
  closed_.clear();
}

}  // namespace leeway::piece
