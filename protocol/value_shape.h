// How the values of a space look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway {

/// All values are `bytes` long, or (variable) at most that.
struct ValueShape {
  std::uint32_t bytes = 8;
  bool variable = false;
};
inline constexpr std::uint32_t kMaxValueBytes = 64 * 1024;

/// A value inside somebody else's bytes.
using ValueView = std::span<const std::byte>;

}  // namespace leeway
