// Changes of a graph: arcs added and removed and weights set, read from a file or given, and the graph after them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"

namespace leeway {

enum class ChangeKind : std::uint8_t {
  Added,
  Removed,   ///< all arcs between the two ends
  Weighted,  ///< the weight of all arcs between them is set
};

/// A change of an arc, or of the edge of an undirected graph.
struct GraphChange {
  ChangeKind kind = ChangeKind::Added;
  VertexId source;
  VertexId target;
  double weight = 1;  ///< of an added arc, or the new one
};

/// What happened to the arcs from one vertex to another. A change of an undirected edge is two of them, of a loop one.
struct ArcChange {
  VertexId source;
  VertexId target;
  std::uint32_t before = 0;  ///< number of arcs
  std::uint32_t after = 0;
  bool lost = false;    ///< an arc is removed, or its weight raised
  bool gained = false;  ///< an arc is added, or its weight lowered
};

/// By source and target, each pair once. Pairs without an effect are left out.
using ArcChanges = std::vector<ArcChange>;

struct ChangedGraph {
  Graph graph;
  ArcChanges arcs;
};

/// Lines `+ source target [weight]`, `- source target` and `= source target weight`, vertices by their names in the graph; `#` begins a
/// comment. An Input error names the line.
Result<std::vector<GraphChange>> read_graph_changes(const std::string& path, const Graph& graph);

/// What two sets of changes did, one after the other.
[[nodiscard]] ArcChanges joined(const ArcChanges& first, const ArcChanges& second);

/// Applies the changes in their order. Shares nothing with `graph`. An Input error for the removal of an arc that does not exist, or a
/// weight that does not fit the graph's.
Result<ChangedGraph> changed_graph(const Graph& graph, const std::vector<GraphChange>& changes);

}  // namespace leeway
