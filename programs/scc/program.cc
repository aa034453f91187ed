#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/structure.h"
#include "programs/scc/vertex.h"

namespace leeway {

namespace {

Verified verify_scc(const Graph& graph, const ProgramParameters&, const RunOptions&,
                    const ProgramValues& values) {
  return same(graph, counts(values), reference::strong_components(graph));
}

Result<ProgramResult> run_scc(const JobGraph& graph, const ProgramParameters&,
                              const RunOptions& options) {
  return counted(
      graph, [&] { return StrongComponents(graph.totals().directed); }, options, Shown::Vertex);
}

double tarjan(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::strong_components(graph); });
}

}  // namespace

const Program& programs::scc() {
  static const Program kProgram = {
      .name = "scc",
      .summary = "strongly connected components: vertices that reach each other",
      .result = "first vertex of the component",
      .known_as = {"strongly_connected_components", "StronglyConnectedComponents"},
      .exact = true,
      .shown = Shown::Vertex,
      .groups = "components",
      .baseline = {"sequential search (Tarjan)", tarjan},
      .verify = verify_scc,
      .engines = {{.engine = EngineName::Vertex,
                   .staged = true,
                   .memory = vertex_memory<StrongComponents>,
                   .run = on_whole<run_scc>,
                   .run_part = on_part<run_scc>}},
  };
  return kProgram;
}

}  // namespace leeway
