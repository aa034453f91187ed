// Counter-based random numbers (Philox 4x32-10, Salmon et al., SC'11). The i-th number of a stream is a pure function of
// seed, stream and i, so parallel code draws the same numbers with any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace leeway {

/// One block of the cipher: four words from a 128-bit counter and a 64-bit key.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// Generates the numbers of one stream in order; satisfies UniformRandomBitGenerator. Cheap to create and copy. Not
/// thread-safe. `at` does not change the position in the sequence.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  result_type operator()() { return at(position_++); }
  [[nodiscard]] result_type at(std::uint64_t position) const;

  /// Uniform in [0, bound); exact (no modulo bias). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double unit() { return to_unit((*this)()); }
  /// True with the given probability.
  bool chance(double probability) { return unit() < probability; }

  [[nodiscard]] static double to_unit(result_type bits) {
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
  }
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
};

}  // namespace leeway
