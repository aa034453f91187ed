// One level of a graph in parts on its way to being divided: undirected, without loops and parallel arcs, with weights of
// vertices and arcs. The finest is the graph itself; of a level and a label for each of its vertices the next
// coarser is made, whose vertices are the labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/base/mix.h"
#include "leeway/base/result.h"
#include "leeway/datasets/partition.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"
#include "leeway/runtime/parts/halo.h"

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

}  // namespace leeway
