// The blocks that sections of binary graph files are checksummed by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace leeway {

/// How many blocks a section of this size has.
[[nodiscard]] std::uint64_t block_count(std::uint64_t bytes);
/// The bytes of one block of a section.
[[nodiscard]] std::span<const std::byte> block_of(std::span<const std::byte> section,
                                                  std::uint64_t block);

}  // namespace leeway
