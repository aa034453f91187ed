// The graph that a program is run on: whole at hand, or this process's part of it.
#pragma once

#include "leeway/datasets/graph.h"
#include "leeway/datasets/graph_totals.h"
#include "leeway/runtime/parts/graph_part.h"

namespace leeway {

/// Borrows one of the two.
struct JobGraph {
  const Graph* whole = nullptr;
  GraphPart* part = nullptr;

  explicit JobGraph(const Graph& graph) : whole(&graph) {}
  explicit JobGraph(GraphPart& graph) : part(&graph) {}

  [[nodiscard]] GraphTotals totals() const {
    return whole != nullptr ? GraphTotals(*whole) : part->totals;
  }
};

}  // namespace leeway
