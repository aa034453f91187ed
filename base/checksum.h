// The checksum of every file of our own: XXH64 with seed 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace leeway
