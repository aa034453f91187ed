#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/degree/vertex.h"

namespace leeway {

namespace {

Verified verify_degree(const Graph& graph, const ProgramParameters&, const RunOptions&,
                       const ProgramValues& values) {
  Counts expected;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    expected.push_back(graph.neighbors(v).size());
  return same(graph, counts(values), expected);
}

Result<ProgramResult> run_degree(const JobGraph& graph, const ProgramParameters&,
                                 const RunOptions& options) {
  return counted(
      graph, [&] { return Degree(); }, options, Shown::Count);
}

}  // namespace

const Program& programs::degree() {
  static const Program kProgram = {
      .name = "degree",
      .summary = "number of outgoing arcs of each vertex",
      .result = "count",
      .known_as = {"degree_centrality", "degrees"},
      .exact = true,
      .shown = Shown::Count,
      .verify = verify_degree,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<Degree>,
                   .run = on_whole<run_degree>,
                   .run_part = on_part<run_degree>}},
  };
  return kProgram;
}

}  // namespace leeway
