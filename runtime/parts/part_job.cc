#include "leeway/runtime/parts/part_job.h"

#include <optional>
#include <utility>

#include "leeway/base/clock.h"
#include "leeway/runtime/own_job.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/part_structure.h"

namespace leeway {

Result<RunRecord> run_part_job(GraphPart& part, const VertexJob& job, const RunOptions& given,
                               std::vector<std::byte>& results) {
  RunOptions options = given;
  LEEWAY_ASSIGN(options.cluster, settle_cluster(given.cluster));
  const SteadyClock clock;
  const Instant started = clock.now();
  std::optional<PartStructure> structure;
  LEEWAY_TRY(exchange_parts(options.cluster, [&](Exchange& exchange) -> Status {
    LEEWAY_ASSIGN(structure, PartStructure::make(exchange, part, job.needs, options.partition,
                                                 lying_order(options), options.divided.get()));
    return {};
  }));
  std::vector<std::byte> mine;
  const NodeMaking making{
      .shard = [&](NodeId) { return structure->shard(); },
      .put = [&](NodeId,
                 std::span<const std::byte> values) { mine.assign(values.begin(), values.end()); },
      .gathers = false,
      .started = started,
      .partition_seconds = structure->division_seconds()};
  LEEWAY_ASSIGN(RunRecord record, run_nodes(job, options, making));
  LEEWAY_TRY(exchange_parts(options.cluster, [&](Exchange& exchange) -> Status {
    results = bring_to_ranges(exchange, part.ranges, structure->vertices(), mine, job.result_bytes);
    return {};
  }));
  return record;
}

Status exchange_parts(const ClusterOptions& cluster, const std::function<Status(Exchange&)>& body) {
  LEEWAY_TRY(run_endpoints(cluster, [&](Endpoint& endpoint) {
    Exchange exchange(endpoint);
    return body(exchange);
  }));
  return {};
}

Result<double> sum_of_parts(const ClusterOptions& cluster, double mine) {
  double sum = 0;
  LEEWAY_TRY(exchange_parts(cluster, [&](Exchange& exchange) -> Status {
    for (const double each : exchange.share(mine)) sum += each;
    return {};
  }));
  return sum;
}

}  // namespace leeway
