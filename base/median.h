// The median of measured values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/check.h"

namespace leeway {

/// The value in the middle; the upper one of the two if their number is even. Requires at least one.
template <class T>
[[nodiscard]] T median(std::vector<T> values) {
  LEEWAY_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace leeway
