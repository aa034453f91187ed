// How a graph is divided for a run where nobody has said it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// What was said, else what suits the graph and the network.
void settle_method(const ClusterOptions& cluster, const Graph& graph, PartitionOptions& how);

/// The division into so many parts of so many vertices that a file holds; null: it holds none such, or something was
/// said that none can be held against.
Result<std::shared_ptr<const Partition>> stored_division(const std::string& path,
                                                         std::uint64_t vertices,
                                                         const PartitionOptions& how);

/// Settles the method of a run on vertices: what was said, else the division that the graph's file holds for as many parts, else
/// what suits the graph and the network. Returns the seconds that this took.
Result<double> settle_division(const std::string& path, const Graph& graph,
                               ProgramOptions& options);

}  // namespace leeway::cli
