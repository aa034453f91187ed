// What a partition costs: the cut, the balance, and what each part will hold. A remote neighbour is one
// cache slot at run time, so these numbers are what a plan of memory and traffic starts from.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"

namespace leeway {

struct PartReport {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;              ///< out-arcs of its vertices
  std::uint64_t boundary = 0;          ///< its vertices with an arc to or from another part
  std::uint64_t remote_neighbors = 0;  ///< distinct vertices of other parts its arcs lead to
  std::uint64_t copies = 0;      ///< of its vertices, counted once for each part that reads them
  std::uint64_t name_bytes = 0;  ///< characters of its vertices' names, where they are text
  std::uint64_t bytes = 0;       ///< its share of the graph in memory (see plan.h)
};

struct PartitionReport {
  std::vector<PartReport> parts;
  /// Pairs of vertices joined by one or more arcs in either direction, in different parts: what METIS
  /// calls the cut of an unweighted graph.
  std::uint64_t edge_cut = 0;
  /// The same with each pair counting the largest weight of its arcs; equals `edge_cut` without weights.
  double weight_cut = 0;
  std::uint64_t cut_arcs = 0;
  double vertex_balance = 1;  ///< largest part over the mean: 1 is perfect
  double arc_balance = 1;
};

[[nodiscard]] PartitionReport report_partition(const Graph& graph, const Partition& partition);

}  // namespace leeway
