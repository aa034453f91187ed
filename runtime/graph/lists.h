// The neighbour lists of a whole graph that updates read (lists_of), and whether a graph is symmetric.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "datasets/csr.h"
#include "datasets/graph.h"

namespace leeway {

/// The vertices that an update reads. All values but None are the same for an undirected graph.
enum class Reads {
  In,    ///< the sources of a vertex's incoming arcs
  Out,   ///< the targets of its own arcs, as in a row of a matrix
  Both,  ///< both; two opposite arcs count twice
  /// The same, and the weights of a directed graph's arcs are kIncoming and kOutgoing. The arcs of an undirected graph
  /// keep weight 1: each leads both ways.
  BothMarked,
  None,  ///< none: the result depends only on the graph's structure
};

/// Weights under Reads::BothMarked.
inline constexpr double kIncoming = 1;
inline constexpr double kOutgoing = -1;

[[nodiscard]] constexpr bool reads_both(Reads reads) {
  return reads == Reads::Both || reads == Reads::BothMarked;
}

[[nodiscard]] constexpr Reads reversed(Reads reads) {
  if (reads_both(reads) || reads == Reads::None) return reads;
  return reads == Reads::In ? Reads::Out : Reads::In;
}

/// True if each vertex's list of readers equals the list that it reads.
[[nodiscard]] constexpr bool reads_its_readers(bool directed, Reads reads) {
  return !directed || reads_both(reads);
}

/// Whether the lists ascend. In a directed graph those in both directions do not.
[[nodiscard]] constexpr bool ascend(bool directed, Reads reads) {
  return !directed || !reads_both(reads);
}

/// The lists that updates read, by vertex number: views of the graph's own arrays if possible, which the graph must outlive; else
/// reversed or joined copies.
Result<Csr> lists_of(const Graph& graph, Reads reads, bool weights);

/// Whether a list contains its own row.
[[nodiscard]] bool has_loops(const Csr& lists);

/// Sums over arcs that are 0 if every arc has its reverse: the hash of the two ends, added for each distinct arc to the higher one and
/// subtracted for each to the lower one. For other arcs both sums are 0 by chance only, with a probability of 2^-128. The sums of disjoint sets of vertices add up to those of the graph.
class ArcBalance {
 public:
  void add(VertexId source, std::span<const VertexId> targets);
  [[nodiscard]] std::vector<std::uint64_t>& sums() { return sums_; }
  [[nodiscard]] bool even() const { return sums_[0] == 0 && sums_[1] == 0; }

 private:
  std::vector<std::uint64_t> sums_ = {0, 0};
};

/// True if every arc has its reverse (weights aside).
[[nodiscard]] bool is_symmetric(const Graph& graph);

}  // namespace leeway
