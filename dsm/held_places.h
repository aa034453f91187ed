// Where the copies of a bounded cache lie, for readers that hold no lock. A reader looks up the place of a copy, reads
// the value that lies there, and keeps it if the place has been that copy's all the while.
//
// A place has a generation, which changes each time it is taken from a copy. The writer first says that the copy has
// gone, then changes the generation, and only then puts another value there: a value is stored with release and loaded
// with acquire, so who has read the later value finds the later generation, too. test/dsm/held_places_test.cc runs this
// code through all its interleavings; `Ref` is the seam it uses.
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

  /// Where the copy lies; none if there is none.
  [[nodiscard]] std::optional<Look> look(MetIndex met) const {
    const std::uint32_t held = place_of(met).load(std::memory_order_acquire);
    if (held == 0) return std::nullopt;
    const Look look{held - 1, generation_of(held - 1).load(std::memory_order_acquire)};
    // The generation may be that of the place's next copy.
    if (place_of(met).load(std::memory_order_acquire) != held) return std::nullopt;
    return look;
  }
  /// Whether a value that was loaded from there since then, with acquire, is the copy's.
  [[nodiscard]] bool still(const Look& look) const {
    return generation_of(look.place).load(std::memory_order_relaxed) == look.generation;
  }

  /// Locked, as below. The copy's value lies there.
  void give(MetIndex met, std::uint32_t place) {
    place_of(met).store(place + 1, std::memory_order_release);
  }
  /// Before another value is put there.
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
