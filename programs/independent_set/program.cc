#include <algorithm>
#include <string>

#include "base/format.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/independent_set/vertex.h"
#include "programs/reference/structure.h"

namespace leeway {

namespace {

Verified verify_set(const Graph& graph, const ProgramParameters&, const RunOptions&,
                    const ProgramValues& values) {
  const Counts& in = counts(values);
  const auto bad = reference::first_outside_rule(graph, in);
  if (bad) {
    return fail(
        wrong(graph, bad->index(), format("{}", in[bad->index()]),
              in[bad->index()] > 0 ? "a neighbour is in the set" : "no neighbour is in the set"));
  }
  return format("independent and maximal, with {} vertices", std::count(in.begin(), in.end(), 1U));
}

Result<ProgramResult> run_set(const JobGraph& graph, const ProgramParameters&,
                              const RunOptions& options) {
  return counted(
      graph, [&] { return IndependentSet(options.cluster.seed); }, options, Shown::Count);
}

}  // namespace

const Program& programs::independent_set() {
  static const Program kProgram = {
      .name = "independent-set",
      .summary = "a maximal set of vertices without arcs between them",
      .result = "1 in the set, else 0",
      .known_as = {"maximal_independent_set", "mis"},
      .symmetric = true,
      .exact = true,
      .shown = Shown::Count,
      .verify = verify_set,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Seed},
                   .memory = vertex_memory<IndependentSet>,
                   .run = on_whole<run_set>,
                   .run_part = on_part<run_set>}},
  };
  return kProgram;
}

}  // namespace leeway
