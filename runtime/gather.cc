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

/// Every node's objects at node 0, one after the other; empty elsewhere. `counts` by node, known there.
template <class T>
Result<std::vector<std::vector<T>>> fetch_all(Node& node, const std::string& name,
                                              std::span<const T> mine,
                                              std::span<const std::uint32_t> counts) {
  const bool first = node.self() == NodeId(0);
  SpaceOptions space;
  space.name = name;
  space.local_objects = static_cast<std::uint32_t>(mine.size());
  space.remote_objects = 0;
  for (std::size_t i = 1; first && i < counts.size(); ++i) space.remote_objects += counts[i];
  LEEWAY_ASSIGN(auto dsm, Dsm<T>::open(node, space));
  for (std::size_t i = 0; i < mine.size(); ++i)
    dsm.set_initial(LocalIndex(static_cast<std::uint32_t>(i)), mine[i]);
  node.barrier();
  std::vector<std::vector<T>> lists(counts.size());
  for (std::uint32_t from = 0; first && from < counts.size(); ++from) {
    std::vector<Handle> handles;
    for (std::uint32_t i = 0; i < counts[from]; ++i) {
      LEEWAY_ASSIGN(const Handle handle, dsm.resolve({NodeId(from), LocalIndex(i)}));
      handles.push_back(handle);
    }
    if (from != 0) dsm.replicate(std::span<const Handle>(handles));
    for (const Handle handle : handles) lists[from].push_back(dsm.fetch(handle));
  }
  node.barrier();
  return lists;
}

}  // namespace

Result<std::vector<std::vector<std::byte>>> gather_bytes_at_first(Node& node,
                                                                  const std::string& name,
                                                                  std::span<const std::byte> mine) {
  const std::vector<std::uint32_t> ones(node.node_count(), 1);
  const std::uint64_t size = mine.size();
  LEEWAY_ASSIGN(const auto sizes,
                fetch_all<std::uint64_t>(node, name + " sizes", {&size, 1}, ones));
  std::vector<std::uint32_t> counts(node.node_count());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].empty()) counts[i] = blocks_of(sizes[i].front());
  }
  std::vector<Block> blocks(blocks_of(size));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto part = mine.subspan(i * kBlockBytes, std::min(kBlockBytes, size - i * kBlockBytes));
    std::copy(part.begin(), part.end(), blocks[i].begin());
  }
  LEEWAY_ASSIGN(const auto fetched, fetch_all<Block>(node, name, blocks, counts));
  std::vector<std::vector<std::byte>> lists(fetched.size());
  for (std::size_t from = 0; from < fetched.size(); ++from) {
    for (const Block& block : fetched[from])
      lists[from].insert(lists[from].end(), block.begin(), block.end());
    if (!sizes[from].empty()) lists[from].resize(sizes[from].front());
  }
  return lists;
}

}  // namespace leeway
