// Runs that continue from the answer of a graph before some changes, and a graph that takes changes while answers of it are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "datasets/graph_changes.h"

namespace leeway {

struct ClusterOptions;
struct ProgramValues;

/// What a run continues from.
struct Continuation {
  std::vector<double>
      old;  ///< by vertex: the value before the changes; infinity: unreachable; a vertex as its number
  ArcChanges arcs;  ///< the changes
};

/// The values of a finished run as Continuation::old, in every process. Collective. Empty if a vertex has several values.
Result<std::vector<double>> old_values(const ProgramValues& values, const ClusterOptions& cluster);

/// An Input error unless the old values are whole numbers below `end`.
Status check_old_numbers(const Continuation& from, std::uint64_t end);

/// A graph and its batches of changes. Not thread-safe.
class ChangingGraph {
 public:
  explicit ChangingGraph(std::shared_ptr<const Graph> graph) : graph_(std::move(graph)) {}
  explicit ChangingGraph(Graph graph)
      : ChangingGraph(std::make_shared<const Graph>(std::move(graph))) {}

  [[nodiscard]] const std::shared_ptr<const Graph>& graph() const { return graph_; }
  /// Number of batches so far.
  [[nodiscard]] std::size_t version() const { return batches_.size(); }
  /// Applies a batch; after an error nothing has changed. Older graphs stay valid for those who hold them.
  Status change(const std::vector<GraphChange>& changes) {
    LEEWAY_ASSIGN(ChangedGraph changed, changed_graph(*graph_, changes));
    graph_ = std::make_shared<const Graph>(std::move(changed.graph));
    batches_.push_back(std::move(changed.arcs));
    return {};
  }
  /// The changes since a version.
  [[nodiscard]] ArcChanges since(std::size_t version) const {
    ArcChanges arcs;
    for (std::size_t batch = version; batch < batches_.size(); ++batch)
      arcs = joined(arcs, batches_[batch]);
    return arcs;
  }

 private:
  std::shared_ptr<const Graph> graph_;
  std::vector<ArcChanges> batches_;
};

}  // namespace leeway
