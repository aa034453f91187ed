// How pieces change hands where there are no barriers. A worker is told whom to hand a piece to and does so
// when the piece is through with a tick and nothing that came for its next one has been worked on: what it
// diffuses to itself then goes to its new owner, and whatever came for it follows.
#include "leeway/base/check.h"
#include "leeway/runtime/piece/worker.h"

namespace leeway::piece {

/// Whether this is the place and the time to work on it.
bool Worker::admitted(const Arrival& arrival) {
  const PieceId piece = arrival.piece;
  if (holdings_->gone(piece) && holdings_->owner(piece) != self_) {
    pass_on(piece, {arrival});
    return false;
  }
  if (!holdings_->here(piece) || !holdings_->ordered(piece)) return true;
  if (arrival.tick == holdings_->tick(piece)) return true;
  aside_[piece].push_back(arrival);
  return false;
}

/// Takes note that the piece has come to `next`; whether that is under another owner.
bool Worker::hand_over(PieceId piece, TickId next) {
  const auto to = holdings_->ordered(piece);
  const bool last = next.value() == options_.ticks;
  const auto key = std::uint64_t{piece.value()} << 32U | next.value();
  if (to && !last && *to != self_ && !state_.contains(key)) {
    holdings_->give(piece, *to, next);
    return true;
  }
  holdings_->advance(piece, next);
  // What was put aside is for this tick, which the piece spends here after all.
  const auto aside = aside_.extract(piece);
  if (aside.empty()) return false;
  for (const Arrival& arrival : aside.mapped()) ready_.push(arrival, holdings_->distance(piece));
  return false;
}

/// Sends what came for a piece after it.
void Worker::pass_on(PieceId piece, std::vector<Arrival> arrivals) {
  if (auto aside = aside_.extract(piece); !aside.empty()) {
    arrivals.insert(arrivals.end(), aside.mapped().begin(), aside.mapped().end());
  }
  for (const Arrival& arrival : arrivals) {
    const Diffused& diffused = arrival.diffused;
    write_diffused(holdings_->owner(piece), diffused.from, arrival.tick, diffused.whole,
                   std::span(&piece, 1), diffused.bytes);
  }
}

/// Messages distribution, for whom it was addressed to. A piece's own information for itself is the piece.
void Worker::deliver_to(std::span<const PieceId> readers, const Diffused& diffused, TickId tick) {
  for (const PieceId reader : readers) {
    if (reader == diffused.from) {
      holdings_->take(reader, tick);
      ++record_.moved_in;
    }
    ready_.push({reader, tick, diffused}, holdings_->distance(reader));
  }
}

/// Tells of ticks that no piece here works on any more; one that comes later is told of then.
void Worker::tell_tallies() {
  if (!told_every_tick_) return done_.clear();
  while (!done_.empty() && holdings_->beyond(done_.begin()->first)) {
    const auto [tick, done] = *done_.begin();
    done_.erase(done_.begin());
    tell_tally(tick, done.first, done.second);
    if (stopped_) return;
  }
}

/// Tells the master, every few ticks, where all pieces here are.
void Worker::report_progress() {
  const Instant now = endpoint_.now();
  const auto ticks = static_cast<Duration::rep>(holdings_->first().value()) + 1;
  if ((now - told_) * ticks <= (now - start_) * options_.balance_every) return;
  told_ = now;
  const std::vector<PieceProgress> report = holdings_->report();
  if (master_ != nullptr) {
    master_->progress().take(self_, report, now);
    return look_whether_to_move();
  }
  ByteWriter& out = batcher_.begin(kMaster, MessageKind::Progress);
  out.varint(report.size());
  for (const PieceProgress& each : report) {
    out.varint(each.piece.value());
    out.varint(each.tick.value());
    out.varint(each.nanoseconds);
    out.varint(each.ticks);
    out.varint(each.under_way);
  }
  batcher_.written(kMaster);
}

void Worker::on_progress(NodeId from, ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<PieceProgress> report;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    PieceProgress& each = report.emplace_back();
    each.piece = PieceId(static_cast<std::uint32_t>(in.varint_up_to(layout_.count() - 1)));
    each.tick = TickId(static_cast<std::uint32_t>(in.varint_up_to(options_.ticks)));
    each.nanoseconds = in.varint();
    each.ticks = static_cast<std::uint32_t>(in.varint_up_to(options_.ticks));
    each.under_way = in.varint();
  }
  if (in.failed() || master_ == nullptr || !holdings_) return in.fail();
  master_->progress().take(from, report, endpoint_.now());
  look_whether_to_move();
}

void Worker::look_whether_to_move() {
  if (stopped_ || over_) return;
  std::map<NodeId, std::vector<MasterProgress::Move>> orders;
  for (const MasterProgress::Move& move : master_->progress().moves(endpoint_.now())) {
    if (move.from == self_) {
      holdings_->order(move.piece, move.to);
    } else {
      orders[move.from].push_back(move);
    }
  }
  for (const auto& [giver, moves] : orders) {
    ByteWriter& out = batcher_.begin(giver, MessageKind::Give);
    out.varint(moves.size());
    for (const MasterProgress::Move& move : moves) {
      out.varint(move.piece.value());
      out.varint(move.to.value());
    }
    batcher_.written(giver);
  }
  if (!orders.empty()) batcher_.send_all();
}

void Worker::on_give(ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const auto piece = static_cast<std::uint32_t>(in.varint_up_to(layout_.count() - 1));
    const auto to = static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1));
    if (!holdings_) return in.fail();
    if (!in.failed()) holdings_->order(PieceId(piece), NodeId(to));
  }
}

}  // namespace leeway::piece
