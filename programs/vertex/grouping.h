// Programs that give every vertex a label or a colour from its neighbours', ignoring directions.
//
// Components: the smallest vertex of the connected component (weakly connected if directed). Exact under every
// scheduler. Requires a graph with every arc's reverse.
//
// Communities: label propagation (Raghavan et al., 2007). A vertex takes the most frequent label, the smallest of
// equally frequent ones. Parallel arcs and the two arcs of a pair count once each. ASPIRE (section 5.2) counts the
// vertex's own label with its neighbours', so every change gives more arcs equal labels at both ends, and sequential
// updates converge. Simultaneous updates, as under bsp or with stale values, can alternate for ever; such a run stops
// at its limit of iterations without progress (--patience). LDBC Graphalytics' CDLP ignores the own label and runs a
// fixed number of supersteps.
//
// Colouring: neighbours get different colours. A vertex keeps its colour until a neighbour with precedence (a fixed
// pseudo-random order) has the same; then it takes the smallest colour that no neighbour has. Proper under every
// scheduler; the colouring depends on the order in which values arrive.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/array.h"
#include "base/bytes.h"
#include "datasets/build_graph.h"
#include "leeway/vertex.h"

namespace leeway {

class Components {
 public:
  using Value = std::uint32_t;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kContracts = true;  // components within a node are contracted to one vertex

  explicit Components(const GraphTotals& graph)
      : width_(std::max(1.0, static_cast<double>(graph.vertices) / kBuckets)) {}

  [[nodiscard]] std::uint32_t init(VertexId v) const { return v.value(); }
  [[nodiscard]] std::uint32_t along(std::uint32_t from, double) const { return from; }
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const { return a < b; }
  [[nodiscard]] double rank(std::uint32_t label) const { return label; }
  [[nodiscard]] double width() const { return width_; }

 private:
  static constexpr std::uint32_t kBuckets = 4096;
  double width_;
};

class Communities {
 public:
  using Value = std::uint32_t;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;

  explicit Communities(bool own_counts) : own_counts_(own_counts) {}

  [[nodiscard]] std::uint32_t init(VertexId v) const { return v.value(); }
  [[nodiscard]] std::uint32_t update(const Vertex<std::uint32_t>& vertex) const {
    if (vertex.degree() == 0) return vertex.value();
    Scratch<std::uint32_t, Communities> scratch;
    std::vector<std::uint32_t>& labels = *scratch;
    if (own_counts_) labels.push_back(vertex.value());
    vertex.each([&labels](std::uint32_t label) { labels.push_back(label); });
    std::sort(labels.begin(), labels.end());
    std::uint32_t best = labels.front();
    std::size_t most = 0;
    for (std::size_t i = 0; i < labels.size();) {
      std::size_t end = i;
      while (end < labels.size() && labels[end] == labels[i]) ++end;
      if (end - i > most) {
        most = end - i;
        best = labels[i];
      }
      i = end;
    }
    return best;
  }

 private:
  bool own_counts_;
};

struct Coloured {
  std::uint32_t colour = 0;
  std::uint32_t vertex = 0;
  friend bool operator==(const Coloured&, const Coloured&) = default;
};

class Colouring {
 public:
  using Value = Coloured;
  static constexpr bool kMovesOn = false;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kDropLoops = true;
  /// Once the neighbours with precedence have converged, a vertex changes at most once.
  static constexpr bool kAlwaysRests = true;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] Coloured init(VertexId v) const { return {kNone, v.value()}; }
  [[nodiscard]] Coloured update(const Vertex<Coloured>& vertex) const {
    const Coloured own = vertex.value();
    bool clash = own.colour == kNone;
    Scratch<bool, Colouring> scratch;
    std::vector<bool>& taken = *scratch;
    taken.assign(vertex.degree() + 1, false);
    vertex.each([&](const Coloured& other) {
      if (other.colour < taken.size()) taken[other.colour] = true;
      clash = clash || (other.colour == own.colour && goes_first(other.vertex, own.vertex));
    });
    if (!clash) return own;
    const auto free = std::find(taken.begin(), taken.end(), false);
    return {static_cast<std::uint32_t>(free - taken.begin()), own.vertex};
  }
  [[nodiscard]] std::uint32_t result(const Vertex<Coloured>& vertex) const {
    return vertex.value().colour;
  }

 private:
  static bool goes_first(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t first = mix64(a);
    const std::uint64_t second = mix64(b);
    return first != second ? first < second : a < b;
  }
};

}  // namespace leeway
