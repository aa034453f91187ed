// Exact least-recently-used order over a fixed pool of places: every operation is a few pointer moves.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/check.h"

namespace leeway {

class Lru {
 public:
  /// Places 0 … count-1, none of them in the order yet.
  explicit Lru(std::uint32_t count) : places_(count + std::size_t{1}) { places_[0] = {0, 0}; }

  /// Makes `place` the most recent, whether it was in the order or not.
  void touch(std::uint32_t place) {
    if (contains(place)) unlink(place);
    Link& it = places_[place + std::size_t{1}];
    it.newer = 0;
    it.older = places_[0].older;          // the head's "older" is the most recent place
    places_[it.older].newer = place + 1;  // the head's "newer" too, when the order was empty
    places_[0].older = place + 1;
  }

  void remove(std::uint32_t place) {
    LEEWAY_CHECK(contains(place), place);
    unlink(place);
    places_[place + std::size_t{1}] = {kOutside, kOutside};
  }

  [[nodiscard]] bool contains(std::uint32_t place) const {
    return places_[place + std::size_t{1}].newer != kOutside;
  }

  /// The least recent place for which `accept(place)` holds, or kNone.
  template <class Accept>
  [[nodiscard]] std::uint32_t oldest(Accept&& accept) const {
    for (std::uint32_t at = places_[0].newer; at != 0; at = places_[at].newer) {
      if (accept(at - 1)) return at - 1;
    }
    return kNone;
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

 private:
  static constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  /// Neighbours, one-based; 0 is the head, whose `older` is the newest place and `newer` the oldest.
  struct Link {
    std::uint32_t newer = kOutside;
    std::uint32_t older = kOutside;
  };

  void unlink(std::uint32_t place) {
    const Link it = places_[place + std::size_t{1}];
    if (it.newer == 0) {
      places_[0].older = it.older;
    } else {
      places_[it.newer].older = it.older;
    }
    if (it.older == 0) {
      places_[0].newer = it.newer;
    } else {
      places_[it.older].newer = it.newer;
    }
  }

  std::vector<Link> places_;
};

}  // namespace leeway
