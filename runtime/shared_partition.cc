#include "leeway/runtime/shared_partition.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "leeway/datasets/partition_auto.h"
#include "leeway/runtime/endpoint.h"

namespace leeway {

namespace {

constexpr std::size_t kOwnersPerFrame = 16 * 1024;
static_assert(sizeof(PartId) == sizeof(std::uint32_t) && std::is_trivially_copyable_v<PartId>);

/// What node 0 says first: a byte, so that it is never empty. 0: it could not; 1: owners follow.
constexpr std::byte kFailed{0};
constexpr std::byte kOwners{1};

Frame frame_of(std::span<const PartId> owners) {
  Frame frame(1 + owners.size_bytes(), kOwners);
  std::memcpy(frame.data() + 1, owners.data(), owners.size_bytes());
  return frame;
}

void send_to_all(Endpoint& endpoint, const Frame& frame) {
  for (std::uint32_t to = 1; to < endpoint.node_count(); ++to) endpoint.send(NodeId(to), frame);
}

Status offer(Endpoint& endpoint, const Graph& graph, const PartitionOptions& how,
             Partition& partition) {
  Result<Partition> made = partition_graph(graph, how);
  if (!made) {
    send_to_all(endpoint, {kFailed});
    return fail(std::move(made).error());
  }
  partition = std::move(*made);
  const std::span<const PartId> owners = partition.owner.span();
  for (std::size_t first = 0; first < owners.size(); first += kOwnersPerFrame) {
    const std::size_t count = std::min(kOwnersPerFrame, owners.size() - first);
    send_to_all(endpoint, frame_of(owners.subspan(first, count)));
  }
  return {};
}

Status take(Endpoint& endpoint, std::uint64_t vertices, const PartitionOptions& how,
            Partition& partition) {
  partition.part_count = how.parts;
  LEEWAY_ASSIGN(partition.owner, Array<PartId>::make(vertices));
  std::uint64_t taken = 0;
  bool failed = false;
  const Endpoint::Handler handler = [&](NodeId from, std::span<const std::byte> frame) {
    if (from != NodeId(0) || frame.empty()) endpoint.refuse(from);
    if (frame.size() == 1 && frame.front() == kFailed) {
      failed = true;
      return;
    }
    const std::uint64_t count = (frame.size() - 1) / sizeof(PartId);
    const bool whole = frame.front() == kOwners && (frame.size() - 1) % sizeof(PartId) == 0;
    if (!whole || count > vertices - taken) endpoint.refuse(from);
    const auto owners = partition.owner.mutable_span().subspan(taken, count);
    std::memcpy(static_cast<void*>(owners.data()), frame.data() + 1, owners.size_bytes());
    const bool known = std::all_of(owners.begin(), owners.end(),
                                   [&](PartId owner) { return owner.value() < how.parts; });
    if (!known) endpoint.refuse(from);
    taken += count;
  };
  endpoint.wait_until(
      {"the division of the graph", std::nullopt, NodeId(0)}, [&] { endpoint.receive(handler); },
      [&] { return taken >= vertices || failed; });
  if (!failed) return {};
  return fail(Error{ErrorKind::Peer, "partition", "node 0 could not divide the graph",
                    "look at node 0's message"});
}

}  // namespace

PartitionMethod method_for(const ClusterOptions& cluster, const Graph& graph,
                           const PartitionOptions& how) {
  const bool slow = cluster.fabric == Fabric::Sim || cluster.network.name != "ideal";
  if (how.method == PartitionMethod::Auto && slow) return PartitionMethod::Metis;
  return method_for(graph, how);
}

Result<Partition> divide_once(const ClusterOptions& cluster, const Graph& graph,
                              const PartitionOptions& said) {
  PartitionOptions how = said;
  const bool divides = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  if (divides) how.method = method_for(cluster, graph, said);
  if (cluster.job == nullptr || cluster.nodes == 1) return partition_graph(graph, how);
  Partition partition;
  const auto ran = run_endpoints(cluster, [&](Endpoint& endpoint) {
    return endpoint.self() == NodeId(0) ? offer(endpoint, graph, how, partition)
                                        : take(endpoint, graph.vertex_count(), how, partition);
  });
  if (!ran) return fail(ran.error());
  return partition;
}

}  // namespace leeway
