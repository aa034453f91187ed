#include "runtime/piece/master.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "runtime/piece/ownership.h"

namespace leeway::piece {

namespace {
constexpr std::size_t kFrameBytes = 8192;
}

ByteWriter& PieceBatcher::begin(NodeId to, PieceMessageKind kind) {
  ByteWriter& batch = batches_[to.index()];
  if (batch.empty()) {
    filled_.push_back(to.value());
    if (!oldest_) oldest_ = endpoint_.now();
  }
  batch.byte(static_cast<std::uint8_t>(kind));
  return batch;
}

void PieceBatcher::written(NodeId to) {
  if (batches_[to.index()].size() < kFrameBytes) return;
  std::erase(filled_, to.value());
  send_batch(to.value());
  if (filled_.empty()) oldest_.reset();
}

void PieceBatcher::send_batch(std::uint32_t to) {
  Frame frame = batches_[to].take();
  if (compressor_ != nullptr && frame.size() >= FrameCompressor::kLeastBytes) {
    endpoint_.charge(Work{.picoseconds = frame.size() * FrameCompressor::kPackPs});
    constexpr auto kKind = static_cast<std::uint8_t>(PieceMessageKind::Packed);
    if (auto packed = compressor_->pack(frame, kKind)) frame = std::move(*packed);
  }
  ++frames_;
  bytes_ += frame.size();
  endpoint_.send(NodeId(to), std::move(frame));
}

void PieceBatcher::send_due() {
  if (oldest_ && endpoint_.now() >= *oldest_ + hold_) send_all();
}

void PieceBatcher::send_all() {
  for (const std::uint32_t to : filled_) send_batch(to);
  filled_.clear();
  oldest_.reset();
}

Master::Master(const ErasedProgram& program, const PieceOptions& options, std::uint32_t workers)
    : program_(program),
      options_(options),
      pieces_(program.layout().count()),
      workers_(workers),
      end_(options.ticks),
      profile_(pieces_),
      progress_(options, program.layout(), workers) {}

bool Master::take_tally(NodeId worker, TickId tick, std::uint32_t count,
                        std::span<const PieceId> listed, double change) {
  if (decided_) return true;  // from workers that were ahead of the last tick
  if (tick < next_) return false;
  TickTally& tally = tallies_[tick];
  tally.reported.resize(std::max(pieces_, workers_), false);
  const auto report = [&](std::uint32_t index) {
    const bool again = tally.reported[index];
    tally.reported[index] = true;
    return !again;
  };
  if (listed.empty() && !report(worker.value())) return false;
  for (const PieceId piece : listed) {
    if (!report(piece.value())) return false;
  }
  if (count > pieces_ - tally.pieces) return false;
  tally.pieces += count;
  tally.change = std::max(tally.change, change);
  return true;
}

std::optional<Master::TickVerdict> Master::next_verdict() {
  const auto first = tallies_.begin();
  if (decided_ || first == tallies_.end() || first->first != next_ ||
      first->second.pieces < pieces_) {
    return std::nullopt;
  }
  TickVerdict verdict{.tick = next_};
  if (program_.may_terminate()) {
    terminated_ = program_.termination(verdict.tick, first->second.change);
    verdict.last = terminated_ || verdict.tick.value() + 1 == options_.ticks;
    decided_ = verdict.last;
    if (verdict.last) end_ = verdict.tick.next();
  }
  tallies_.erase(first);
  next_ = next_.next();
  return verdict;
}

std::optional<std::vector<Ownership::Change>> Master::next_map(const Ownership& ownership) {
  if (!profile_.complete(ownership.learnt() + 1)) return std::nullopt;
  const auto owners = ownership.latest();
  const std::vector<std::uint64_t> idle(workers_);
  const std::vector<NodeId> next = balanced_owners(program_.layout(), owners, profile_.rates(),
                                                   idle, profile_.slack_percent(workers_));
  std::vector<Ownership::Change> changes;
  for (PieceId piece(0); piece.value() < pieces_; piece = piece.next()) {
    if (next[piece.index()] != owners[piece.index()])
      changes.push_back({piece, next[piece.index()]});
  }
  return changes;
}

bool Master::take_values(TickId tick, PieceId piece, std::span<const std::byte> values) {
  TickCollection& all = collected_[tick];
  all.has.resize(pieces_, false);
  if (all.has[piece.index()]) return false;
  all.has[piece.index()] = true;
  all.pieces.resize(pieces_);
  all.pieces[piece.index()].assign(values.begin(), values.end());
  ++all.in;
  if (all.in < pieces_ || tick == end_ || !is_kept(options_, tick)) return true;
  options_.keep(tick, all.pieces);
  if (!is_shown(options_, tick)) all.pieces = {};
  return true;
}

bool Master::has_all_values() const {
  const auto last = collected_.find(end_);
  return last != collected_.end() && last->second.in == pieces_;
}

std::vector<TickValues> Master::take_snapshots() {
  std::vector<TickValues> snapshots;
  for (auto& [tick, values] : collected_) {
    if (!values.pieces.empty() && values.in == pieces_ && tick <= end_)
      snapshots.push_back({tick, std::move(values.pieces)});
  }
  return snapshots;
}

PieceRecord Master::take_run() {
  run_.ticks = end_.value();
  run_.terminated = terminated_;
  return std::move(run_);
}

}  // namespace leeway::piece
