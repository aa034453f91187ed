// Runs a vertex program on a graph that lies in parts, one a process: shards are made of what the processes send each
// other, and results come to the ranges of the graph's vertices, never to one node.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/runtime/parts/graph_part.h"
#include "leeway/runtime/vertex_job.h"

namespace leeway {

class Exchange;

/// Runs it. Takes the arcs out of `part`; `results` are those of the vertices of this node's range, in order. Collective.
Result<RunRecord> run_part_job(GraphPart& part, const VertexJob& job, const RunOptions& options,
                               std::vector<std::byte>& results);

/// A run of its own in which the nodes of a job exchange what they like. An error ends it for all. Collective.
Status exchange_parts(const ClusterOptions& cluster, const std::function<Status(Exchange&)>& body);

/// The sum of what each node has, summed in the order of nodes. Collective.
Result<double> sum_of_parts(const ClusterOptions& cluster, double mine);

}  // namespace leeway
