#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/kcore/vertex.h"
#include "programs/reference/structure.h"

namespace leeway {

namespace {

Verified verify_cores(const Graph& graph, const ProgramParameters&, const RunOptions&,
                      const ProgramValues& values) {
  return same(graph, counts(values), reference::core_numbers(graph));
}

Result<ProgramResult> run_cores(const JobGraph& graph, const ProgramParameters&,
                                const RunOptions& options) {
  return counted(
      graph, [] { return CoreNumbers(); }, options, Shown::Count);
}

double peel(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::core_numbers(graph); });
}

}  // namespace

const Program& programs::kcore() {
  static const Program kProgram = {
      .name = "kcore",
      .summary = "core numbers, arcs read both ways",
      .result = "largest k of a subgraph of minimum degree k",
      .known_as = {"core_number", "k_core", "coreness", "CoreDecomposition"},
      .exact = true,
      .shown = Shown::Count,
      .baseline = {"sequential peeling", peel},
      .verify = verify_cores,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<CoreNumbers>,
                   .run = on_whole<run_cores>,
                   .run_part = on_part<run_cores>}},
  };
  return kProgram;
}

}  // namespace leeway
