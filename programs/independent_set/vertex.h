// IndependentSet: a maximal set of vertices without arcs between them. Vertices have a pseudo-random order of precedence (Luby,
// 1986); a vertex is in the set if none of its neighbours with precedence is. That is the set that a sequential greedy algorithm
// finds in this order (Blelloch, Fineman & Shun, 2012), under every schedule: a decision is made once, from decisions that are
// final.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "leeway/vertex.h"

namespace leeway {

enum class SetChoice : std::uint32_t { Open, In, Out };

struct SetMember {
  std::uint32_t vertex = 0;
  SetChoice choice = SetChoice::Open;
  friend bool operator==(const SetMember&, const SetMember&) = default;
};

class IndependentSet {
 public:
  using Value = SetMember;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kDropLoops = true;
  static constexpr bool kAlwaysRests = true;

  explicit IndependentSet(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] SetMember init(VertexId v) const { return {v.value(), SetChoice::Open}; }
  [[nodiscard]] SetMember update(const Vertex<SetMember>& vertex) const {
    SetMember own = vertex.value();
    if (own.choice != SetChoice::Open) return own;
    bool waits = false;
    bool excluded = false;
    vertex.each([&](const SetMember& other) {
      if (other.choice == SetChoice::In) excluded = true;
      if (other.choice == SetChoice::Open && goes_first(other.vertex, own.vertex)) waits = true;
    });
    if (excluded) {
      own.choice = SetChoice::Out;
    } else if (!waits) {
      own.choice = SetChoice::In;
    }
    return own;
  }
  [[nodiscard]] std::uint32_t result(const Vertex<SetMember>& vertex) const {
    return vertex.value().choice == SetChoice::In ? 1 : 0;
  }

 private:
  [[nodiscard]] bool goes_first(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t first = mix64(mix64(seed_) + a);
    const std::uint64_t second = mix64(mix64(seed_) + b);
    return first != second ? first < second : a < b;
  }

  std::uint64_t seed_;
};

}  // namespace leeway
