// Which of several equal shares of a work is meant: the bytes of a file, the numbers of a generator. Shares follow
// each other in the order of their indices, so what comes of all of them, put together, does not depend on how
// many there are.
#pragma once

#include <cstdint>

namespace leeway {

struct Share {
  std::uint32_t index = 0;
  std::uint32_t count = 1;

  /// Where it begins among `total` items; the next one's beginning is its end.
  [[nodiscard]] std::uint64_t begin(std::uint64_t total) const { return before(total, index); }
  [[nodiscard]] std::uint64_t end(std::uint64_t total) const {
    return before(total, index + std::uint64_t{1});
  }
  [[nodiscard]] bool whole() const { return count == 1; }

 private:
  [[nodiscard]] std::uint64_t before(std::uint64_t total, std::uint64_t shares) const {
    return total / count * shares + total % count * shares / count;
  }
};

}  // namespace leeway
