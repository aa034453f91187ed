#include <array>
#include <utility>
#include <vector>

#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/hits/vertex.h"
#include "programs/reference/centrality.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

constexpr double kHubTolerance = 1e-9;

Verified verify_hits(const Graph& graph, const ProgramParameters& parameters,
                     const RunOptions& options, const ProgramValues& values) {
  if (options.vertex.iterations || parameters.tolerance.value_or(0) > kHubTolerance)
    return std::string("not checked: the run does not end at the fixed point");
  return stays(reference::hubs_error(graph, values.rows));
}

Result<ProgramResult> run_hits(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  const GraphTotals totals = graph.totals();
  const double tolerance = tolerance_for(parameters, options, kHubTolerance);
  LEEWAY_ASSIGN(auto run, run_made(
                              graph,
                              [&] {
                                return HubsAuthorities(totals.vertices, totals.directed,
                                                       static_cast<double>(totals.arcs), tolerance);
                              },
                              with_limit(options)));
  ProgramResult result;
  result.record = std::move(run.record);
  result.values.shown = Shown::Real;
  result.values.row = 2;
  std::array<double, 2> sums{};
  for (const auto& pair : run.values) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += double{pair[i]};
  }
  for (double& sum : sums) {
    LEEWAY_ASSIGN(sum, sum_of_values(graph, options, sum));
    if (sum == 0) sum = 1;
  }
  result.values.rows.reserve(2 * run.values.size());
  for (const auto& pair : run.values) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      result.values.rows.push_back(static_cast<float>(double{pair[i]} / sums[i]));
  }
  return result;
}

}  // namespace

const Program& programs::hits() {
  static const Program kProgram = {
      .name = "hits",
      .summary = "hubs and authorities, by power iteration",
      .result = "hub and authority; each sums to 1",
      .known_as = {"hubs", "authorities", "HITS"},
      .verify = verify_hits,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::Tolerance, Parameter::Patience},
                   .rounds_visit_all = true,
                   .needs_supersteps = true,
                   .memory = vertex_memory<HubsAuthorities>,
                   .run = on_whole<run_hits>,
                   .run_part = on_part<run_hits>}},
  };
  return kProgram;
}

}  // namespace leeway
