#include "runtime/piece/ownership.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "base/check.h"

namespace leeway::piece {

void LoadProfile::take(NodeId worker, std::uint32_t round, std::uint32_t count, Loads loads) {
  RoundReports& reported = reported_[round];
  LEEWAY_CHECK(reported.workers.insert(worker).second, "worker", worker, "in round", round);
  reported.pieces += count;
  LEEWAY_CHECK(reported.pieces <= pieces_, "in round", round);
  for (const auto& [piece, load] : loads) forecast_.take(piece, load.nanoseconds, load.ticks);
}

bool LoadProfile::complete(std::uint32_t round) const {
  const auto found = reported_.find(round);
  return found != reported_.end() && found->second.pieces == pieces_;
}

bool LoadProfile::has_reported(NodeId worker, std::uint32_t round) const {
  const auto found = reported_.find(round);
  return found != reported_.end() && found->second.workers.contains(worker);
}

BalanceRounds::BalanceRounds(const PieceOptions& options) : ticks_(options.ticks) {
  if (!has_balancer(options.system) || !has_barrier(options.system)) return;
  every_ = std::max(options.balance_every, 2U);
  lag_ = std::clamp(options.balance_lag, 2U, every_);
}

std::uint32_t BalanceRounds::round_measured(TickId tick) const {
  if (every_ == 0 || (tick.value() + 1) % every_ != 0) return 0;
  const std::uint32_t round = (tick.value() + 1) / every_;
  return effective(round).value() < ticks_ ? round : 0;
}

std::optional<TickId> BalanceRounds::end_of(std::uint32_t round) const {
  if (every_ == 0 || round == 0 || round > ticks_ / every_) return std::nullopt;
  const TickId tick(round * every_ - 1);
  return round_measured(tick) == round ? std::optional(tick) : std::nullopt;
}

TickId BalanceRounds::effective(std::uint32_t round) const {
  return TickId(round * every_ - 1 + lag_);
}

std::uint32_t BalanceRounds::rounds_before(TickId tick) const {
  if (every_ == 0 || tick.value() + 1 < lag_) return 0;
  return (tick.value() + 1 - lag_) / every_;
}

Ownership::Ownership(const PieceLayout& layout, NodeId self, const PieceOptions& options)
    : layout_(layout), self_(self), rounds_(options) {
  begin(TickId(0), {layout.homes().begin(), layout.homes().end()});
}

const Ownership::Epoch& Ownership::epoch(TickId tick) const {
  LEEWAY_CHECK(known(tick));
  for (auto at = epochs_.rbegin(); at != epochs_.rend(); ++at) {
    if (at->from <= tick) return *at;
  }
  LEEWAY_UNREACHABLE("the map of this tick was dropped", tick);
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

std::uint32_t Ownership::count(NodeId worker, TickId tick) const {
  const auto& owners = epoch(tick).owners;
  return static_cast<std::uint32_t>(std::count(owners.begin(), owners.end(), worker));
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
  begin(rounds_.effective(learnt_), std::move(owners));
}

namespace {

using Loaded = std::pair<std::uint64_t, std::uint32_t>;  // load, worker

/// The worth of one more adjacent piece at the taker, as a fraction of the piece's load.
constexpr double kNearness = 0.3;

/// The workers' loads, while pieces are moved one by one.
class Scales {
 public:
  Scales(const PieceLayout& layout, std::span<const NodeId> owners,
         std::span<const std::uint64_t> loads, std::span<const std::uint64_t> fixed_loads,
         std::uint32_t slack_percent)
      : layout_(layout),
        loads_(loads),
        owners_(owners.begin(), owners.end()),
        sums_(fixed_loads.begin(), fixed_loads.end()),
        held_(fixed_loads.size()),
        spent_(fixed_loads.size(), false) {
    for (PieceId piece(0); piece.index() < owners_.size(); piece = piece.next()) {
      held_[owners_[piece.index()].index()].push_back(piece);
      sums_[owners_[piece.index()].index()] += loads_[piece.index()];
    }
    const std::uint64_t share =
        std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0}) / sums_.size();
    limit_ = share + share * slack_percent / 100 + 1;
    for (std::uint32_t worker = 0; worker < sums_.size(); ++worker)
      order_.insert({sums_[worker], worker});
  }

  /// Moves one piece from the most loaded worker that can give one; false if there is none.
  bool relieve() {
    for (auto giver = order_.rbegin(); giver != order_.rend() && giver->first > limit_; ++giver) {
      if (spent_[giver->second]) continue;
      if (const auto move = best_move(giver->second)) {
        apply(*move, giver->second);
        return true;
      }
      spent_[giver->second] = true;  // none of its pieces fits elsewhere
    }
    return false;
  }
  [[nodiscard]] std::vector<NodeId> owners() && { return std::move(owners_); }

 private:
  struct PieceMove {
    std::size_t place;  // index among the giver's pieces
    std::uint32_t taker;
    double worth;
  };

  /// The number of pieces adjacent to `piece` that the worker owns.
  [[nodiscard]] int adjacent_at(PieceId piece, std::uint32_t worker) const {
    const auto around = layout_.around(piece);
    return static_cast<int>(std::count_if(around.begin(), around.end(), [&](PieceId other) {
      return owners_[other.index()].value() == worker;
    }));
  }

  [[nodiscard]] std::optional<PieceMove> best_move(std::uint32_t giver) const {
    std::optional<PieceMove> best;
    const auto& pieces = held_[giver];
    for (std::size_t place = 0; place < pieces.size(); ++place) {
      const PieceId piece = pieces[place];
      const std::uint64_t load = loads_[piece.index()];
      if (load == 0) continue;
      const int lost = adjacent_at(piece, giver) - 1;
      const double weight = static_cast<double>(std::min(load, sums_[giver] - limit_));
      const auto consider = [&](std::uint32_t taker) {
        const std::uint64_t then = sums_[taker] + load;
        if (taker == giver || then > limit_ || then >= sums_[giver]) return;
        const double worth = weight * (1 + kNearness * (adjacent_at(piece, taker) - lost));
        if (!best || worth > best->worth) best = PieceMove{place, taker, worth};
      };
      consider(order_.begin()->second);
      std::uint32_t last = giver;
      for (const PieceId other : layout_.around(piece)) {
        const std::uint32_t owner = owners_[other.index()].value();
        if (owner != last) consider(owner);
        last = owner;
      }
    }
    return best;
  }

  void apply(const PieceMove& move, std::uint32_t giver) {
    const PieceId piece = held_[giver][move.place];
    held_[giver].erase(held_[giver].begin() + static_cast<std::ptrdiff_t>(move.place));
    owners_[piece.index()] = NodeId(move.taker);
    for (const std::uint32_t worker : {giver, move.taker}) order_.erase({sums_[worker], worker});
    sums_[giver] -= loads_[piece.index()];
    sums_[move.taker] += loads_[piece.index()];
    for (const std::uint32_t worker : {giver, move.taker}) order_.insert({sums_[worker], worker});
  }

  const PieceLayout& layout_;
  std::span<const std::uint64_t> loads_;
  std::vector<NodeId> owners_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::vector<PieceId>> held_;  // initially
  std::vector<bool> spent_;
  std::set<Loaded> order_;
  std::uint64_t limit_ = 0;
};

}  // namespace

