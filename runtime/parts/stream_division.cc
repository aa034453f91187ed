#include "leeway/runtime/parts/stream_division.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "leeway/datasets/stream_rule.h"
#include "leeway/runtime/parts/halo.h"

namespace leeway {

namespace {

/// A batch is this share of what has been placed before it, but at most the other of all: early ones are small, so
/// that there is soon something to follow.
constexpr std::uint32_t kGrowth = 4;
constexpr std::uint32_t kBatches = 64;
/// So much heavier, as a share of what a part may hold, hardly matters: a batch of all nodes is less.
constexpr double kHardly = 0.1;

StreamRule rule_for(Exchange& exchange, const GraphPart& part, const PartitionOptions& how) {
  const GraphTotals& totals = part.totals;
  const std::uint64_t arcs = how.balance == BalanceBy::Vertices ? 0 : totals.arcs;
  const auto total = static_cast<double>(totals.vertices + arcs);
  if (how.method == PartitionMethod::Ldg) return StreamRule::ldg(total, exchange.count());
  std::uint64_t loops = 0;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    const auto list = part.lists.targets.span().subspan(part.lists.offsets[i], part.degree(i));
    loops += static_cast<std::uint64_t>(std::count(list.begin(), list.end(), part.vertex(i)));
  }
  loops = exchange.sum(loops);
  const std::uint64_t edges = totals.directed ? totals.arcs : (totals.arcs + loops) / 2;
  return StreamRule::fennel(total, static_cast<double>(edges), exchange.count());
}

class Streamer {
 public:
  Streamer(Exchange& exchange, const GraphPart& part, const PartitionOptions& how)
      : exchange_(exchange),
        part_(part),
        balance_(how.balance),
        rule_(rule_for(exchange, part, how)),
        parts_(exchange.count()),
        halo_(exchange, part.ranges, part.lists.targets.span()),
        owners_(halo_.indices(), PartId::none()),
        loads_(parts_, 0),
        mine_(parts_, 0),
        neighbours_(parts_, 0) {}

  std::vector<PartId> run() {
    std::uint64_t widest = 0;
    for (std::uint32_t node = 0; node < parts_; ++node)
      widest = std::max<std::uint64_t>(widest, part_.ranges.size(NodeId(node)));
    for (std::uint64_t done = 0; done < widest;) {
      const std::uint64_t next = std::min(
          widest, done + std::clamp<std::uint64_t>(done / kGrowth, 1, widest / kBatches + 1));
      place(static_cast<std::uint32_t>(done * part_.size() / widest),
            static_cast<std::uint32_t>(next * part_.size() / widest));
      done = next;
    }
    owners_.resize(part_.size());
    return std::move(owners_);
  }

 private:
  [[nodiscard]] std::uint64_t weight(std::uint32_t place) const {
    return balance_ == BalanceBy::Vertices ? 1 : 1 + part_.degree(place);
  }
  /// What a part holds as far as this node can tell: all nodes are taken to do as it does.
  [[nodiscard]] double guessed(std::uint32_t p) const {
    return static_cast<double>(loads_[p] + mine_[p] * parts_);
  }
  /// Among equals each node begins with another part, so that ranges that hang together stay together.
  [[nodiscard]] std::uint32_t turn(std::uint32_t p) const {
    return (p + parts_ - exchange_.self().value()) % parts_;
  }

  void place(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t v = begin; v < end; ++v) wish(v);
    settle(begin, end);
    halo_.tell<PartId>(
        exchange_, begin, end, [](std::uint32_t) { return true; },
        [&](std::uint32_t v) { return owners_[v]; },
        [&](std::uint32_t index, PartId owner) { owners_[index] = owner; });
  }

  void count_neighbours(std::uint32_t v) {
    const auto targets =
        part_.lists.targets.span().subspan(part_.lists.offsets[v], part_.degree(v));
    for (const VertexId target : targets) {
      const PartId owner = owners_[halo_.index(target)];
      if (owner != PartId::none() && neighbours_[owner.index()]++ == 0)
        touched_.push_back(owner.value());
    }
  }
  void forget_neighbours() {
    for (const std::uint32_t p : touched_) neighbours_[p] = 0;
    touched_.clear();
  }

