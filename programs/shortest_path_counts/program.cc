#include <cstdint>
#include <string>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/oracles.h"
#include "programs/shortest_path_counts/vertex.h"

namespace leeway {

namespace {

Verified verify_shortest_path_counts(const Graph& graph, const ProgramParameters& parameters,
                                     const RunOptions&, const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  const auto expected = reference::shortest_path_counts(graph, parameters.source);
  if (!expected) return "not checked: " + expected.error().to_string();
  return same(graph, counts(values), *expected);
}

Result<ProgramResult> run_shortest_path_counts(const JobGraph& graph,
                                               const ProgramParameters& parameters,
                                               const RunOptions& options) {
  return counted(
      graph, [&] { return ShortestPathCount(parameters.source); }, options, Shown::Paths);
}

double count_shortest_paths(const Graph& graph, const ProgramParameters& parameters,
                            std::uint32_t) {
  return time_of([&] { return reference::shortest_path_counts(graph, parameters.source); });
}

}  // namespace

const Program& programs::shortest_path_counts() {
  static const Program kProgram = {
      .name = "shortest-path-counts",
      .summary = "number of paths with the fewest arcs from a source",
      .result = "count; parallel arcs make different paths",
      .exact = true,
      .shown = Shown::Paths,
      .baseline = {"sequential count", count_shortest_paths},
      .verify = verify_shortest_path_counts,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Source},
                   .memory = vertex_memory<ShortestPathCount>,
                   .run = on_whole<run_shortest_path_counts>,
                   .run_part = on_part<run_shortest_path_counts>}},
  };
  return kProgram;
}

}  // namespace leeway
