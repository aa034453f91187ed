// Order statistics of a few measured values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"

namespace leeway {

/// The value with the share `numerator / denominator` of the values below it.
template <class T>
[[nodiscard]] T quantile(std::vector<T> values, std::size_t numerator, std::size_t denominator) {
  const std::size_t at = values.size() * numerator / denominator;
  LEEWAY_CHECK(at < values.size());
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

/// Of an even number of values, the upper one of the two in the middle.
template <class T>
[[nodiscard]] T median(std::vector<T> values) {
  return quantile(std::move(values), 1, 2);
}

}  // namespace leeway
