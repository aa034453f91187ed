#include "leeway/runtime/shared_partition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "leeway/dsm/dsm.h"

namespace leeway {

namespace {

constexpr std::uint32_t kOwnersABlock = 1024;
using Block = std::array<std::uint32_t, kOwnersABlock>;

std::uint32_t owners_in(const Array<PartId>& owner, std::size_t block) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(kOwnersABlock, owner.size() - block * kOwnersABlock));
}

void offer(Dsm<Block>& dsm, const Array<PartId>& owner) {
  for (std::uint32_t b = 0; b < dsm.local_count(); ++b) {
    Block block{};
    for (std::uint32_t i = 0; i < owners_in(owner, b); ++i)
      block[i] = owner[std::size_t{b} * kOwnersABlock + i].value();
    dsm.space().values().store_as<Block>(b, block);
  }
}

Status take(Dsm<Block>& dsm, std::uint32_t blocks, Array<PartId>& owner) {
  std::vector<Handle> handles;
  for (std::uint32_t b = 0; b < blocks; ++b) {
    LEEWAY_ASSIGN(const Handle handle, dsm.resolve({NodeId(0), LocalIndex(b)}));
    handles.push_back(handle);
  }
  dsm.replicate(std::span<const Handle>(handles));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const Block block = dsm.fetch(handles[b]);
    for (std::uint32_t i = 0; i < owners_in(owner, b); ++i)
      owner.mutable_span()[std::size_t{b} * kOwnersABlock + i] = PartId(block[i]);
  }
  return {};
}

}  // namespace

Result<Partition> share_partition(Node& node, const Graph& graph, const PartitionOptions& how) {
  const bool first = node.self() == NodeId(0);
  std::optional<Result<Partition>> made;
  if (first) made = partition_graph(graph, how);
  const auto failed = node.sum(std::vector<std::uint64_t>{made && !*made ? 1u : 0u});
  if (failed[0] > 0) {
    if (first) return fail(std::move(*made).error());
    return fail(environment_error("partition", "node 0 could not divide the graph",
                                  "look at node 0's message"));
  }
  const std::size_t vertices = graph.vertex_count();
  const auto blocks = static_cast<std::uint32_t>((vertices + kOwnersABlock - 1) / kOwnersABlock);
  SpaceOptions space;
  space.name = "owners";
  space.local_objects = first ? blocks : 0;
  space.remote_objects = first ? 0 : blocks;
  LEEWAY_ASSIGN(auto dsm, Dsm<Block>::open(node, space));
  if (first) offer(dsm, (*made)->owner);
  node.barrier();
  Partition partition;
  if (first) {
    partition = std::move(**made);
  } else {
    partition.part_count = how.parts;
    LEEWAY_ASSIGN(partition.owner, Array<PartId>::make(vertices));
    LEEWAY_TRY(take(dsm, blocks, partition.owner));
  }
  node.barrier();
  return partition;
}

}  // namespace leeway
