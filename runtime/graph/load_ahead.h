// Which vertices of a sweep load inputs ahead: those that are kInputsAhead places later in the lists, several vertices further.
// While the processor computes a vertex, it reaches only one or two others by itself, too few if they have few inputs and the
// values do not fit into its caches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace leeway {

inline constexpr std::uint32_t kInputsAhead = 48;

/// The vertices below this one load inputs ahead. `offsets`: of the lists of `count` vertices; `value_bytes`: of all values
/// that they read.
[[nodiscard]] inline std::uint32_t loads_ahead_until(const std::uint64_t* offsets,
                                                     std::uint32_t count, std::size_t value_bytes) {
  constexpr std::size_t kCached = std::size_t{1} << 20U;
  if (count == 0 || value_bytes <= kCached) return 0;
  const std::uint64_t* const ends = offsets + 1;
  const std::uint64_t inputs = ends[count - 1];
  if (inputs < kInputsAhead) return 0;
  return static_cast<std::uint32_t>(std::upper_bound(ends, ends + count, inputs - kInputsAhead) -
                                    ends);
}

}  // namespace leeway
