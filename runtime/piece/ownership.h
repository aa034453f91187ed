// The load balancing of pieces: predicting their computing times (Forecast, LoadProfile), the owners of pieces at each
// tick (BalanceRounds, Ownership), and the persistence-based balancer (balanced_owners).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/piece.h"

namespace leeway::piece {

/// Predicts each piece's computing time per tick from earlier ticks (principle of persistence, used by both systems
/// with a balancer). The best averaging period depends on how the load moves, so several are kept, and the one with
/// the smallest prediction error is used. Not thread-safe.
class Forecast {
 public:
  /// `ahead`: averaging periods are compared by their predictions over this number of ticks.
  Forecast(std::uint32_t pieces, std::uint32_t ahead) : ahead_(ahead), pieces_(pieces) {}

  /// `piece` took `nanoseconds` for `ticks` ticks.
  void take(PieceId piece, std::uint64_t nanoseconds, std::uint32_t ticks);
  /// Predicted nanoseconds per tick; 0 for a piece without measurements.
  [[nodiscard]] std::uint64_t rate(PieceId piece) const;
  [[nodiscard]] std::vector<std::uint64_t> rates() const;
  /// Half the expected error of a worker's predicted load, in percent, if all workers have equally many pieces.
  /// Smaller imbalances do not justify a move. From 2 to 15.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const;

 private:
  /// Averaging periods: the factor by which a tick's weight decreases per tick.
  static constexpr std::array kKept = {0.5, 0.75, 0.9, 0.97};
  struct Memory {
    double load = 0;
    double ticks = 0;
    [[nodiscard]] double rate() const { return ticks > 0 ? load / ticks : 0; }
  };
  struct ReportedLoad {
    std::array<Memory, kKept.size()> memories;
    std::array<double, kKept.size()> predicted{};
    bool evaluated = false;
    double load = 0;  // since the last prediction
    double ticks = 0;
  };

  double ahead_;
  std::vector<ReportedLoad> pieces_;
  std::array<double, kKept.size()>
      errors_{};            // sums of squared errors, older ones with less weight
  double evaluations_ = 0;  // sum of their weights
  std::size_t best_ = 0;
};

/// The computing time of a piece at one worker, and the number of ticks measured.
struct PieceLoad {
  std::uint64_t nanoseconds = 0;
  std::uint32_t ticks = 0;
};

/// The loads reported to the coordinating worker with barriers: the time of each piece per tick, older measurements
/// with less weight. Not thread-safe.
class LoadProfile {
 public:
  using Loads = std::span<const std::pair<PieceId, PieceLoad>>;

  explicit LoadProfile(std::uint32_t pieces) : pieces_(pieces), forecast_(pieces, kAhead) {}

  /// A worker has finished the ticks of `round` with `count` pieces; `loads` are its measurements. Requires that it has not
  /// reported in this round, and that these are all its pieces.
  void take(NodeId worker, std::uint32_t round, std::uint32_t count, Loads loads);
  [[nodiscard]] bool has_reported(NodeId worker, std::uint32_t round) const;
  /// Whether all pieces have been reported in `round`.
  [[nodiscard]] bool complete(std::uint32_t round) const;

  /// Predicted nanoseconds per tick, by piece.
  [[nodiscard]] std::vector<std::uint64_t> rates() const { return forecast_.rates(); }
  /// As Forecast::slack_percent.
  [[nodiscard]] std::uint32_t slack_percent(std::uint32_t workers) const {
    return forecast_.slack_percent(workers);
  }

 private:
  static constexpr std::uint32_t kAhead = 4;  // a map is used for about this number of ticks

  std::uint32_t pieces_;
  Forecast forecast_;
  struct RoundReports {
    std::uint32_t pieces = 0;
    std::set<NodeId> workers;
  };
  std::map<std::uint32_t, RoundReports> reported_;  // by round
};

/// When loads are measured, and when the map computed from them takes effect.
class BalanceRounds {
 public:
  explicit BalanceRounds(const PieceOptions& options);

  /// The round, from 1, whose measurement ends with `tick`; 0: none.
  [[nodiscard]] std::uint32_t round_measured(TickId tick) const;
  /// The tick with which the measurement of `round`, at least 1, ends; none if no map follows from it.
  [[nodiscard]] std::optional<TickId> end_of(std::uint32_t round) const;
  /// The first tick under the map of `round`.
  [[nodiscard]] TickId effective(std::uint32_t round) const;
  /// The number of maps that determine the owners at `tick`.
  [[nodiscard]] std::uint32_t rounds_before(TickId tick) const;
  /// The round in which the loads of `tick` are measured; 0: none.
  [[nodiscard]] std::uint32_t round_of(TickId tick) const {
    return every_ == 0 ? 0 : tick.value() / every_ + 1;
  }

 private:
  std::uint32_t every_ = 0;  // 0: never balance
  std::uint32_t lag_ = 0;
  std::uint32_t ticks_ = 0;
};

/// The owner of each piece at each tick: the initial partition, then a new map from the tick at which each
/// redistribution takes effect. All workers apply the same maps in the same order, so they agree without further
/// messages. Not thread-safe.
class Ownership {
 public:
  struct Change {
    PieceId piece{0};
    NodeId owner{0};
  };

  Ownership(const PieceLayout& layout, NodeId self, const PieceOptions& options);

  [[nodiscard]] const BalanceRounds& rounds() const { return rounds_; }
  /// Whether the map that is valid at `tick` has been received.
  [[nodiscard]] bool known(TickId tick) const { return learnt_ >= rounds_.rounds_before(tick); }
  /// The owner of a piece. This and the following functions require known(tick).
  [[nodiscard]] NodeId owner(PieceId piece, TickId tick) const {
    return epoch(tick).owners[piece.index()];
  }
  /// The pieces of this worker.
  [[nodiscard]] std::span<const PieceId> mine(TickId tick) const { return epoch(tick).mine; }
  /// The number of pieces of a worker.
  [[nodiscard]] std::uint32_t count(NodeId worker, TickId tick) const;
  /// The pieces of this worker that need `piece`.
  [[nodiscard]] std::span<const PieceId> readers(PieceId piece, TickId tick) const;
  /// D(P) of a piece of this worker.
  [[nodiscard]] std::uint32_t distance(PieceId piece, TickId tick) const;

  /// Applies the map of the next round, given as changes.
  void learn(std::span<const Change> changes);
  /// Drops the maps that are only valid before `tick`.
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
  BalanceRounds rounds_;
  std::uint32_t learnt_ = 0;
  std::deque<Epoch> epochs_;
};

/// The persistence-based load balancer (Lifflander et al., HPDC'12, as used by AsyTick) assumes that pieces take as
/// long in the next ticks as in the measured ones. It returns the owners after redistribution: pieces are moved away
/// from the most loaded worker until no worker exceeds the mean by more than `slack_percent`, or no move helps. Heavy
/// pieces are preferred, and takers that own adjacent pieces, so that partitions stay connected. `fixed_loads`: each
/// worker's load that cannot be moved. The same loads give the same owners everywhere. Pure.
[[nodiscard]] std::vector<NodeId> balanced_owners(const PieceLayout& layout,
                                                  std::span<const NodeId> owners,
                                                  std::span<const std::uint64_t> loads,
                                                  std::span<const std::uint64_t> fixed_loads,
                                                  std::uint32_t slack_percent = 5);

}  // namespace leeway::piece