  /// For a vertex without neighbours so far: the node's own while it is hardly heavier than the lightest, since what has
  /// numbers that follow each other mostly hangs together; else, and for one without arcs, the lightest.
  [[nodiscard]] std::uint32_t default_part(std::uint32_t v) const {
    const std::uint32_t own = exchange_.self().value();
    std::uint32_t lightest = own;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      if (std::tuple(guessed(p), turn(p)) < std::tuple(guessed(lightest), turn(lightest)))
        lightest = p;
    }
    const bool hardly = guessed(own) <= guessed(lightest) + kHardly * rule_.capacity();
    return hardly && part_.degree(v) > 0 ? own : lightest;
  }

  void wish(std::uint32_t v) {
    count_neighbours(v);
    std::uint32_t best = default_part(v);
    const auto rank = [&](std::uint32_t p) {
      const auto load = static_cast<double>(loads_[p] + mine_[p]);
      return std::tuple(-rule_.score(neighbours_[p], load), guessed(p), turn(p));
    };
    for (const std::uint32_t p : touched_) {
      const std::uint64_t after = loads_[p] + mine_[p] + weight(v);
      if (static_cast<double>(after) <= rule_.capacity() && rank(p) < rank(best)) best = p;
    }
    owners_[v] = PartId(best);
    mine_[best] += weight(v);
    forget_neighbours();
  }

  /// Of a list a node, the one of each.
  std::vector<std::vector<std::uint64_t>> share(const std::vector<std::uint64_t>& list) {
    std::vector<std::vector<std::uint64_t>> all(parts_, std::vector<std::uint64_t>(list.size()));
    const auto bytes = exchange_.share_bytes(std::as_bytes(std::span(list)));
    for (std::uint32_t node = 0; node < parts_; ++node)
      std::memcpy(all[node].data(), bytes[node].data(), bytes[node].size());
    return all;
  }

  [[nodiscard]] std::uint64_t room(std::uint32_t p) const {
    const auto capacity = static_cast<std::uint64_t>(rule_.capacity());
    return capacity > loads_[p] ? capacity - loads_[p] : 0;
  }

  /// Where all together wish for more than a part has room for, each gets its share of the room, and puts what is
  /// left elsewhere.
  void settle(std::uint32_t begin, std::uint32_t end) {
    const auto wishes = share(mine_);
    bool over = false;
    std::vector<std::uint64_t> granted = mine_;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      std::uint64_t all = 0;
      for (const auto& each : wishes) all += each[p];
      if (all <= room(p)) continue;
      over = true;
      granted[p] =
          static_cast<std::uint64_t>(static_cast<double>(room(p)) *
                                     (static_cast<double>(mine_[p]) / static_cast<double>(all)));
    }
    if (!over) return add(wishes);
    std::vector<std::uint32_t> left;
    std::fill(mine_.begin(), mine_.end(), 0);
    std::uint64_t left_weight = 0;
    for (std::uint32_t v = begin; v < end; ++v) {
      std::uint64_t& into = mine_[owners_[v].index()];
      if (into + weight(v) <= granted[owners_[v].index()]) {
        into += weight(v);
      } else {
        owners_[v] = PartId::none();
        left.push_back(v);
        left_weight += weight(v);
      }
    }
    mine_.push_back(left_weight);
    auto placed = share(mine_);
    mine_.pop_back();
    std::uint64_t all_left = 0;
    for (auto& each : placed) {
      all_left += each.back();
      each.pop_back();
    }
    add(placed);
    place_left(left, all_left == 0
                         ? 0.0
                         : static_cast<double>(left_weight) / static_cast<double>(all_left));
    add(share(mine_));
  }

  /// Within this node's share of the room that is left, which is as large as what it has to place.
  void place_left(const std::vector<std::uint32_t>& left, double my_share) {
    std::vector<double> quota(parts_);
    for (std::uint32_t p = 0; p < parts_; ++p) quota[p] = static_cast<double>(room(p)) * my_share;
    for (const std::uint32_t v : left) {
      count_neighbours(v);
      const auto own = static_cast<double>(weight(v));
      std::uint32_t best = 0;
      const auto rank = [&](std::uint32_t p) {
        // Where it fits nowhere, each node begins with another part that has some room.
        const bool fits = quota[p] >= own;
        const bool full = quota[p] <= 0;
        return std::tuple(!fits, !fits && full, fits ? -static_cast<double>(neighbours_[p]) : 0.0,
                          fits || full ? -quota[p] : 0.0, turn(p));
      };
      for (std::uint32_t p = 1; p < parts_; ++p) {
        if (rank(p) < rank(best)) best = p;
      }
      owners_[v] = PartId(best);
      quota[best] -= own;
      mine_[best] += weight(v);
      forget_neighbours();
    }
  }

  void add(const std::vector<std::vector<std::uint64_t>>& weights) {
    for (const auto& each : weights) {
      for (std::uint32_t p = 0; p < parts_; ++p) loads_[p] += each[p];
    }
    std::fill(mine_.begin(), mine_.end(), 0);
  }

  Exchange& exchange_;
  const GraphPart& part_;
  const BalanceBy balance_;
  const StreamRule rule_;
  const std::uint32_t parts_;
  const Halo halo_;
  std::vector<PartId> owners_;        // by the halo's index
  std::vector<std::uint64_t> loads_;  // of all, before this batch
  std::vector<std::uint64_t> mine_;   // of this node, in this batch
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace

std::vector<PartId> stream_division(Exchange& exchange, const GraphPart& part,
                                    const PartitionOptions& how) {
  return Streamer(exchange, part, how).run();
}

}  // namespace leeway
