// One level of a graph in parts on its way to being divided: undirected, without loops and parallel arcs, with weights of
// vertices and arcs. The finest is the graph itself; of a level and a label for each of its vertices the next
// coarser is made, whose vertices are the labels.
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

struct PartLevel {
  VertexRanges ranges;
  NodeId self{0};
  std::vector<std::uint64_t> offsets = {0};
  std::vector<VertexId> targets;  ///< of a vertex each once, numbers of the level
  std::vector<std::uint32_t>
      arc_weights;  ///< how many arcs of the graph, either way, an arc stands for
  std::vector<std::uint32_t> weights;  ///< of vertices

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(weights.size()); }
  [[nodiscard]] std::uint32_t first() const {
    return static_cast<std::uint32_t>(ranges.first(self));
  }
};

/// Collective.
Result<PartLevel> finest_level(Exchange& exchange, const GraphPart& part, BalanceBy balance);

/// What stands for each vertex of a level in the next coarser one.
struct Contraction {
  PartLevel coarser;
  std::vector<VertexId> coarse_of;  ///< of this node's vertices
};

/// `labels`: by the halo's index, each the number of a vertex of the level. `label_weights`: what the vertices weigh that
/// have taken the label of each vertex of this node; 0: none has. Collective.
Contraction contract(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::span<const VertexId> labels,
                     std::span<const std::uint64_t> label_weights);

/// For each number of a range that `wanted` names, the value its node has at the place there. Collective.
template <class T>
std::vector<T> ask_homes(Exchange& exchange, const VertexRanges& ranges,
                         std::span<const VertexId> wanted, std::span<const T> mine) {
  std::vector<std::vector<VertexId>> asked(exchange.count());
  for (const VertexId v : wanted) asked[ranges.home(v).index()].push_back(v);
  std::vector<std::vector<T>> answers(exchange.count());
  const auto questions = exchange.swap(asked);
  const std::uint64_t first = ranges.first(exchange.self());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    for (const VertexId v : questions[node]) {
      exchange.require(v.value() - first < mine.size(), NodeId(node));
      answers[node].push_back(mine[v.value() - first]);
    }
  }
  const auto told = exchange.swap_answers(answers, lengths(asked));
  std::vector<std::size_t> next(exchange.count(), 0);
  std::vector<T> values;
  values.reserve(wanted.size());
  for (const VertexId v : wanted) {
    const std::size_t node = ranges.home(v).index();
    values.push_back(told[node][next[node]++]);
  }
  return values;
}

/// Sums of weights by label, for a few labels at a time. Open addressing; what was touched is cleared.
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
  /// In the order in which labels came.
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

// Size-constrained label propagation over a level of a graph in parts (Meyerhenke, Sanders & Schulz, "Parallel Graph
// Partitioning for Complex Networks", TPDS 2017): each vertex takes the label that most of its arcs' weight leads to, as
// long as no label gets too heavy. Whose number a label is keeps its weight and lets vertices in.
struct LabelClusters {
  std::vector<VertexId> labels;              ///< by the halo's index
  std::vector<std::uint64_t> label_weights;  ///< of this node's numbers; 0: nobody has it
};

/// No label gets heavier than `limit`, but for a vertex that is. The same for as many nodes. Collective.
[[nodiscard]] LabelClusters find_clusters(Exchange& exchange, const PartLevel& level,
                                          const Halo& halo, std::uint64_t limit);

// Label propagation over a level of a graph in parts whose labels are the parts themselves: vertices at the cut move
// to the part that most of their arcs' weight leads to, as long as it has room; of a part that holds too much some
// move wherever there is room.

/// `owners`: of this node's vertices, a part a node. No part that holds at most `most` gets more. The same for as many
/// nodes. Collective.
void refine_division(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::uint64_t most, std::vector<PartId>& owners);

// Dividing a graph in parts by several levels, as ParHIP does (Meyerhenke, Sanders & Schulz, TPDS 2017): clusters that
// label propagation finds are contracted, over all nodes, until node 0 may hold what is left; METIS divides that; on the
// way back label propagation refines the division of each level. No node holds more than its share of a level and the
// vertices that its arcs lead to.

/// The parts of the vertices of this node's range, a part a node. Contracts until at most `most_arcs` are left, or
/// contracting no longer makes the graph smaller. Parts hold at most 3 % more than an equal share, as far as whole vertices
/// allow. The same for as many nodes. Collective.
Result<std::vector<PartId>> multilevel_division(Exchange& exchange, const GraphPart& part,
                                                const PartitionOptions& how,
                                                std::uint64_t most_arcs);

}  // namespace leeway
