// Brings a graph into the nodes of a job, each its own part: text is read side by side by ranges of bytes, a .lwg
// file by ranges of vertices, a generated graph made by each node in part. What cannot be read so, node 0 reads alone and
// deals out. The same graph for any number of nodes: what load_graph or generate give.
#pragma once

#include <string>

#include "leeway/base/result.h"
#include "leeway/datasets/load_options.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// How the graph was brought in.
enum class LoadedBy {
  Shares,   ///< every node read or made its own share
  OneNode,  ///< node 0 read it whole
};

struct LoadedPart {
  GraphPart part;
  LoadedBy by = LoadedBy::Shares;
};

/// `argument`: a file or a spec. `balance`: what the ranges have the same amount of. Where nodes are processes. A
/// fault is told by one node, with the file's own line. Collective.
Result<LoadedPart> load_part(const ClusterOptions& cluster, const std::string& argument,
                             const LoadOptions& options, BalanceBy balance);

}  // namespace leeway
