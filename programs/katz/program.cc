#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/katz/vertex.h"
#include "programs/reference/centrality.h"

namespace leeway {

namespace {

constexpr double kKatzTolerance = 1e-10;
constexpr double kWild = 1e100;  // no solution has such values, and their squares overflow

Result<double> attenuation_for(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  if (parameters.attenuation) return *parameters.attenuation;
  LEEWAY_ASSIGN(const double strongest, strongest_row(graph, options, parameters.by_weight));
  return 1 / (1 + strongest);
}

Verified verify_katz(const Graph& graph, const ProgramParameters& parameters,
                     const RunOptions& options, const ProgramValues& values) {
  if (options.vertex.iterations || parameters.tolerance.value_or(0) > 1e-8)
    return std::string("not checked: the run does not end at the solution");
  LEEWAY_ASSIGN(const double attenuation, attenuation_for(JobGraph(graph), parameters, options));
  return close(graph, reals(values), reference::katz(graph, attenuation, parameters.by_weight),
               1e-9);
}

template <bool kByWeight>
Result<ProgramResult> run_katz_of(const JobGraph& graph, const ProgramParameters& parameters,
                                  const RunOptions& options) {
  LEEWAY_ASSIGN(const double attenuation, attenuation_for(graph, parameters, options));
  const double tolerance = tolerance_for(parameters, options, kKatzTolerance);
  LEEWAY_ASSIGN(auto run, measured(
                              graph, [&] { return Katz<kByWeight>(attenuation, tolerance); },
                              options, Shown::Real));
  auto& centrality = std::get<std::vector<double>>(run.values.by_vertex);
  const auto here =
      std::count_if(centrality.begin(), centrality.end(), [](double x) { return !(x < kWild); });
  LEEWAY_ASSIGN(const double wild, sum_of_values(graph, options, static_cast<double>(here)));
  if (wild > 0) {
    return fail(
        input_error("--attenuation", format("the values grow without bound with {}", attenuation),
                    "give less than the reciprocal of the largest eigenvalue, or leave it out"));
  }
  LEEWAY_TRY(scale_to_norm_one(graph, options, centrality));
  return run;
}

Result<ProgramResult> run_katz(const JobGraph& graph, const ProgramParameters& parameters,
                               const RunOptions& options) {
  return parameters.by_weight ? run_katz_of<true>(graph, parameters, options)
                              : run_katz_of<false>(graph, parameters, options);
}

}  // namespace

const Program& programs::katz() {
  static const Program kProgram = {
      .name = "katz",
      .summary = "Katz's centrality: all walks to a vertex, long ones less",
      .result = "centrality; the sum of squares is 1",
      .known_as = {"katz_centrality", "KatzCentrality"},
      .verify = verify_katz,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::ByWeight, Parameter::Attenuation, Parameter::Tolerance,
                             Parameter::Patience},
                   .memory = vertex_memory<Katz<true>>,
                   .run = on_whole<run_katz>,
                   .run_part = on_part<run_katz>}},
  };
  return kProgram;
}

}  // namespace leeway
