// What a worker does about each message, and what the master answers.
#include <cstring>

#include "leeway/base/check.h"
#include "leeway/base/fields.h"
#include "leeway/runtime/piece/worker.h"

namespace leeway::piece {

namespace {

TickId tick_of(ByteReader& in) {
  return TickId(static_cast<std::uint32_t>(in.varint_up_to(0xFFFFFFFE)));
}

PieceId piece_of(ByteReader& in, const PieceLayout& layout) {
  return PieceId(static_cast<std::uint32_t>(in.varint_up_to(layout.count() - 1)));
}

}  // namespace

void Worker::on_frame(NodeId from, std::span<const std::byte> frame) {
  ByteReader in(frame);
  while (!in.at_end()) {
    read_message(from, in);
    if (in.failed()) endpoint_.refuse(from);
  }
}

void Worker::read_message(NodeId from, ByteReader& in) {
  const auto kind = static_cast<MessageKind>(in.byte());
  switch (kind) {
    case MessageKind::Diffuse:
      return on_diffuse(in);
    case MessageKind::Tally: {
      const TickId tick = tick_of(in);
      const auto pieces = static_cast<std::uint32_t>(in.varint_up_to(layout_.count()));
      const auto raw = in.raw(sizeof(double));
      if (in.failed() || master_ == nullptr) return in.fail();
      double change = 0;
      std::memcpy(&change, raw.data(), sizeof(change));
      return take_tally(tick, pieces, change);
    }
    case MessageKind::Release: {
      const TickId tick = tick_of(in);
      const bool last = in.byte() != 0;
      if (!in.failed()) on_release(tick, last);
      return;
    }
    case MessageKind::Loads:
      return on_loads(in);
    case MessageKind::Progress:
      return on_progress(from, in);
    case MessageKind::Give:
      return on_give(in);
    case MessageKind::Map:
      return on_map(in);
    case MessageKind::Values: {
      const TickId tick = tick_of(in);
      const PieceId piece = piece_of(in, layout_);
      const auto values = in.raw(in.varint());
      if (in.failed() || master_ == nullptr) return in.fail();
      const std::vector<std::byte> aligned(values.begin(), values.end());
      if (!program_.accepts(piece, true, aligned)) return in.fail();
      master_->take_values(tick, piece, values);
      return look_whether_over();
    }
    case MessageKind::Record: {
      WorkerRecord record;
      if (!read_record(in.raw(in.varint()), record) || master_ == nullptr) return in.fail();
      return master_->take_record(from, std::move(record));
    }
    case MessageKind::Over:
      over_ = true;
      return;
    case MessageKind::Stop:
      return master_ != nullptr ? on_stop() : in.fail();
    case MessageKind::GiveUp:
      return on_give_up();
  }
  in.fail();
}

void Worker::on_diffuse(ByteReader& in) {
  const PieceId piece = piece_of(in, layout_);
  const TickId tick = tick_of(in);
  const auto sent = static_cast<Duration::rep>(in.varint());
  const bool whole = in.byte() != 0;
  NodeId holder(0);
  std::vector<PieceId> readers;
  if (holdings_) {
    holder = NodeId(static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1)));
    const std::uint64_t count = in.varint_up_to(layout_.count());
    for (std::uint64_t i = 0; i < count && !in.failed(); ++i)
      readers.push_back(piece_of(in, layout_));
  }
  const auto bytes = in.raw(in.varint());
  if (in.failed() || stopped_) return;
  const auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  if (!program_.accepts(piece, whole, *copy)) return in.fail();
  const Diffused diffused{.from = piece, .whole = whole, .bytes = *copy, .keep = copy};
  if (clocks_.shared) {
    TickSample& now = sample(tick);
    now.flight = std::max(now.flight, endpoint_.now().time_since_epoch().count() - sent);
  }
  if (holdings_) {
    holdings_->hear(piece, holder, tick);
    return deliver_to(readers, diffused, tick);
  }
  if (ownership_.known(tick)) {
    deliver(diffused, tick);
  } else {
    early_.emplace_back(tick, diffused);
  }
}

