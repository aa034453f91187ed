// What pieces will take a tick, from what they took: persistence, as the balancer of both systems has it.
// How long a memory tells most of what is to come depends on what moves, so several are kept and the one
// that has foretold best is believed. One worker's own.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/piece.h"

namespace leeway::piece {

class Forecast {
 public:
  /// Memories are judged by how well they foretell `ahead` ticks of a piece.
  Forecast(std::uint32_t pieces, std::uint32_t ahead) : ahead_(ahead), pieces_(pieces) {}

  /// `piece` took so long for so many ticks.
  void take(PieceId piece, std::uint64_t nanoseconds, std::uint32_t ticks);
  /// Nanoseconds a tick; 0 of a piece never heard of.
  [[nodiscard]] std::uint64_t rate(PieceId piece) const;
  [[nodiscard]] std::vector<std::uint64_t> rates() const;
  /// Half of what a worker's load may be mistaken by, in percent, if each has as many pieces: smaller
  /// differences are not worth moving anything for. From 2 to 15.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const;

 private:
  /// What is left of a tick's weight a tick later.
  static constexpr std::array kKept = {0.5, 0.75, 0.9, 0.97};
  struct Memory {
    double load = 0;
    double ticks = 0;
    [[nodiscard]] double rate() const { return ticks > 0 ? load / ticks : 0; }
  };
  struct ReportedLoad {
    std::array<Memory, kKept.size()> memories;
    std::array<double, kKept.size()> foretold{};
    bool judged = false;
    double load = 0;  // since it was foretold
    double ticks = 0;
  };

  double ahead_;
  std::vector<ReportedLoad> pieces_;
  std::array<double, kKept.size()> errors_{};  // squared, older ones counting less
  double judgements_ = 0;                      // as many, counting as much
  std::size_t best_ = 0;
};

// What the coordinating worker has been told of load behind barriers: what each piece takes a tick, older
// measurements counting ever less. One worker's own.

/// What a piece took of one worker, and for how many ticks.
struct PieceLoad {
  std::uint64_t nanoseconds = 0;
  std::uint32_t ticks = 0;
};

class LoadProfile {
 public:
  using Loads = std::span<const std::pair<PieceId, PieceLoad>>;

  explicit LoadProfile(std::uint32_t pieces) : pieces_(pieces), forecast_(pieces, kAhead) {}

  /// A worker is through with the ticks of `round` in `count` pieces; `loads` is what it worked on.
  void take(std::uint32_t round, std::uint32_t count, Loads loads);
  /// Whether all pieces have been heard of in `round`.
  [[nodiscard]] bool complete(std::uint32_t round) const;

  /// Nanoseconds that each piece takes a tick.
  [[nodiscard]] std::vector<std::uint64_t> rates() const { return forecast_.rates(); }
  /// What differences are not worth moving anything for.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const {
    return forecast_.slack_percent(workers);
  }

 private:
  static constexpr std::uint32_t kAhead = 4;  // a map holds about as long

  std::uint32_t pieces_;
  Forecast forecast_;
  std::map<std::uint32_t, std::uint32_t> heard_;  // pieces, by round
};

// Which worker owns each piece at each tick: the partition at first, then a new map from the tick at which
// each redistribution takes effect. Everybody applies the same maps in the same order, so owners agree
// without a word. One worker's own.

/// When loads are measured and when what follows from them takes effect.
class BalancePlan {
 public:
  explicit BalancePlan(const PieceOptions& options);

  /// The round, from 1, whose measuring ends with `tick`; 0: none.
  [[nodiscard]] std::uint32_t round_measured(TickId tick) const;
  /// The first tick under the map of `round`.
  [[nodiscard]] TickId effective(std::uint32_t round) const;
  /// How many maps one must have to know the owners at `tick`.
  [[nodiscard]] std::uint32_t rounds_before(TickId tick) const;
  /// The round in which the loads of `tick` are measured; 0: none.
  [[nodiscard]] std::uint32_t round_of(TickId tick) const {
    return every_ == 0 ? 0 : tick.value() / every_ + 1;
  }

 private:
  std::uint32_t every_ = 0;  // 0: never
  std::uint32_t lag_ = 0;
  std::uint32_t ticks_ = 0;
};

class Ownership {
 public:
  struct Change {
    PieceId piece{0};
    NodeId owner{0};
  };

  Ownership(const PieceLayout& layout, NodeId self, const PieceOptions& options);

  [[nodiscard]] const BalancePlan& plan() const { return plan_; }
  /// Whether the map that holds at `tick` has been learnt.
  [[nodiscard]] bool known(TickId tick) const { return learnt_ >= plan_.rounds_before(tick); }
  /// Requires known(tick), like all that follow.
  [[nodiscard]] NodeId owner(PieceId piece, TickId tick) const {
    return epoch(tick).owners[piece.index()];
  }
  /// This worker's pieces.
  [[nodiscard]] std::span<const PieceId> mine(TickId tick) const { return epoch(tick).mine; }
  /// Those of them that need `piece`.
  [[nodiscard]] std::span<const PieceId> readers(PieceId piece, TickId tick) const;
  /// D(P) of one of them.
  [[nodiscard]] std::uint32_t distance(PieceId piece, TickId tick) const;

  /// The map of the next round, as what it changes.
  void learn(std::span<const Change> changes);
  /// Nothing will be asked any more about ticks before `tick`.
  void forget_before(TickId tick);
  /// The newest map.
  [[nodiscard]] std::span<const NodeId> latest() const { return epochs_.back().owners; }
  [[nodiscard]] std::uint32_t learnt() const { return learnt_; }

 private:
  struct Epoch {
    TickId from{0};
    std::vector<NodeId> owners;
    std::vector<PieceId> mine;
    std::unordered_map<std::uint32_t, std::vector<PieceId>> readers;
    std::unordered_map<std::uint32_t, std::uint32_t> distance;
  };
  [[nodiscard]] const Epoch& epoch(TickId tick) const;
  void begin(TickId from, std::vector<NodeId> owners);

  const PieceLayout& layout_;
  NodeId self_;
  BalancePlan plan_;
  std::uint32_t learnt_ = 0;
  std::deque<Epoch> epochs_;
};

// The persistence-based load balancer (Lifflander et al., HPDC'12, as AsyTick uses it): what took long in
// the ticks just measured is taken to take long in those to come, and workers with more than their share
// hand pieces to those with less. Pure.

/// Owners after redistribution: pieces move away from the most loaded worker until nobody exceeds the
/// average by more than `slack_percent`, or no move helps. A heavy piece is moved rather than a light one,
/// and rather to a worker that has pieces around it, so that partitions stay in one part. `standing` is
/// what each of the workers has to do besides, which cannot be moved. The same loads give the same owners
/// everywhere.
[[nodiscard]] std::vector<NodeId> balanced_owners(const PieceLayout& layout,
                                                  std::span<const NodeId> owners,
                                                  std::span<const std::uint64_t> loads,
                                                  std::span<const std::uint64_t> standing,
                                                  std::uint32_t slack_percent = 5);

}  // namespace leeway::piece
