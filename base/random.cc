#include "base/random.h"

#include "base/check.h"

namespace leeway {

namespace {

constexpr std::uint32_t kMultiplierA = 0xD2511F53;
constexpr std::uint32_t kMultiplierB = 0xCD9E8D57;
constexpr std::uint32_t kWeylA = 0x9E3779B9;
constexpr std::uint32_t kWeylB = 0xBB67AE85;
constexpr int kRounds = 10;

constexpr std::uint32_t high(std::uint64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}
constexpr std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = std::uint64_t{kMultiplierA} * counter[0];
    const std::uint64_t b = std::uint64_t{kMultiplierB} * counter[2];
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key[0] += kWeylA;
    key[1] += kWeylB;
  }
  return counter;
}

Random::result_type Random::at(std::uint64_t position) const {
  const auto block = philox({low(position), high(position), low(stream_), high(stream_)},
                            {low(seed_), high(seed_)});
  return (std::uint64_t{block[1]} << 32) | block[0];
}

std::uint64_t Random::below(std::uint64_t bound) {
  LEEWAY_CHECK(bound > 0u);
  // Lemire's multiply-and-reject: a draw is rejected depending on the low half of the product.
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{(*this)()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{(*this)()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace leeway
