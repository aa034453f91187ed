#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "programs/catalog/continuation.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/kcore/continued.h"
#include "programs/kcore/vertex.h"
#include "programs/reference/structure.h"

namespace leeway {

namespace {

Verified verify_cores(const Graph& graph, const ProgramParameters&, const RunOptions&,
                      const ProgramValues& values) {
  return same(graph, counts(values), reference::core_numbers(graph));
}

Result<ProgramResult> continue_cores(const JobGraph& graph, const Continuation& from,
                                     const RunOptions& options) {
  LEEWAY_TRY(check_old_numbers(from, std::numeric_limits<std::uint32_t>::max()));
  std::vector<OldCore> rows;
  for (const double core : from.old) rows.push_back({.core = static_cast<std::uint32_t>(core)});
  for (const ArcChange& arc : from.arcs) {
    if (arc.source == arc.target) continue;
    for (const VertexId end : {arc.source, arc.target}) {
      OldCore& row = rows[end.index()];
      row.loses = row.loses || arc.after < arc.before;
      row.gains = row.gains || arc.after > arc.before;
    }
  }
  const VertexRecords records{std::span<const OldCore>(rows)};
  return counted(
      graph.with(records), [] { return ContinuedCores(); }, options, Shown::Count);
}

Result<ProgramResult> run_cores(const JobGraph& graph, const ProgramParameters& parameters,
                                const RunOptions& options) {
  if (parameters.continuation) return continue_cores(graph, *parameters.continuation, options);
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
                   .continues = true,
                   .memory = vertex_memory<CoreNumbers>,
                   .run = on_whole<run_cores>,
                   .run_part = on_part<run_cores>}},
  };
  return kProgram;
}

}  // namespace leeway
