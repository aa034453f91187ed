#include <algorithm>

#include "programs/bipartite/vertex.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/structure.h"

namespace leeway {

namespace {

Verified verify_sides(const Graph& graph, const ProgramParameters&, const RunOptions&,
                      const ProgramValues& values) {
  return same(graph, counts(values), reference::sides(graph));
}

Result<ProgramResult> run_sides(const JobGraph& graph, const ProgramParameters&,
                                const RunOptions& options) {
  LEEWAY_ASSIGN(auto run, counted(
                              graph, [] { return Bipartition(); }, options, Shown::Side));
  const Counts& sides = counts(run.values);
  const auto odd = std::count(sides.begin(), sides.end(), Bipartition::kNoSide);
  return with_sum(graph, options, std::move(run), "vertices_without_side",
                  static_cast<double>(odd));
}

double colour_by_search(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::sides(graph); });
}

}  // namespace

const Program& programs::bipartite() {
  static const Program kProgram = {
      .name = "bipartite",
      .summary = "two sides such that every arc joins different ones, if there are",
      .result = "side 0 or 1, or none: the component has an odd cycle",
      .known_as = {"is_bipartite", "color", "bipartite_sets"},
      .exact = true,
      .shown = Shown::Side,
      .groups = "sides",
      .baseline = {"sequential search", colour_by_search},
      .verify = verify_sides,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<Bipartition>,
                   .run = on_whole<run_sides>,
                   .run_part = on_part<run_sides>}},
  };
  return kProgram;
}

}  // namespace leeway
