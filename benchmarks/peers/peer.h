// A contender of bench-peers: a library that answers three questions about a graph with its standard algorithms.
// Construction prepares the graph and is not timed. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph.h"

namespace leeway::peers {

class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Ranks that sum to 1; dangling rank is spread evenly. Runs `iterations` iterations, or until convergence if the
  /// library can only do that.
  virtual std::vector<double> pagerank(std::uint32_t iterations) = 0;
  /// Infinity for vertices that cannot be reached.
  virtual std::vector<double> distances(VertexId source) = 0;
  /// A label for each vertex, equal within a component.
  virtual std::vector<std::uint32_t> components() = 0;
  /// Time of the last answer without set-up, if the library sets up for every answer.
  [[nodiscard]] virtual std::optional<double> own_seconds() const { return std::nullopt; }
  /// False if the library prints times only: then its answers are empty.
  [[nodiscard]] virtual bool shows_answers() const { return true; }
  /// False if `pagerank` ignores the number of iterations.
  [[nodiscard]] virtual bool counts_iterations() const { return true; }
};

// Peers refer to `graph`, which must outlive them. Requires integer or real weights >= 0, no self-loops and no
// parallel arcs, which libraries treat differently.

/// Hand-written single-thread kernels; all answers are compared with theirs.
std::unique_ptr<Peer> tuned_kernels(const Graph& graph);
std::unique_ptr<Peer> graphblas(const Graph& graph);
std::unique_ptr<Peer> igraph_library(const Graph& graph);
/// Sparse matrices in Debian's Python; null if SciPy is not installed.
std::unique_ptr<Peer> scipy(const Graph& graph);
/// The GAP Benchmark Suite in the folder that the environment variable GAPBS names, with one thread and with two; empty
/// without it, or if weights are not whole numbers.
std::vector<std::unique_ptr<Peer>> gapbs(const Graph& graph);
/// Nodes are threads of this process, with `threads` compute threads each (0: one per core); `mode`: as for
/// --consistency, such as "rcp+push".
std::unique_ptr<Peer> leeway_cluster(const Graph& graph, std::uint32_t nodes, std::string mode,
                                     unsigned threads = 1);
/// Leeway's PIE programs on `nodes` nodes of that kind.
std::unique_ptr<Peer> leeway_pie(const Graph& graph, std::uint32_t nodes);

}  // namespace leeway::peers
