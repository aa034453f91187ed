// Communities: label propagation (Raghavan et al., 2007), ignoring directions. A vertex takes the most frequent label, the
// smallest of equally frequent ones. Parallel arcs and the two arcs of a pair count once each. ASPIRE (section 5.2) counts
// the vertex's own label with its neighbours', so every change gives more arcs equal labels at both ends, and sequential
// updates converge. Simultaneous updates, as under bsp or with stale values, can alternate for ever; such a run stops
// at its limit of iterations without progress (--patience). LDBC Graphalytics' CDLP ignores the own label and runs a
// fixed number of supersteps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "leeway/vertex.h"

namespace leeway {

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

}  // namespace leeway
