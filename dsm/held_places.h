// Positions of a bounded cache's copies in the value store, for readers without a lock. A reader looks up the place of a
// copy, loads the value there, and uses it if the place still belongs to the same copy.
//
// Each place has a generation, which changes when the place is taken from a copy. The writer first removes the copy's
// entry, then changes the generation, and only then stores another value there. Values are stored with release and loaded
// with acquire, so a reader that has loaded the later value also finds the later generation.
// test/dsm/held_places_test.cc runs this code through all interleavings; `Ref` is the seam it uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "leeway/base/array.h"
#include "leeway/base/result.h"
#include "leeway/dsm/id_index.h"

namespace leeway {

template <template <class> class Ref>
class BasicHeldPlaces {
 public:
  struct Look {
    std::uint32_t place = 0;
    std::uint32_t generation = 0;
  };

  static Result<BasicHeldPlaces> make(std::size_t met, std::size_t places) {
    BasicHeldPlaces held;
    LEEWAY_ASSIGN(held.place_memory_, Array<std::uint32_t>::make(met));
    LEEWAY_ASSIGN(held.generation_memory_, Array<std::uint32_t>::make(places));
    held.place_of_ = held.place_memory_.mutable_span().data();
    held.generations_ = held.generation_memory_.mutable_span().data();
    return held;
  }

  /// Place and generation of the copy; none if it is absent.
  [[nodiscard]] std::optional<Look> look(MetIndex met) const {
    const std::uint32_t held = place_of(met).load(std::memory_order_acquire);
    if (held == 0) return std::nullopt;
    const Look look{held - 1, generation_of(held - 1).load(std::memory_order_acquire)};
    // The generation may be that of the place's next copy.
    if (place_of(met).load(std::memory_order_acquire) != held) return std::nullopt;
    return look;
  }
  /// Whether a value loaded with acquire from that place after `look` belongs to the copy.
  [[nodiscard]] bool still(const Look& look) const {
    return generation_of(look.place).load(std::memory_order_relaxed) == look.generation;
  }

  /// Under the node's lock, after the copy's value was stored at `place`.
  void give(MetIndex met, std::uint32_t place) {
    place_of(met).store(place + 1, std::memory_order_release);
  }
  /// Under the node's lock, before another value is stored at `place`.
  void take(MetIndex met, std::uint32_t place) {
    place_of(met).store(0, std::memory_order_release);
    const std::uint32_t generation = generation_of(place).load(std::memory_order_relaxed);
    generation_of(place).store(generation + 1, std::memory_order_release);
  }

  [[nodiscard]] std::size_t bytes() const {
    return place_memory_.bytes() + generation_memory_.bytes();
  }

 private:
  [[nodiscard]] Ref<std::uint32_t> place_of(MetIndex met) const {
    return Ref<std::uint32_t>(place_of_[met.index()]);
  }
  [[nodiscard]] Ref<std::uint32_t> generation_of(std::uint32_t place) const {
    return Ref<std::uint32_t>(generations_[place]);
  }

  Array<std::uint32_t> place_memory_;
  Array<std::uint32_t> generation_memory_;
  std::uint32_t* place_of_ = nullptr;  // and one; 0: none
  std::uint32_t* generations_ = nullptr;
};

using HeldPlaces = BasicHeldPlaces<std::atomic_ref>;

}  // namespace leeway
