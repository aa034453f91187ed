// Changes of a case's graph, for a run that continues from the answer before them. They apply to the graph as the command reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "test/answers/graph_input.h"

namespace leeway::answers {

/// A line of the file of changes.
struct EdgeChange {
  char sign = '+';  ///< +: an arc more; -: no arc between the ends; =: all have the weight
  std::uint32_t from = 0, to = 0;
  double weight = 1;
};

/// Changes that are possible in the order in which they are returned.
[[nodiscard]] std::vector<EdgeChange> draw_changes(Lists lists, Random& random);
void apply_changes(const std::vector<EdgeChange>& changes, Lists& lists);
void write_changes(const std::vector<EdgeChange>& changes, const Lists& lists,
                   const std::vector<std::string>& names, const std::string& path);
/// After remove_vertices(graph, first, end): without the changes of these vertices.
void remove_vertices(std::vector<EdgeChange>& changes, std::uint32_t first, std::uint32_t end);

}  // namespace leeway::answers