std::vector<NodeId> balanced_owners(const PieceLayout& layout, std::span<const NodeId> owners,
                                    std::span<const std::uint64_t> loads,
                                    std::span<const std::uint64_t> fixed_loads,
                                    std::uint32_t slack_percent) {
  LEEWAY_CHECK(owners.size() == loads.size());
  LEEWAY_CHECK(owners.size() == layout.count());
  LEEWAY_CHECK(!fixed_loads.empty());
  Scales scales(layout, owners, loads, fixed_loads, slack_percent);
  while (scales.relieve()) {
  }
  return std::move(scales).owners();
}

void Forecast::take(PieceId piece, std::uint64_t nanoseconds, std::uint32_t ticks) {
  if (ticks == 0) return;
  ReportedLoad& reported = pieces_[piece.index()];
  const double count = ticks;
  reported.load += static_cast<double>(nanoseconds);
  reported.ticks += count;
  const bool due = reported.ticks >= ahead_;
  // Old errors lose half of their weight after about ten evaluations of every piece.
  const double kept_errors = 1 - 1 / (16.0 * static_cast<double>(pieces_.size()));
  if (due && reported.evaluated) evaluations_ = evaluations_ * kept_errors + 1;
  for (std::size_t i = 0; i < kKept.size(); ++i) {
    Memory& memory = reported.memories[i];
    const double kept = std::pow(kKept[i], count);
    const double weight = (1 - kept) / (1 - kKept[i]);
    memory.load = memory.load * kept + static_cast<double>(nanoseconds) / count * weight;
    memory.ticks = memory.ticks * kept + weight;
    if (!due) continue;
    if (reported.evaluated) {
      const double error = reported.load / reported.ticks - reported.predicted[i];
      errors_[i] = errors_[i] * kept_errors + error * error;
    }
    reported.predicted[i] = memory.rate();
  }
  if (!due) return;
  reported.evaluated = true;
  reported.load = reported.ticks = 0;
  best_ =
      static_cast<std::size_t>(std::min_element(errors_.begin(), errors_.end()) - errors_.begin());
}

std::uint64_t Forecast::rate(PieceId piece) const {
  return static_cast<std::uint64_t>(pieces_[piece.index()].memories[best_].rate());
}

std::vector<std::uint64_t> Forecast::rates() const {
  std::vector<std::uint64_t> rates;
  rates.reserve(pieces_.size());
  for (PieceId piece(0); piece.index() < pieces_.size(); piece = piece.next())
    rates.push_back(rate(piece));
  return rates;
}

std::uint32_t Forecast::slack_percent(std::uint32_t workers) const {
  constexpr double kLeast = 2;
  constexpr double kMost = 15;
  double all = 0;
  for (const ReportedLoad& reported : pieces_) all += reported.memories[best_].rate();
  if (evaluations_ == 0 || all == 0) return static_cast<std::uint32_t>(kLeast);
  // The pieces' errors are independent, so a worker's error grows with the square root of its number of pieces.
  // Half of it is tolerated: a larger imbalance is more likely real than not.
  const double each = static_cast<double>(pieces_.size()) / workers;
  const double error = std::sqrt(errors_[best_] / evaluations_ * each);
  return static_cast<std::uint32_t>(std::clamp(50 * error / (all / workers), kLeast, kMost));
}

}  // namespace leeway::piece
