#include "leeway/programs/vertex/catalog.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/programs/vertex/admission.h"
#include "leeway/programs/vertex/runs.h"
#include "leeway/programs/vertex/verification.h"

namespace leeway {

namespace {

using RunOnGraph = Result<ProgramRun>(const JobGraph&, const ProgramSettings&,
                                      const ProgramOptions&);

template <RunOnGraph Run>
Result<ProgramRun> on_whole(const Graph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) {
  return Run(JobGraph(graph), settings, options);
}
template <RunOnGraph Run>
Result<ProgramRun> on_part(GraphPart& part, const ProgramSettings& settings,
                           const ProgramOptions& options) {
  return Run(JobGraph(part), settings, options);
}

constexpr std::array kPrograms = {
    ProgramInfo{.name = "pagerank",
                .summary = "how often a random surfer is at each vertex",
                .result = "rank; all sum to 1",
                .run = on_whole<run_pagerank>,
                .run_part = on_part<run_pagerank>,
                .verify = verify_pagerank},
    ProgramInfo{.name = "sssp",
                .summary = "the length of the shortest path from a source",
                .result = "length, or infinity",
                .source = true,
                .exact = true,
                .selects = true,
                .admit = admit_sssp,
                .run = on_whole<run_sssp>,
                .run_part = on_part<run_sssp>,
                .verify = verify_sssp},
    ProgramInfo{.name = "bfs",
                .summary = "the least number of arcs from a source",
                .result = "arcs, or unreachable",
                .source = true,
                .exact = true,
                .selects = true,
                .admit = admit_source,
                .run = on_whole<run_bfs>,
                .run_part = on_part<run_bfs>,
                .verify = verify_bfs},
    ProgramInfo{.name = "paths",
                .summary = "the number of paths from a source",
                .result = "count; more than 2^63 - 1 where a cycle leads to the vertex",
                .source = true,
                .exact = true,
                .admit = admit_source,
                .run = on_whole<run_paths>,
                .run_part = on_part<run_paths>,
                .verify = verify_paths},
    ProgramInfo{.name = "shortest-path-counts",
                .summary = "the number of paths with the fewest arcs from a source",
                .result = "count; parallel arcs make different paths",
                .source = true,
                .exact = true,
                .admit = admit_source,
                .run = on_whole<run_shortest_path_counts>,
                .run_part = on_part<run_shortest_path_counts>,
                .verify = verify_shortest_path_counts},
    ProgramInfo{.name = "cc",
                .summary = "connected components, arcs read both ways",
                .result = "the component's first vertex",
                .exact = true,
                .selects = true,
                .run = on_whole<run_cc>,
                .run_part = on_part<run_cc>,
                .verify = verify_cc},
    ProgramInfo{.name = "cdlp",
                .summary = "communities by label propagation",
                .result = "the vertex whose label it took",
                .symmetric = true,
                .patience = 1000,  // labels that alternate do so from one iteration to the next
                .run = on_whole<run_cdlp>,
                .run_part = on_part<run_cdlp>,
                .verify = verify_cdlp},
    ProgramInfo{.name = "coloring",
                .summary = "colours that differ between neighbours",
                .result = "colour, from 0",
                .symmetric = true,
                .run = on_whole<run_coloring>,
                .run_part = on_part<run_coloring>,
                .verify = verify_coloring},
    ProgramInfo{.name = "heat",
                .summary = "heat that spreads over a matrix or grid until it rests",
                .result = "temperature",
                .admit = admit_diffusion,
                .run = run_heat,
                .verify = verify_diffusion},
    ProgramInfo{.name = "wave",
                .summary = "a damped wave on a matrix or grid until it rests",
                .result = "height",
                .admit = admit_diffusion,
                .run = run_wave,
                .verify = verify_diffusion},
    ProgramInfo{.name = "lcc",
                .summary = "local clustering coefficients",
                .result = "share of pairs of neighbours that are joined",
                .symmetric = true,
                .exact = true,
                .run = run_lcc,
                .verify = verify_lcc},
    ProgramInfo{.name = "degree",
                .summary = "arcs that leave each vertex",
                .result = "count",
                .exact = true,
                .run = on_whole<run_degree>,
                .run_part = on_part<run_degree>,
                .verify = verify_degree},
};

}  // namespace

std::span<const ProgramInfo> vertex_programs() { return kPrograms; }

const ProgramInfo* find_vertex_program(std::string_view name) {
  const auto all = vertex_programs();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProgramInfo& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

constexpr std::string_view kLdbcUnreached = "9223372036854775807";

std::string shown_real(double value, bool ldbc) {
  if (std::isinf(value)) return "infinity";
  return ldbc ? format("{:.15e}", value) : format("{}", value);
}

}  // namespace

std::string shown_value(const ProgramValues& values, VertexId vertex, const VertexNames& names,
                        bool ldbc) {
  if (values.row > 0) {
    std::string text;
    for (std::size_t k = 0; k < values.row; ++k)
      text += format("{}{}", k == 0 ? "" : " ", values.rows[vertex.index() * values.row + k]);
    return text;
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex))
    return shown_real((*reals)[vertex.index()], ldbc);
  const std::uint64_t value =
      std::get<std::vector<std::uint64_t>>(values.by_vertex)[vertex.index()];
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  if (values.shown == Shown::Vertex) return names.name(VertexId(static_cast<std::uint32_t>(value)));
  if (value == kNone && values.shown == Shown::Depth)
    return std::string(ldbc ? kLdbcUnreached : "unreachable");
  if (value == kNone && values.shown == Shown::Paths) return format("more than {}", kLdbcUnreached);
  return std::to_string(value);
}

}  // namespace leeway
