#include <cstdint>
#include <utility>

#include "programs/catalog/found_values.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/lcc/clustering.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

Verified verify_lcc(const Graph& graph, const ProgramParameters&, const RunOptions&,
                    const ProgramValues& values) {
  return close(graph, reals(values), reference::clustering(graph), 1e-9);
}

Result<ProgramResult> run_lcc(const JobGraph& graph, const ProgramParameters&,
                              const RunOptions& options) {
  LEEWAY_ASSIGN(auto result, run_found(graph, options, [&](Group& group, const GraphPart& part) {
                  return count_clustering(group, part, threads_here(options));
                }));
  return ProgramResult{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

double cluster(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::clustering(graph); });
}

ProgramMemory memory_of_clustering() {
  ProgramMemory memory = vertex_memory<FoundValues<ClusteringRow>, ClusteringRow>();
  memory.counts_triangles = true;
  return memory;
}

}  // namespace

const Program& programs::lcc() {
  static const Program kProgram = {
      .name = "lcc",
      .summary = "local clustering coefficients",
      .result = "share of pairs of neighbours that are connected",
      .known_as = {"clustering", "clustering_coefficient", "local_clustering_coefficient"},
      .symmetric = true,
      .exact = true,
      .ldbc = Ldbc::Values,
      .baseline = {"sequential clustering", cluster},
      .verify = verify_lcc,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = memory_of_clustering,
                   .run = on_whole<run_lcc>,
                   .run_part = on_part<run_lcc>}},
  };
  return kProgram;
}

}  // namespace leeway
