#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/found_values.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/structure.h"
#include "programs/spanning_forest/forest.h"

namespace leeway {

namespace {

Verified verify_forest(const Graph& graph, const ProgramParameters&, const RunOptions&,
                       const ProgramValues& values) {
  const auto found = reference::forest_weight(graph, counts(values));
  if (!found) return fail(found.error());
  const double expected = reference::least_forest_weight(graph);
  if (std::abs(*found - expected) <= 1e-9 * std::max(1.0, std::abs(expected)))
    return format("a forest of the least weight, {}", expected);
  return fail(wrong(graph, 0, format("a forest of weight {}", *found), format("{}", expected)));
}

Result<ProgramResult> run_forest(const JobGraph& graph, const ProgramParameters&,
                                 const RunOptions& options) {
  double weight = 0;
  const auto find = [&](Group& group, const GraphPart& part) {
    auto rows = find_forest(group, part);
    if (rows) {
      for (const ForestRow& row : *rows) weight += row.weight;
    }
    return rows;
  };
  LEEWAY_ASSIGN(auto run, run_found(graph, options, find));
  return with_sum(graph, options, whole_numbers(std::move(run), Shown::Vertex), "forest_weight",
                  weight);
}

double prim(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::least_forest_weight(graph); });
}

}  // namespace

const Program& programs::spanning_forest() {
  static const Program kProgram = {
      .name = "spanning-forest",
      .summary = "minimum spanning forest, arcs read both ways",
      .result = "parent in the tree; the first vertex of a component is its own",
      .known_as = {"minimum_spanning_tree", "minimum_spanning_edges", "mst",
                   "UnionMaximumSpanningForest"},
      .exact = true,
      .shown = Shown::Vertex,
      .groups = "parents",
      .baseline = {"sequential search (Prim)", prim},
      .verify = verify_forest,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<FoundValues<ForestRow>, ForestRow>,
                   .run = on_whole<run_forest>,
                   .run_part = on_part<run_forest>}},
  };
  return kProgram;
}

}  // namespace leeway
