#include <cstdint>
#include <set>
#include <vector>

#include "base/format.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/coloring/vertex.h"
#include "programs/reference/oracles.h"

namespace leeway {

namespace {

Verified verify_coloring(const Graph& graph, const ProgramParameters&, const RunOptions&,
                         const ProgramValues& values) {
  std::vector<std::uint32_t> colours;
  for (const std::uint64_t colour : counts(values))
    colours.push_back(static_cast<std::uint32_t>(colour));
  if (const auto clash = reference::first_clash(graph, colours)) {
    return fail(wrong(graph, clash->first.index(),
                      format("colour {}", colours[clash->first.index()]),
                      format("neighbour {} of the same", graph.names().name(clash->second))));
  }
  const std::set<std::uint32_t> used(colours.begin(), colours.end());
  return format("proper, with {} colours", used.size());
}

Result<ProgramResult> run_coloring(const JobGraph& graph, const ProgramParameters&,
                                   const RunOptions& options) {
  return counted(
      graph, [&] { return Colouring(); }, options, Shown::Count);
}

}  // namespace

const Program& programs::coloring() {
  static const Program kProgram = {
      .name = "coloring",
      .summary = "colours that differ between neighbours",
      .result = "colour, from 0",
      .known_as = {"greedy_color"},
      .symmetric = true,
      .shown = Shown::Count,
      .groups = "colours",
      .verify = verify_coloring,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = vertex_memory<Colouring>,
                   .run = on_whole<run_coloring>,
                   .run_part = on_part<run_coloring>}},
  };
  return kProgram;
}

}  // namespace leeway
