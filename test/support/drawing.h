// Base of classes that draw a case from a seed: choices from one stream of random numbers, in call
// order.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace leeway::testing {

class Drawing {
 protected:
  explicit Drawing(Random random) : random_(random) {}

  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(random_.below(bound));
  }
  template <class Options>
  auto pick(const Options& options) {
    return options[random_.below(options.size())];
  }

  Random random_;
};

}  // namespace leeway::testing
