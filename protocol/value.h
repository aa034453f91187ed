// The values of a space: bytes, as many in each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway {

inline constexpr std::uint32_t kMaxValueBytes = 64 * 1024;

/// A value inside somebody else's bytes.
using ValueView = std::span<const std::byte>;

}  // namespace leeway
