#include "leeway/runtime/gather.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "leeway/dsm/dsm.h"

namespace leeway {

namespace {

constexpr std::size_t kBlockBytes = 1024;
using Block = std::array<std::byte, kBlockBytes>;

std::uint32_t blocks_of(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + kBlockBytes - 1) / kBlockBytes);
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> gather_at_first(Node& node, const std::string& name,
                                                            std::span<const std::byte> mine) {
  std::vector<std::uint64_t> sizes(node.node_count(), 0);
  sizes[node.self().index()] = mine.size();
  sizes = node.sum(sizes);
  const bool first = node.self() == NodeId(0);
  SpaceOptions space;
  space.name = name;
  space.local_objects = blocks_of(mine.size());
  space.remote_objects = 0;
  for (std::size_t i = 1; first && i < sizes.size(); ++i)
    space.remote_objects += blocks_of(sizes[i]);
  LEEWAY_ASSIGN(auto dsm, Dsm<Block>::open(node, space));
  for (std::uint32_t i = 0; i < space.local_objects; ++i) {
    Block block{};
    const auto part = mine.subspan(i * kBlockBytes);
    std::copy_n(part.begin(), std::min(kBlockBytes, part.size()), block.begin());
    dsm.set_initial(LocalIndex(i), block);
  }
  node.barrier();
  std::vector<std::vector<std::byte>> lists(sizes.size());
  for (std::uint32_t from = 0; first && from < sizes.size(); ++from) {
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < blocks_of(sizes[from]); ++i) {
      LEEWAY_ASSIGN(const Handle handle, dsm.resolve({NodeId(from), LocalIndex(i)}));
      handles.push_back(handle);
    }
    if (from != 0) dsm.replicate(std::span<const Handle>(handles));
    for (const Handle handle : handles) {
      const Block block = dsm.fetch(handle);
      lists[from].insert(lists[from].end(), block.begin(), block.end());
    }
    lists[from].resize(sizes[from]);
  }
  node.barrier();
  return lists;
}

}  // namespace leeway
