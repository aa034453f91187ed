// The methods behind partition_graph, which has checked the options they share. Not for use elsewhere.
#pragma once

#include "leeway/datasets/partition.h"

namespace leeway::partitioners {

Result<Partition> metis(const Graph& graph, const PartitionOptions& options);
Result<Partition> block(const Graph& graph, const PartitionOptions& options);
Result<Partition> hash(const Graph& graph, const PartitionOptions& options);
Result<Partition> random(const Graph& graph, const PartitionOptions& options);
Result<Partition> ldg(const Graph& graph, const PartitionOptions& options);
Result<Partition> fennel(const Graph& graph, const PartitionOptions& options);
/// One line a vertex: `vertex-name part`, or the part alone, in vertex order. `#` and `%` begin comments.
Result<Partition> from_file(const Graph& graph, const PartitionOptions& options);

}  // namespace leeway::partitioners
