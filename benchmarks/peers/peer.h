// One way to answer three questions of a graph, as a stranger would have it from the shelf: prepared once,
// which is not timed, then asked. One thread's own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leeway/graph.h"

namespace leeway::peers {

class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Ranks that sum to 1; dangling rank spread evenly. So many iterations, unless the peer only knows how
  /// to run until it has converged.
  virtual std::vector<double> pagerank(std::uint32_t iterations) = 0;
  virtual std::vector<double> distances(VertexId source) = 0;
  /// A label for each vertex, the same where vertices are joined.
  virtual std::vector<std::uint32_t> components() = 0;
  /// What the last answer took, for a peer that sets up anew each time and leaves that out; else none.
  [[nodiscard]] virtual std::optional<double> own_seconds() const { return std::nullopt; }
  /// False if `pagerank` takes as many iterations as it likes.
  [[nodiscard]] virtual bool counts_iterations() const { return true; }
};

// Each holds what it needs of `graph`, which outlives it. Requires integer or real weights >= 0 and neither
// loops nor duplicates, about which libraries differ.

std::unique_ptr<Peer> tuned_kernels(const Graph& graph);
std::unique_ptr<Peer> graphblas(const Graph& graph);
std::unique_ptr<Peer> igraph_library(const Graph& graph);
/// Nodes are threads of this process, one compute thread each; `mode` is the consistency.
std::unique_ptr<Peer> leeway_cluster(const Graph& graph, std::uint32_t nodes, std::string mode);
/// Its PIE programs, on so many nodes of that kind.
std::unique_ptr<Peer> leeway_pie(const Graph& graph, std::uint32_t nodes);

}  // namespace leeway::peers
