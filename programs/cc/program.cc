#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "programs/catalog/continuation.h"
#include "programs/catalog/pie_run.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/cc/continued.h"
#include "programs/cc/pie.h"
#include "programs/cc/pie_continued.h"
#include "programs/cc/vertex.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

Verified verify_cc(const Graph& graph, const ProgramParameters&, const RunOptions&,
                   const ProgramValues& values) {
  return same(graph, counts(values), reference::components(graph));
}

/// The result of `run`, with the cost of the search before it.
template <class RunFrom>
Result<ProgramResult> from_label_starts(const Graph& graph, const Continuation& from,
                                        const RunFrom& run_from) {
  LEEWAY_TRY(check_old_numbers(from, graph.vertex_count()));
  const Stopwatch watch;
  LEEWAY_ASSIGN(const LabelStarts starts, label_starts(graph, from));
  const double searching = watch.elapsed_seconds();
  LEEWAY_ASSIGN(ProgramResult run, run_from(starts));
  return after_search(std::move(run), searching, starts.searched);
}

Result<ProgramResult> continue_cc(const JobGraph& graph, const Continuation& from,
                                  const RunOptions& options) {
  return from_label_starts(*graph.whole, from, [&](const LabelStarts& starts) {
    const VertexRecords records{std::span<const LabelStart>(starts.rows)};
    return counted(
        graph.with(records), [] { return ContinuedComponents(); }, options, Shown::Vertex);
  });
}

Result<ProgramResult> run_cc(const JobGraph& graph, const ProgramParameters& parameters,
                             const RunOptions& options) {
  if (parameters.continuation) return continue_cc(graph, *parameters.continuation, options);
  return counted(
      graph, [&] { return Components(graph.totals()); }, options, Shown::Vertex);
}

double union_find(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::sampled_components(graph); });
}

ProgramValues labels(const std::vector<std::uint32_t>& values) {
  return {counts_of(values), Shown::Vertex};
}

Result<ProgramResult> run_cc_fragments(const Graph& graph, const ProgramParameters& parameters,
                                       const RunOptions& options) {
  if (parameters.continuation) {
    return from_label_starts(graph, *parameters.continuation, [&](const LabelStarts& starts) {
      const auto shared = std::make_shared<const LabelStarts>(starts);
      return answered(graph, pie::ContinuedPieComponents(shared), options, labels);
    });
  }
  return answered(graph, pie::PieComponents(), options, labels);
}

Result<ProgramResult> run_cc_fragments_of_part(GraphPart& part, const ProgramParameters&,
                                               const RunOptions& options) {
  return answered(part, pie::PieComponents(), options, labels);
}

Result<pie::ConditionReport> check_cc(const Graph& graph, const ProgramParameters&,
                                      const RunOptions& options, const pie::CheckOptions& how) {
  return checked(graph, pie::PieComponents(), options, how);
}

}  // namespace

const Program& programs::cc() {
  static const Program kProgram = {
      .name = "cc",
      .summary = "connected components, arcs read both ways",
      .result = "first vertex of the component",
      .known_as = {"connected_components", "weakly_connected_components",
                   "number_connected_components"},
      .exact = true,
      .ldbc = Ldbc::Values,
      .shown = Shown::Vertex,
      .groups = "components",
      .baseline = {"sampled union-find", union_find},
      .verify = verify_cc,
      .engines = {{.engine = EngineName::Vertex,
                   .selects = true,
                   .contracts = true,
                   .continues = true,
                   .memory = vertex_memory<Components>,
                   .run = on_whole<run_cc>,
                   .run_part = on_part<run_cc>},
                  {.engine = EngineName::Pie,
                   .continues = true,
                   .memory = fragment_memory<pie::PieComponents>,
                   .run = run_cc_fragments,
                   .run_part = run_cc_fragments_of_part,
                   .check = check_cc}},
  };
  return kProgram;
}

}  // namespace leeway
