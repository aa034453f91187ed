#include <cstdint>
#include <utility>

#include "programs/catalog/found_values.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/reference/oracles.h"
#include "programs/triangles/triangle_counter.h"

namespace leeway {

namespace {

Verified verify_triangles(const Graph& graph, const ProgramParameters&, const RunOptions&,
                          const ProgramValues& values) {
  return same(graph, counts(values), reference::triangles(graph));
}

template <class Row>
Result<ProgramResult> run_counted(const JobGraph& graph, const RunOptions& options) {
  std::uint64_t total = 0;
  const auto count = [&](Group& group, const GraphPart& part) -> Result<Array<Row>> {
    LEEWAY_ASSIGN(auto rows, count_triangles<Row>(group, part, threads_here(options)));
    std::uint64_t mine = 0;
    for (const Row& row : rows) mine += row.count;
    total = group.sum(mine) / 3;
    return rows;
  };
  LEEWAY_ASSIGN(auto found, run_found(graph, options, count));
  ProgramResult result = whole_numbers(std::move(found), Shown::Count);
  result.figures = {{"triangles", static_cast<double>(total)}};
  return result;
}

/// A virtual cluster charges each vertex for its entries.
Result<ProgramResult> run_triangles(const JobGraph& graph, const ProgramParameters&,
                                    const RunOptions& options) {
  if (options.cluster.fabric == Fabric::Sim) return run_counted<TriangleRow>(graph, options);
  return run_counted<TriangleCount>(graph, options);
}

double count_alone(const Graph& graph, const ProgramParameters&, std::uint32_t) {
  return time_of([&] { return reference::triangles(graph); });
}

ProgramMemory memory_of_triangles() {
  ProgramMemory memory = vertex_memory<FoundValues<TriangleRow>, TriangleRow>();
  memory.counts_triangles = true;
  return memory;
}

}  // namespace

const Program& programs::triangles() {
  static const Program kProgram = {
      .name = "triangles",
      .summary = "number of triangles around each vertex",
      .result = "triangles that it is part of",
      .known_as = {"triangle_count"},
      .symmetric = true,
      .exact = true,
      .shown = Shown::Count,
      .baseline = {"sequential count", count_alone},
      .verify = verify_triangles,
      .engines = {{.engine = EngineName::Vertex,
                   .memory = memory_of_triangles,
                   .run = on_whole<run_triangles>,
                   .run_part = on_part<run_triangles>}},
  };
  return kProgram;
}

}  // namespace leeway
