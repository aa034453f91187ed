// Colouring: neighbours get different colours. A vertex keeps its colour until a neighbour with precedence (a fixed
// pseudo-random order) has the same; then it takes the smallest colour that no neighbour has. Proper under every
// scheduler; the colouring depends on the order in which values arrive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/bytes.h"
#include "leeway/vertex.h"

namespace leeway {

struct Coloured {
  std::uint32_t colour = 0;
  std::uint32_t vertex = 0;
  friend bool operator==(const Coloured&, const Coloured&) = default;
};

class Colouring {
 public:
  using Value = Coloured;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kDropLoops = true;
  /// Once the neighbours with precedence have converged, a vertex changes at most once.
  static constexpr bool kAlwaysRests = true;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] Coloured init(VertexId v) const { return {kNone, v.value()}; }
  [[nodiscard]] Coloured update(const Vertex<Coloured>& vertex) const {
    const Coloured own = vertex.value();
    bool clash = own.colour == kNone;
    Scratch<bool, Colouring> scratch;
    std::vector<bool>& taken = *scratch;
    taken.assign(vertex.degree() + 1, false);
    vertex.each([&](const Coloured& other) {
      if (other.colour < taken.size()) taken[other.colour] = true;
      clash = clash || (other.colour == own.colour && goes_first(other.vertex, own.vertex));
    });
    if (!clash) return own;
    const auto free = std::find(taken.begin(), taken.end(), false);
    return {static_cast<std::uint32_t>(free - taken.begin()), own.vertex};
  }
  [[nodiscard]] std::uint32_t result(const Vertex<Coloured>& vertex) const {
    return vertex.value().colour;
  }

 private:
  static bool goes_first(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t first = mix64(a);
    const std::uint64_t second = mix64(b);
    return first != second ? first < second : a < b;
  }
};

}  // namespace leeway
