// Which local vertices are to run: a bit each. Adding is safe from any thread; so is taking, for words
// that no two threads take from.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

namespace leeway {

class ActiveSet {
 public:
  explicit ActiveSet(std::uint32_t universe)
      : universe_(universe), words_(universe / kWordBits + std::size_t{1}) {}

  static constexpr std::uint32_t kWordBits = 64;

  void add(std::uint32_t index) {
    const std::uint64_t bit = std::uint64_t{1} << (index % kWordBits);
    std::atomic<std::uint64_t>& word = words_[index / kWordBits];
    if ((word.load(std::memory_order_relaxed) & bit) == 0)
      word.fetch_or(bit, std::memory_order_relaxed);
  }
  void add_all() {
    for (std::uint32_t i = 0; i < universe_; i += kWordBits) {
      const std::uint32_t left = universe_ - i;
      words_[i / kWordBits] =
          left >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    }
  }
  [[nodiscard]] bool contains(std::uint32_t index) const {
    return (words_[index / kWordBits].load(std::memory_order_relaxed) >> (index % kWordBits) & 1) !=
           0;
  }
  [[nodiscard]] bool empty() const {
    for (const auto& word : words_) {
      if (word.load(std::memory_order_relaxed) != 0) return false;
    }
    return true;
  }

  /// Calls `run(index)` for members of [begin, end), ascending, and removes each first; what is added
  /// ahead meanwhile is run too, what is added behind stays: nobody waits while others run twice.
  /// Requires `begin` to be a multiple of kWordBits.
  template <class Run>
  void take(std::uint32_t begin, std::uint32_t end, Run&& run) {
    for (std::uint32_t at = begin / kWordBits; at * kWordBits < end; ++at) {
      std::uint64_t ahead = ~std::uint64_t{0};
      while (const std::uint64_t bits = words_[at].load(std::memory_order_relaxed) & ahead) {
        const std::uint64_t lowest = bits & (~bits + 1);
        ahead = ~(lowest | (lowest - 1));
        words_[at].fetch_and(~lowest, std::memory_order_relaxed);
        run(at * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::uint32_t universe_;
  std::vector<std::atomic<std::uint64_t>> words_;
};

}  // namespace leeway
