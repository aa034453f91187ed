#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "programs/bfs/vertex.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/continued_run.h"
#include "programs/sssp/pie.h"

namespace leeway {

namespace {

Verified verify_bfs(const Graph& graph, const ProgramParameters& parameters, const RunOptions&,
                    const ProgramValues& values) {
  if (graph.vertex_count() == 0) return std::string("nothing to check");
  return same(graph, counts(values), reference::depths(graph, parameters.source));
}

Result<ProgramResult> run_bfs(const JobGraph& graph, const ProgramParameters& parameters,
                              const RunOptions& options) {
  if (parameters.continuation) {
    LEEWAY_ASSIGN(ProgramResult run, run_continued(graph, parameters, options, false));
    std::vector<std::uint64_t> depths;
    for (const double distance : std::get<std::vector<double>>(run.values.by_vertex))
      depths.push_back(std::isinf(distance) ? std::numeric_limits<std::uint64_t>::max()
                                            : static_cast<std::uint64_t>(distance));
    run.values = {std::move(depths), Shown::Depth};
    return run;
  }
  LEEWAY_ASSIGN(auto run,
                counted(
                    graph, [&] { return Bfs(parameters.source); }, options, Shown::Depth));
  for (std::uint64_t& depth : std::get<std::vector<std::uint64_t>>(run.values.by_vertex)) {
    if (depth == Bfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return run;
}

ProgramValues depths_of(const std::vector<std::uint32_t>& values) {
  std::vector<std::uint64_t> depths = counts_of(values);
  for (std::uint64_t& depth : depths) {
    if (depth == pie::PieBfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return {std::move(depths), Shown::Depth};
}

Result<ProgramResult> run_bfs_fragments(const Graph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options) {
  const pie::PieBfs program(graph, parameters.source, pie::arcs_a_round(graph, options));
  if (parameters.continuation)
    return run_continued_fragments(graph, program, parameters, options, depths_of);
  return answered(graph, program, options, depths_of);
}

Result<ProgramResult> run_bfs_fragments_of_part(GraphPart& part,
                                                const ProgramParameters& parameters,
                                                const RunOptions& options) {
  const pie::PieBfs program(part.totals, 0, parameters.source,
                            pie::arcs_a_round(part.totals, options));
  return answered(part, program, options, depths_of);
}

Result<pie::ConditionReport> check_bfs(const Graph& graph, const ProgramParameters& parameters,
                                       const RunOptions& options, const pie::CheckOptions& how) {
  return checked(graph, pie::PieBfs(graph, parameters.source, pie::arcs_a_round(graph, options)),
                 options, how);
}

}  // namespace

const Program& programs::bfs() {
  static const Program kProgram = {
      .name = "bfs",
      .summary = "least number of arcs from a source",
      .result = "arcs, or unreachable",
      .known_as = {"single_source_shortest_path_length", "breadth_first_search", "bfs_edges"},
      .exact = true,
      .ldbc = Ldbc::Values,
      .ldbc_name = "bfs",
      .shown = Shown::Depth,
      .baseline = {"tuned delta-stepping", time_delta_stepping},
      .verify = verify_bfs,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Source},
                   .selects = true,
                   .continues = true,
                   .memory = vertex_memory<Bfs>,
                   .run = on_whole<run_bfs>,
                   .run_part = on_part<run_bfs>},
                  {.engine = EngineName::Pie,
                   .takes = {Parameter::Source},
                   .continues = true,
                   .memory = fragment_memory<pie::PieBfs>,
                   .run = run_bfs_fragments,
                   .run_part = run_bfs_fragments_of_part,
                   .check = check_bfs}},
  };
  return kProgram;
}

}  // namespace leeway
