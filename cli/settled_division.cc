#include "leeway/cli/settled_division.h"

#include <filesystem>
#include <memory>

#include "leeway/base/clock.h"
#include "leeway/base/log.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/partition_auto.h"
#include "leeway/runtime/shared_partition.h"

namespace leeway::cli {

Result<std::shared_ptr<const Partition>> stored_division(const std::string& path,
                                                         std::uint64_t vertices,
                                                         const PartitionOptions& how) {
  const std::uint32_t parts = how.parts;
  std::shared_ptr<const Partition> none;
  if (how.skew || method_said(how)) return none;
  if (parts <= 1 || !is_binary_name(path) || !std::filesystem::exists(path)) return none;
  LEEWAY_ASSIGN(const BinarySummary summary, summarize_binary(path));
  if (!summary.partitioned) return none;
  LEEWAY_ASSIGN(Partition stored, open_binary_partition(path));
  if (stored.owner.size() != vertices) return none;  // a graph lent under a file's name
  if (stored.part_count == parts) return std::make_shared<const Partition>(std::move(stored));
  log_info("{} holds a division into {} parts; {} are needed", path, stored.part_count, parts);
  return none;
}

void settle_method(const ClusterOptions& cluster, const Graph& graph, PartitionOptions& how) {
  how.parts = cluster.nodes;
  how.method = method_for(cluster, graph, how);
}

Result<double> settle_division(const std::string& path, const Graph& graph,
                               ProgramOptions& options) {
  PartitionOptions& how = options.partition;
  how.parts = options.fragments.workers_on(options.cluster.nodes);
  if (how.method != PartitionMethod::Auto) return 0.0;
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(options.divided, stored_division(path, graph.vertex_count(), how));
  if (options.divided) {
    how.method = PartitionMethod::File;
    how.owner_file = path;
  } else {
    how.method = method_for(options.cluster, graph, how);
  }
  return seconds(clock.now() - started);
}

}  // namespace leeway::cli
