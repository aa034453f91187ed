// Running a vertex program on a graph in parts.
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "leeway/cluster.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/saving.h"
#include "runtime/graph/build_local.h"
#include "runtime/graph/graph_part.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

namespace {

/// Nodes that are threads of one process would all consume the same part.
Status check_part(const GraphPart& part, const ClusterOptions& cluster) {
  const NodeId self = cluster.job != nullptr ? cluster.job->self() : NodeId(0);
  if (cluster.job == nullptr && cluster.nodes > 1) {
    return fail(
        input_error("cluster.nodes",
                    format("a graph in parts needs a process for each node, and {} nodes are "
                           "threads of this process",
                           cluster.nodes),
                    "start the program under mpiexec or leeway launch, or give the whole graph"));
  }
  if (part.ranges.count() == cluster.nodes && part.self == self) return {};
  return fail(input_error("the graph's part",
                          format("it is part {} of {}, but this process is node {} of {}",
                                 part.self, part.ranges.count(), self, cluster.nodes),
                          "give each process its own part, by part_of or load_part"));
}

/// Sends values of this node's vertices, `size` bytes each, to the nodes in whose ranges the vertices are. Returns
/// the values of this node's range, in order. Collective.
std::vector<std::byte> bring_to_ranges(Group& group, const VertexRanges& ranges,
                                       std::span<const VertexId> vertices,
                                       std::span<const std::byte> values, std::size_t size) {
  std::vector<std::byte> mine(ranges.size(group.self()) * size);
  const std::uint64_t first = ranges.first(group.self());
  const std::size_t record = sizeof(VertexId) + size;
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    group.require(bytes.size() % record == 0, from);
    for (std::size_t at = 0; at < bytes.size(); at += record) {
      VertexId vertex;
      std::memcpy(&vertex, &bytes[at], sizeof vertex);
      group.require(vertex.value() - first < ranges.size(group.self()), from);
      std::memcpy(&mine[(vertex.value() - first) * size], &bytes[at + sizeof vertex], size);
    }
  });
  std::vector<std::vector<std::byte>> messages(group.count());
  const auto send_batch = [&](std::uint32_t to) {
    group.send(NodeId(to), messages[to]);
    messages[to].clear();
  };
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::uint32_t to = ranges.home(vertices[i]).value();
    std::vector<std::byte>& message = messages[to];
    const std::size_t at = message.size();
    message.resize(at + record);
    std::memcpy(&message[at], &vertices[i], sizeof(VertexId));
    std::memcpy(&message[at + sizeof(VertexId)], &values[i * size], size);
    if (message.size() >= Group::kMessageBytes) send_batch(to);
  }
  for (std::uint32_t to = 0; to < messages.size(); ++to) {
    if (!messages[to].empty()) send_batch(to);
  }
  group.end();
  return mine;
}

}  // namespace

Result<Record> run_part_job(GraphPart& part, const VertexJob& job, const RunOptions& given,
                            std::vector<std::byte>& results) {
  RunOptions options = given;
  LEEWAY_ASSIGN(options.cluster, settle_cluster(given.cluster));
  LEEWAY_TRY(check_part(part, options.cluster));
  if (is_unopened(options)) {
    std::string hash;
    LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
      hash = hash_of(group, part);
      return {};
    }));
    LEEWAY_TRY(open_saving(options, "vertex", options.vertex.scheduler, part.totals, hash));
  }
  const SteadyClock clock;
  const Instant started = clock.now();
  std::optional<BuiltLocal> built;
  LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
    LEEWAY_ASSIGN(built, build_local(group, part, job.needs, options.partition,
                                     vertex_order_of(job, options), options.divided.get()));
    return {};
  }));
  const std::vector<VertexId> vertices(built->graph.vertices().begin(),
                                       built->graph.vertices().end());
  std::vector<std::byte> mine;
  const NodeMaking making{
      .graph = [&](NodeId) { return Result<LocalGraph>(std::move(built->graph)); },
      .put =
          [&](NodeId, std::span<const std::byte> values) {
            mine.assign(values.begin(), values.end());
            return true;
          },
      .gathers = false,
      .started = started,
      .partition_seconds = built->division_seconds};
  LEEWAY_ASSIGN(Record record, run_nodes(job, options, making));
  LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
    results = bring_to_ranges(group, part.ranges, vertices, mine, job.result_bytes);
    return {};
  }));
  return record;
}

}  // namespace leeway
