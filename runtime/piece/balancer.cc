#include "leeway/runtime/piece/balancer.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "leeway/base/check.h"

namespace leeway::piece {

namespace {

using Loaded = std::pair<std::uint64_t, std::uint32_t>;  // load, worker

/// What a piece more around it at its new worker is worth, as a share of what it weighs.
constexpr double kNearness = 0.3;

/// Who has what, as pieces are moved one by one.
class Scales {
 public:
  Scales(const PieceLayout& layout, std::span<const NodeId> owners,
         std::span<const std::uint64_t> loads, std::span<const std::uint64_t> standing,
         std::uint32_t slack_percent)
      : layout_(layout),
        loads_(loads),
        owners_(owners.begin(), owners.end()),
        sums_(standing.begin(), standing.end()),
        held_(standing.size()),
        spent_(standing.size(), false) {
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

  /// Moves one piece from the most loaded worker that has one to give; false: there is none.
  bool relieve() {
    for (auto giver = order_.rbegin(); giver != order_.rend() && giver->first > limit_; ++giver) {
      if (spent_[giver->second]) continue;
      if (const auto move = best_move(giver->second)) {
        carry_out(*move, giver->second);
        return true;
      }
      spent_[giver->second] = true;  // nothing left that fits anywhere
    }
    return false;
  }
  [[nodiscard]] std::vector<NodeId> owners() && { return std::move(owners_); }

 private:
  struct Move {
    std::size_t place;  // among the giver's pieces
    std::uint32_t taker;
    double worth;
  };

  /// How many of those around a piece a worker has.
  [[nodiscard]] int near(PieceId piece, std::uint32_t worker) const {
    const auto around = layout_.around(piece);
    return static_cast<int>(std::count_if(around.begin(), around.end(), [&](PieceId other) {
      return owners_[other.index()].value() == worker;
    }));
  }

  [[nodiscard]] std::optional<Move> best_move(std::uint32_t giver) const {
    std::optional<Move> best;
    const auto& pieces = held_[giver];
    for (std::size_t place = 0; place < pieces.size(); ++place) {
      const PieceId piece = pieces[place];
      const std::uint64_t load = loads_[piece.index()];
      if (load == 0) continue;
      const int lost = near(piece, giver) - 1;
      const double weight = static_cast<double>(std::min(load, sums_[giver] - limit_));
      const auto consider = [&](std::uint32_t taker) {
        const std::uint64_t then = sums_[taker] + load;
        if (taker == giver || then > limit_ || then >= sums_[giver]) return;
        const double worth = weight * (1 + kNearness * (near(piece, taker) - lost));
        if (!best || worth > best->worth) best = Move{place, taker, worth};
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

  void carry_out(const Move& move, std::uint32_t giver) {
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
  std::vector<std::vector<PieceId>> held_;  // at first
  std::vector<bool> spent_;
  std::set<Loaded> order_;
  std::uint64_t limit_ = 0;
};

}  // namespace

std::vector<NodeId> balanced_owners(const PieceLayout& layout, std::span<const NodeId> owners,
                                    std::span<const std::uint64_t> loads,
                                    std::span<const std::uint64_t> standing,
                                    std::uint32_t slack_percent) {
  LEEWAY_CHECK(owners.size() == loads.size());
  LEEWAY_CHECK(owners.size() == layout.count());
  LEEWAY_CHECK(!standing.empty());
  Scales scales(layout, owners, loads, standing, slack_percent);
  while (scales.relieve()) {
  }
  return std::move(scales).owners();
}

}  // namespace leeway::piece
