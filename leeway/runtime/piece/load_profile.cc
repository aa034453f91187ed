#include "leeway/runtime/piece/load_profile.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"

namespace leeway::piece {

LoadProfile::LoadProfile(const PieceOptions& options, std::uint32_t pieces, std::uint32_t workers)
    : every_(options.balance_every),
      persistence_(options.persistence_percent / 100.0),
      pieces_(pieces),
      workers_(workers) {}

void LoadProfile::take(NodeId worker, std::uint32_t round, std::uint32_t count, Loads loads,
                       Instant now) {
  std::uint32_t& heard = heard_[round];
  heard += count;
  LEEWAY_CHECK(heard <= pieces_.size(), "in round", round);
  Standing& standing = workers_[worker.index()];
  // A worker may be through with pieces it was given before it is with one that it gives away.
  if (round > standing.round) standing = {.round = round, .told = now};
  for (const auto& [piece, load] : loads) {
    Measured& measured = pieces_[piece.index()];
    if (round > measured.round) {
      const double kept = std::pow(persistence_, round - measured.round);
      measured = {.load = measured.load * kept, .ticks = measured.ticks * kept, .round = round};
    }
    const double weight = std::pow(persistence_, measured.round - round);
    measured.load += static_cast<double>(load.nanoseconds) * weight;
    measured.ticks += load.ticks * weight;
  }
}

bool LoadProfile::complete(std::uint32_t round) const {
  const auto found = heard_.find(round);
  return found != heard_.end() && found->second == pieces_.size();
}

std::vector<std::uint64_t> LoadProfile::rates() const {
  std::vector<std::uint64_t> rates;
  rates.reserve(pieces_.size());
  for (const Measured& measured : pieces_) {
    rates.push_back(measured.ticks > 0 ? static_cast<std::uint64_t>(measured.load / measured.ticks)
                                       : 0);
  }
  return rates;
}

std::vector<std::uint64_t> LoadProfile::remaining(std::span<const NodeId> owners,
                                                  std::span<const std::uint64_t> rates, TickId to,
                                                  Instant now) const {
  std::vector<std::uint64_t> a_tick(workers_.size(), 0);
  for (std::size_t i = 0; i < rates.size(); ++i) a_tick[owners[i].index()] += rates[i];
  std::vector<std::uint64_t> remaining(workers_.size(), 0);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Standing& standing = workers_[i];
    if (standing.round == 0) continue;  // it has had no pieces
    const std::uint64_t reached = std::uint64_t{standing.round} * every_;
    if (reached >= to.value()) continue;
    const std::uint64_t all = a_tick[i] * (to.value() - reached);
    const auto since =
        static_cast<std::uint64_t>(std::max((now - standing.told).count(), Duration::rep{0}));
    remaining[i] = all > since ? all - since : 0;
  }
  return remaining;
}

}  // namespace leeway::piece
