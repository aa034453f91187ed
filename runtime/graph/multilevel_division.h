// Multilevel partitioning of a graph in parts (multilevel_division) and its steps: contraction of clusters, label
// propagation, refinement.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/cluster/exchange.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/part_structure.h"

namespace leeway {

/// One level of a graph in parts: undirected, without loops and parallel arcs, with weights of vertices and arcs. The
/// finest level is the graph itself. Contracting a level by a label for each vertex makes the next coarser level,
/// whose vertices are the labels.
struct PartLevel {
  VertexRanges ranges;
  NodeId self{0};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<VertexId> targets;  ///< numbers in this level, distinct for each vertex
  /// Number of the graph's arcs, in either direction, that an arc represents.
  std::vector<std::uint32_t> arc_weights;
  std::vector<std::uint32_t> weights;  ///< of vertices

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(weights.size()); }
  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(ranges.first(self));
  }
};

/// The finest level of a graph. Collective.
Result<PartLevel> finest_level(Exchange& exchange, const GraphPart& part, BalanceBy balance);

/// A coarser level and the mapping to it.
struct Contraction {
  PartLevel coarser;
  std::vector<VertexId> coarse_of;  ///< by this node's vertices: the vertex of the coarser level
};

/// `labels`: by halo index, each the number of a vertex of the level. `label_weights`: for each vertex of this node,
/// the total weight of the vertices that have it as their label; 0: none. Collective.
Contraction contract(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::span<const VertexId> labels,
                     std::span<const std::uint64_t> label_weights);

/// For each vertex in `requested`, the value that the node of its range has in `mine`. Collective.
template <class T>
std::vector<T> ask_homes(Exchange& exchange, const VertexRanges& ranges,
                         std::span<const VertexId> requested, std::span<const T> mine) {
  std::vector<std::vector<VertexId>> asked(exchange.count());
  for (const VertexId v : requested) asked[ranges.home(v).index()].push_back(v);
  std::vector<std::vector<T>> answers(exchange.count());
  const auto questions = exchange.swap(asked);
  const std::uint64_t first = ranges.first(exchange.self());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    for (const VertexId v : questions[node]) {
      exchange.require(v.value() - first < mine.size(), NodeId(node));
      answers[node].push_back(mine[v.value() - first]);
    }
  }
  const auto received = exchange.swap_answers(answers, lengths(asked));
  std::vector<std::size_t> next(exchange.count(), 0);
  std::vector<T> values;
  values.reserve(requested.size());
  for (const VertexId v : requested) {
    const std::size_t node = ranges.home(v).index();
    values.push_back(received[node][next[node]++]);
  }
  return values;
}

/// Sums of weights by label, for a few labels at a time. Open addressing; `clear` resets only the used entries.
class LabelSums {
 public:
  struct Sum {
    VertexId label;
    std::uint64_t weight;
  };
  void add(VertexId label, std::uint64_t weight) {
    if ((sums_.size() + 1) * 2 > places_.size()) grow();
    std::uint32_t& place = places_[find(label)];
    if (place == kNone) {
      place = static_cast<std::uint32_t>(sums_.size());
      sums_.push_back({label, 0});
    }
    sums_[place].weight += weight;
  }
  /// In the order in which the labels were first added.
  [[nodiscard]] std::span<const Sum> sums() const { return sums_; }
  void clear() {
    for (const Sum& sum : sums_) cleared_.push_back(find(sum.label));
    for (const std::size_t place : cleared_) places_[place] = kNone;
    cleared_.clear();
    sums_.clear();
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  [[nodiscard]] std::size_t find(VertexId label) const {
    std::size_t at = mix64(label.value()) & (places_.size() - 1);
    while (places_[at] != kNone && sums_[places_[at]].label != label)
      at = (at + 1) & (places_.size() - 1);
    return at;
  }
  void grow() {
    places_.assign(places_.size() * 2, kNone);
    for (std::uint32_t i = 0; i < sums_.size(); ++i) places_[find(sums_[i].label)] = i;
  }

  std::vector<std::uint32_t> places_ = std::vector<std::uint32_t>(64, kNone);
  std::vector<Sum> sums_;
  std::vector<std::size_t> cleared_;
};

// Clusters found by size-constrained label propagation (Meyerhenke, Sanders & Schulz, "Parallel Graph Partitioning
// for Complex Networks", TPDS 2017): each vertex takes the label with the largest weight of arcs to it, as long as no
// label gets too heavy. The node of the vertex whose number is the label keeps the label's weight and admits members.
struct LabelClusters {
  std::vector<VertexId> labels;              ///< by halo index
  std::vector<std::uint64_t> label_weights;  ///< by this node's vertices as labels; 0: unused
};

/// No label gets heavier than `limit`, unless it has a single vertex. The same number of nodes gives the same result.
/// Collective.
[[nodiscard]] LabelClusters find_clusters(Exchange& exchange, const PartLevel& level,
                                          const Halo& halo, std::uint64_t limit);

/// Multilevel partitioning as in ParHIP (Meyerhenke, Sanders & Schulz, TPDS 2017): label propagation finds clusters,
/// which are contracted on all nodes until node 0 may hold the remaining graph. METIS partitions that graph. On the
/// way back, label propagation refines the partition of each level. A node holds only its share of a level and the
/// targets of its arcs.
///
/// Returns the parts of the vertices of this node's range; there is one part for each node. Contracts until at most
/// `most_arcs` are left, or contraction no longer makes the graph smaller. Parts are at most 3 % heavier than the
/// mean, as far as whole vertices allow. The same number of nodes gives the same result. Collective.
Result<std::vector<PartId>> multilevel_division(Exchange& exchange, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs);

}  // namespace leeway