void Worker::take_tally(TickId tick, std::uint32_t pieces, double change) {
  if (gave_up_) return;  // what would be answered finds nobody
  master_->take_tally(tick, pieces, change);
  while (const auto verdict = master_->next_verdict()) {
    tell_all(MessageKind::Release, [&](ByteWriter& out) {
      out.varint(verdict->tick.value());
      out.byte(verdict->last ? 1 : 0);
    });
    on_release(verdict->tick, verdict->last);
  }
}

/// All pieces are through with `tick`.
void Worker::on_release(TickId tick, bool last) {
  if (stopped_) return;
  if (!last) {
    for (auto done = kept_.begin(); done != kept_.end() && done->first <= tick;
         done = kept_.erase(done)) {
      for (const Held& piece : done->second) {
        if (is_shown(options_, piece.tick) || is_kept(options_, piece.tick))
          send_values(piece.tick, piece.piece, *piece.task);
      }
    }
    ready_.move_gate(TickId(tick.value() + 1 + horizon_));
    return;
  }
  // Whoever was ahead of the last tick drops what it has.
  stopped_ = true;
  ready_.clear();
  aside_.clear();
  const auto result = kept_.extract(tick);
  kept_.clear();
  if (result.empty()) return;
  for (const Held& piece : result.mapped()) send_values(piece.tick, piece.piece, *piece.task);
}

void Worker::on_loads(ByteReader& in) {
  const auto round = static_cast<std::uint32_t>(in.varint_up_to(0xFFFFFFFF));
  const auto pieces = static_cast<std::uint32_t>(in.varint_up_to(layout_.count()));
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<std::pair<PieceId, PieceLoad>> loads;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const PieceId piece = piece_of(in, layout_);
    const std::uint64_t nanoseconds = in.varint();
    const auto ticks = static_cast<std::uint32_t>(in.varint_up_to(options_.balance_every));
    loads.push_back({piece, {nanoseconds, ticks}});
  }
  if (in.failed() || master_ == nullptr) return in.fail();
  master_->take_loads(round, pieces, loads);
  look_whether_mapped();
}

void Worker::look_whether_mapped() {
  if (stopped_ || over_) return;
  const auto changes = master_->next_map(ownership_);
  if (!changes) return;
  tell_all(MessageKind::Map, [&](ByteWriter& out) {
    out.varint(changes->size());
    for (const Ownership::Change& change : *changes) {
      out.varint(change.piece.value());
      out.varint(change.owner.value());
    }
  });
  learn(*changes);
}

void Worker::on_map(ByteReader& in) {
  const std::uint64_t count = in.varint_up_to(layout_.count());
  std::vector<Ownership::Change> changes;
  for (std::uint64_t i = 0; i < count && !in.failed(); ++i) {
    const PieceId piece = piece_of(in, layout_);
    const auto owner = static_cast<std::uint32_t>(in.varint_up_to(endpoint_.node_count() - 1));
    changes.push_back({piece, NodeId(owner)});
  }
  if (!in.failed()) learn(changes);
}

/// From the tick of the new map on, pieces are diffused to their new owners; a piece moves by what it
/// diffuses to itself.
void Worker::learn(std::span<const Ownership::Change> changes) {
  for (const Ownership::Change& change : changes)
    record_.moved_in += change.owner == self_ ? 1U : 0U;
  ownership_.learn(changes);
  for (auto& [tick, diffused] : std::exchange(early_, {})) {
    if (ownership_.known(tick)) {
      deliver(diffused, tick);
    } else {
      early_.emplace_back(tick, std::move(diffused));
    }
  }
}

void Worker::look_whether_over() {
  if (over_ || !master_->has_all_values()) return;
  over_ = true;
  tell_all(MessageKind::Over, [](ByteWriter&) {});
}

/// At the master: the run has been told to stop.
void Worker::on_stop() {
  if (!over_) gave_up_ = over_ = stopped_ = true;
}

void Worker::on_give_up() {
  gave_up_ = over_ = stopped_ = true;
  ++left_early_;
}

void Worker::hand_in_record() {
  record_.frames = batcher_.frames();
  record_.bytes = batcher_.bytes();
  if (master_ != nullptr) return master_->take_record(self_, std::move(record_));
  const std::vector<std::byte> bytes = record_bytes(record_);
  ByteWriter& out = batcher_.begin(kMaster, MessageKind::Record);
  out.varint(bytes.size());
  out.raw(bytes);
  batcher_.written(kMaster);
  batcher_.send_all();
}

}  // namespace leeway::piece
