#include <cstdint>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/paths/vertex.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

Verified verify_paths(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                      const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::path_counts(graph, parameters.source));
}

Result<ProgramResult> run_paths(const JobGraph& graph, const ProgramParameters& parameters,
                                const RunOptions& options) {
  return counted(
      graph, [&] { return PathCount(graph.totals(), parameters.source); }, options, Shown::Paths);
}

double count_paths(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  return time_of([&] { return reference::path_counts(graph, parameters.source); });
}

}  // namespace

const Program& programs::paths() {
  static const Program kProgram = {
      .name = "paths",
      .summary = "number of paths from a source",
      .result = "count; more than 2^63 - 1 if a cycle leads to the vertex",
      .exact = true,
      .shown = Shown::Paths,
      .baseline = {"sequential count", count_paths},
      .verify = verify_paths,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Source},
                   .memory = vertex_memory<PathCount>,
                   .run = on_whole<run_paths>,
                   .run_part = on_part<run_paths>}},
  };
  return kProgram;
}

}  // namespace leeway
