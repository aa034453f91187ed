#include "leeway/runtime/parts/refine_division.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "leeway/base/mix.h"

namespace leeway {

namespace {

constexpr std::uint32_t kSweeps = 6;
/// A sweep visits the vertices in so many rounds, and each twice: first they move only to parts of higher number, then
/// only to lower, so that no two neighbours change places.
constexpr std::uint32_t kRounds = 2;

class Refinement {
 public:
  Refinement(Exchange& exchange, const PartLevel& level, const Halo& halo, std::uint64_t most,
             std::vector<PartId>& owners)
      : exchange_(exchange),
        level_(level),
        halo_(halo),
        parts_(exchange.count()),
        most_(static_cast<std::int64_t>(most)),
        owners_(owners),
        loads_(parts_, 0),
        moved_(parts_ + std::size_t{1}, 0),
        joined_(parts_, 0),
        changed_(level.size(), 1) {
    owners_.resize(halo.indices());
    for (std::uint32_t v = 0; v < level.size(); ++v) moved_[owners_[v].index()] += level.weights[v];
    settle();
  }

  void run() {
    for (std::uint32_t sweep = 0; sweep < kSweeps; ++sweep) {
      std::int64_t moves = 0;
      for (std::uint32_t round = 0; round < 2 * kRounds; ++round) {
        const bool up = round % 2 == 0;
        for (std::uint32_t v = 0; v < level_.size(); ++v) {
          if (mix64(level_.first() + v) % kRounds == round / 2) visit(v, up);
        }
        moves += settle();
      }
      if (moves == 0) break;
    }
    owners_.resize(level_.size());
  }

 private:
  /// What this node may still do to a part in this round: its share of the room there, and what it has moved away itself.
  [[nodiscard]] bool has_room(std::uint32_t p, std::int64_t weight) const {
    const std::int64_t room = std::max<std::int64_t>(0, most_ - loads_[p]) / parts_;
    return moved_[p] + weight <= room;
  }
  [[nodiscard]] bool too_full(std::uint32_t p) const {
    const std::int64_t over = loads_[p] - most_;
    return over > 0 && -moved_[p] * parts_ < over;
  }

  void visit(std::uint32_t v, bool up) {
    const std::uint32_t from = owners_[v].value();
    const bool must = too_full(from);
    bool inner = true;
    for (std::uint64_t arc = level_.offsets[v]; arc < level_.offsets[v + std::size_t{1}]; ++arc) {
      const std::uint32_t p = owners_[halo_.index(level_.targets[arc])].value();
      if (joined_[p] == 0) touched_.push_back(p);
      joined_[p] += level_.arc_weights[arc];
      inner = inner && p == from;
    }
    const std::int64_t weight = level_.weights[v];
    std::uint32_t best = from;
    for (const std::uint32_t p : touched_) {
      if (p == from || (p > from) != up || !has_room(p, weight)) continue;
      if (best == from || joined_[p] > joined_[best] ||
          (joined_[p] == joined_[best] && loads_[p] < loads_[best]))
        best = p;
    }
    if (best == from && must && inner) best = anywhere(from, up, weight);
    const bool gains = joined_[best] > joined_[from];
    const bool evens = joined_[best] == joined_[from] &&
                       loads_[best] + moved_[best] + weight < loads_[from] + moved_[from] - weight;
    if (best != from && (gains || evens || must)) {
      owners_[v] = PartId(best);
      moved_[from] -= weight;
      moved_[best] += weight;
      ++moved_.back();
      changed_[v] = 1;
    }
    for (const std::uint32_t p : touched_) joined_[p] = 0;
    touched_.clear();
  }

  /// The lightest part with room: for vertices without arcs, which lose nothing by it.
  [[nodiscard]] std::uint32_t anywhere(std::uint32_t from, bool up, std::int64_t weight) const {
    std::uint32_t best = from;
    if (!touched_.empty()) return best;
    for (std::uint32_t p = 0; p < parts_; ++p) {
      if ((p > from) != up || p == from || !has_room(p, weight)) continue;
      if (best == from || loads_[p] < loads_[best]) best = p;
    }
    return best;
  }

  /// Makes known what moved; how many vertices did.
  std::int64_t settle() {
    std::int64_t moves = 0;
    std::vector<std::int64_t> sums(moved_.size());
    for (const auto& bytes : exchange_.share_bytes(std::as_bytes(std::span(moved_)))) {
      std::memcpy(sums.data(), bytes.data(), bytes.size());
      for (std::uint32_t p = 0; p < parts_; ++p) loads_[p] += sums[p];
      moves += sums.back();
    }
    std::fill(moved_.begin(), moved_.end(), 0);
    halo_.tell<PartId>(
        exchange_, 0, level_.size(), [&](std::uint32_t v) { return changed_[v] != 0; },
        [&](std::uint32_t v) { return owners_[v]; },
        [&](std::uint32_t index, PartId owner) { owners_[index] = owner; });
    std::fill(changed_.begin(), changed_.end(), 0);
    return moves;
  }

  Exchange& exchange_;
  const PartLevel& level_;
  const Halo& halo_;
  const std::uint32_t parts_;
  const std::int64_t most_;
  std::vector<PartId>& owners_;      // by the halo's index while this runs
  std::vector<std::int64_t> loads_;  // of all, before this round
  std::vector<std::int64_t> moved_;  // by this node in this round; at the end how many vertices
  std::vector<std::uint64_t> joined_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint8_t> changed_;
};

}  // namespace

void refine_division(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::uint64_t most, std::vector<PartId>& owners) {
  Refinement(exchange, level, halo, most, owners).run();
}

}  // namespace leeway
