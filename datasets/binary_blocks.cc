#include "leeway/datasets/binary_blocks.h"

#include <algorithm>

#include "leeway/datasets/binary_format.h"

namespace leeway {

std::uint64_t block_count(std::uint64_t bytes) {
  return bytes / binary_format::kBlock + (bytes % binary_format::kBlock != 0 ? 1 : 0);
}

std::span<const std::byte> block_of(std::span<const std::byte> section, std::uint64_t block) {
  const std::size_t begin = block * binary_format::kBlock;
  return section.subspan(begin,
                         std::min<std::size_t>(binary_format::kBlock, section.size() - begin));
}

}  // namespace leeway
