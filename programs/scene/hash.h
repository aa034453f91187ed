// Hashes of scenes: of all parameters of a model and the initial state.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/bytes.h"
#include "base/format.h"

namespace leeway {

/// A hash over words, like a graph's, so that padding bytes do not matter.
class SceneHash {
 public:
  void add(std::uint64_t word) { hash_ = mix64(hash_ ^ word) + 1; }
  void add(std::initializer_list<double> numbers) {
    for (const double number : numbers) add(std::bit_cast<std::uint64_t>(number));
  }
  [[nodiscard]] std::string text() const { return format("{:016x}", mix64(hash_)); }

 private:
  std::uint64_t hash_ = 0;
};

}  // namespace leeway
