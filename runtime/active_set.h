// Which local vertices are to run: a bit each.
//
// Who adds a vertex has stored a value that the vertex must see. Adding releases and taking acquires, both by
// a read-modify-write of the vertex's word, so there are two orders only: the taker clears the bit after it
// was added, and sees the value; or before, and the bit stays set for the next take. Looking first whether
// the bit is set already, and leaving it at that, would be a third: the store may still be on its way to
// memory while a taker has cleared the bit and reads the old value, and nobody runs the vertex again. Adding
// a whole list costs one such operation per word, not one per vertex. test/runtime/active_set_test.cc runs
// this code through all its interleavings; `Ref` is the seam it uses.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/check.h"

namespace leeway {

template <template <class> class Ref>
class BasicActiveSet {
 public:
  /// `threads` that add and take; with one nothing needs to be atomic.
  BasicActiveSet(std::uint32_t universe, unsigned threads)
      : universe_(universe), shared_(threads > 1), words_(universe / kWordBits + std::size_t{1}) {}

  static constexpr std::uint32_t kWordBits = 64;

  /// From any thread.
  void add(std::uint32_t index) { set(index / kWordBits, bit_of(index)); }
  /// From any thread. Fastest where neighbours in the list are near each other.
  void add(std::span<const std::uint32_t> indices) {
    std::uint32_t at = 0;
    std::uint64_t bits = 0;
    for (const std::uint32_t index : indices) {
      if (index / kWordBits != at) {
        if (bits != 0) set(at, bits);
        at = index / kWordBits;
        bits = 0;
      }
      bits |= bit_of(index);
    }
    if (bits != 0) set(at, bits);
  }
  void add_all() {
    for (std::uint32_t i = 0; i < universe_; i += kWordBits) {
      const std::uint32_t left = universe_ - i;
      words_[i / kWordBits] =
          left >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
  }
  [[nodiscard]] bool contains(std::uint32_t index) const {
    return (look(index / kWordBits) & bit_of(index)) != 0;
  }
  [[nodiscard]] bool empty() const {
    for (std::uint32_t at = 0; at < words_.size(); ++at) {
      if (look(at) != 0) return false;
    }
    return true;
  }

  /// Calls `run(index)` for members of [begin, end), ascending, and removes each first; what is added
  /// ahead meanwhile is run too, what is added behind stays: nobody waits while others run twice.
  /// Requires `begin` to be a multiple of kWordBits, and `end` too unless it is the universe's (checked):
  /// no two threads take from one word.
  template <class Run>
  void take(std::uint32_t begin, std::uint32_t end, Run&& run) {
    LEEWAY_CHECK(begin % kWordBits == 0u);
    LEEWAY_CHECK((end % kWordBits == 0u || end == universe_), end);
    for (std::uint32_t at = begin / kWordBits; at * kWordBits < end; ++at) {
      std::uint64_t ahead = ~std::uint64_t{0};
      while (const std::uint64_t bits = look(at) & ahead) {
        const std::uint64_t lowest = bits & (~bits + 1);
        ahead = ~(lowest | (lowest - 1));
        clear(at, lowest);
        run(at * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  using Word = Ref<std::uint64_t>;

  [[nodiscard]] std::uint64_t look(std::uint32_t at) const {
    return Word(const_cast<std::uint64_t&>(words_[at])).load(std::memory_order_relaxed);
  }
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t index) {
    return std::uint64_t{1} << (index % kWordBits);
  }
  void set(std::uint32_t at, std::uint64_t bits) {
    Word word(words_[at]);
    if (shared_) {
      word.fetch_or(bits, std::memory_order_release);
    } else {
      word.store(word.load(std::memory_order_relaxed) | bits, std::memory_order_relaxed);
    }
  }
  void clear(std::uint32_t at, std::uint64_t bits) {
    Word word(words_[at]);
    if (shared_) {
      word.fetch_and(~bits, std::memory_order_acquire);
    } else {
      word.store(word.load(std::memory_order_relaxed) & ~bits, std::memory_order_relaxed);
    }
  }

  std::uint32_t universe_;
  bool shared_;
  std::vector<std::uint64_t> words_;
};

using ActiveSet = BasicActiveSet<std::atomic_ref>;

}  // namespace leeway
