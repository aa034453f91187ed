// Bipartition: two sides such that every arc joins vertices of different sides, if the component has them. A vertex keeps the
// smallest vertex of its component and the parities of the paths from it that it has received. Both only grow towards the final
// value, so the result is the same under every schedule. A component with an odd cycle has paths of both parities.
#pragma once

#include <cstdint>
#include <limits>

#include "leeway/vertex.h"

namespace leeway {

/// Sides that a vertex can be on: bit 0 for that of the root, bit 1 for the other.
struct SideOfRoot {
  std::uint32_t root = 0;
  std::uint32_t sides = 0;
  friend bool operator==(const SideOfRoot&, const SideOfRoot&) = default;
};

class Bipartition {
 public:
  using Value = SideOfRoot;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kAlwaysRests = true;
  static constexpr std::uint64_t kNoSide = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] SideOfRoot init(VertexId v) const { return {v.value(), 1}; }
  [[nodiscard]] SideOfRoot update(const Vertex<SideOfRoot>& vertex) const {
    SideOfRoot best = vertex.value();
    vertex.each([&](const SideOfRoot& other) {
      if (other.root > best.root) return;
      const std::uint32_t across = ((other.sides & 1U) << 1U) | (other.sides >> 1U);
      best.sides = other.root < best.root ? across : best.sides | across;
      best.root = other.root;
    });
    return best;
  }
  /// 0 or 1; kNoSide in a component with an odd cycle.
  [[nodiscard]] std::uint64_t result(const Vertex<SideOfRoot>& vertex) const {
    const std::uint32_t sides = vertex.value().sides;
    if (sides == 3) return kNoSide;
    return sides == 1 ? 0 : 1;
  }
};

}  // namespace leeway
