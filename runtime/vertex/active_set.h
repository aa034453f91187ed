// The set of active vertices of a node (ActiveSet).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"

namespace leeway {

/// The local vertices that must run: a bit for each.
///
/// A thread that adds a vertex has stored a value that the vertex must see. Adding releases and taking acquires, both
/// by a read-modify-write of the vertex's word, so only two orders exist. If the taker clears the bit after it was
/// added, it sees the value; if before, the bit stays set for the next take. Skipping the write when the bit is
/// already set would add a third order: the store may still be on its way to memory while a taker has cleared the bit
/// and reads the old value, and no thread would run the vertex again. Adding a list costs one such operation for each
/// word, not for each vertex. test/runtime/active_set_test.cc runs this code through all its interleavings, with its
/// own `Ref`.
template <template <class> class Ref>
class BasicActiveSet {
 public:
  /// `threads`: number of threads that add and take; with one, nothing is atomic.
  BasicActiveSet(std::uint32_t universe, unsigned threads)
      : universe_(universe), shared_(threads > 1), words_(universe / kWordBits + std::size_t{1}) {}

  static constexpr std::uint32_t kWordBits = 64;

  /// Any thread.
  void add(std::uint32_t index) { set(index / kWordBits, bit_of(index)); }
  /// Any thread. Fastest if adjacent entries of the list are in the same word.
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

  /// Calls `run(index)` for the members of [begin, end), ascending, and removes each before its call. Members that
  /// are added meanwhile above the current one are run too; those below stay for the next take, so that no chunk runs
  /// twice while other threads wait. Requires that `begin` and `end` are multiples of kWordBits, except at the end of
  /// the universe (checked), so that no two threads take from one word.
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
