#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
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
  const Stopwatch watch;
  std::vector<ForestRow> rows;
  LEEWAY_TRY(on_rows(graph, options, [&](Group& group, const GraphPart& part) -> Status {
    LEEWAY_ASSIGN(rows, find_forest(group, part));
    return {};
  }));
  const double finding = watch.elapsed_seconds();
  double weight = 0;
  for (const ForestRow& row : rows) weight += row.weight;
  const VertexRecords records{std::span<const ForestRow>(rows)};
  const JobGraph with_rows = graph.with(records);
  LEEWAY_ASSIGN(auto run, counted(
                              with_rows, [] { return ForestParents(); }, options, Shown::Vertex));
  // The virtual cluster charges the entries that were visited.
  if (!run.record.simulated) run.record.phases.compute += finding;
  return with_sum(graph, options, std::move(run), "forest_weight", weight);
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
      .known_as = {"minimum_spanning_tree", "minimum_spanning_edges", "mst", "UnionMaximumSpanningForest"},
      .exact = true,
      .shown = Shown::Vertex,
      .baseline = {"sequential search (Prim)", prim},
      .verify = verify_forest,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<ForestParents, ForestRow>,
                   .run = on_whole<run_forest>,
                   .run_part = on_part<run_forest>}},
  };
  return kProgram;
}

}  // namespace leeway
