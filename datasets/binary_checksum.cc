#include "leeway/datasets/binary_checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

#include "leeway/datasets/binary_format.h"

namespace leeway {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH64(bytes.data(), bytes.size(), 0);
}

std::uint64_t block_count(std::uint64_t bytes) {
  return bytes / binary_format::kBlock + (bytes % binary_format::kBlock != 0 ? 1 : 0);
}

std::span<const std::byte> block_of(std::span<const std::byte> section, std::uint64_t block) {
  const std::size_t begin = block * binary_format::kBlock;
  return section.subspan(begin,
                         std::min<std::size_t>(binary_format::kBlock, section.size() - begin));
}

}  // namespace leeway
