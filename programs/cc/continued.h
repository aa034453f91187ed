// Connected components after changes of the graph, from the labels before them. Added arcs only join components: labels spread from
// their ends. Removed arcs may divide one: a search from their ends finds the parts that are cut off, whose vertices start again with
// their own labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/vertex.h"
#include "programs/catalog/continuation.h"

namespace leeway {

/// A vertex at the begin of the run.
struct LabelStart {
  std::uint32_t label = 0;
  bool starts = false;  ///< an end of an added arc, or cut off
};

struct LabelStarts {
  std::vector<LabelStart> rows;  ///< by vertex
  std::uint64_t searched = 0;    ///< vertices that the search visited
};

/// Searches from all ends of removed arcs in turns, one vertex of each search at a time, on the arcs that were there before; searches that
/// meet become one. A search stops once it has met those from the other ends of its arcs. One that finds no further vertex before has
/// found a part that is cut off; the ends around the part must then meet each other. What no search has found is connected to the others.
Result<LabelStarts> label_starts(const Graph& graph, const Continuation& from);

class ContinuedComponents {
 public:
  using Value = std::uint32_t;
  static constexpr Reads kReads = Reads::Both;
  static constexpr bool kMovesOn = false;
  static constexpr bool kAlwaysRests = true;

  void settle(const LocalGraph& here) { rows_ = here.records<LabelStart>(); }
  [[nodiscard]] std::uint32_t init(const LocalVertex& v) const { return rows_[v.local].label; }
  [[nodiscard]] bool starts(const LocalVertex& v, std::uint32_t) const {
    return rows_[v.local].starts;
  }
  [[nodiscard]] bool concerns(std::uint32_t label, double, std::uint32_t reader) const {
    return label < reader;
  }
  [[nodiscard]] std::uint32_t update(const Vertex<std::uint32_t>& vertex) const {
    std::uint32_t label = vertex.value();
    vertex.each([&](std::uint32_t other) { label = std::min(label, other); });
    return label;
  }

 private:
  std::span<const LabelStart> rows_;
};

}  // namespace leeway
