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
#include "leeway/job.h"
#include "runtime/cluster/group.h"
#include "runtime/cluster/saving.h"
#include "runtime/graph/build_local.h"
#include "runtime/graph/graph_part.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

namespace {

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
  MessageBatcher<std::byte> batcher(group);
  std::vector<std::byte> one(record);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    std::memcpy(one.data(), &vertices[i], sizeof(VertexId));
    std::memcpy(&one[sizeof(VertexId)], &values[i * size], size);
    batcher.add_together(ranges.home(vertices[i]), one);
  }
  batcher.flush();
  group.end();
  return mine;
}

}  // namespace

GraphTotals JobGraph::totals() const {
  return whole != nullptr ? GraphTotals(*whole) : part->totals;
}

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
  return_freed_memory();
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
