#include "leeway/runtime/piece/load_profile.h"

#include "leeway/base/check.h"

namespace leeway::piece {

void LoadProfile::take(std::uint32_t round, std::uint32_t count, Loads loads) {
  std::uint32_t& heard = heard_[round];
  heard += count;
  LEEWAY_CHECK(heard <= pieces_, "in round", round);
  for (const auto& [piece, load] : loads) forecast_.take(piece, load.nanoseconds, load.ticks);
}

bool LoadProfile::complete(std::uint32_t round) const {
  const auto found = heard_.find(round);
  return found != heard_.end() && found->second == pieces_;
}

}  // namespace leeway::piece
