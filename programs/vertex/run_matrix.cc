#include <algorithm>
#include <cmath>

#include "leeway/base/format.h"
#include "leeway/programs/vertex/diffusion.h"
#include "leeway/programs/vertex/runs.h"

namespace leeway {

namespace {

constexpr double kTolerance = 1e-9;

template <class P>
Result<ProgramRun> settled(const Graph& graph, const ProgramSettings& settings,
                           const ProgramOptions& options) {
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const auto problem, LinearProblem::make(graph, settings.cells));
  const double making = seconds(clock.now() - started);
  const double tolerance = settings.tolerance.value_or(kTolerance);
  LEEWAY_ASSIGN(auto result, run_job(graph, P(problem, tolerance), options));
  result.record.phases.setup += making;
  const auto wild = std::find_if_not(result.values.begin(), result.values.end(),
                                     [](double value) { return std::isfinite(value); });
  if (wild != result.values.end()) {
    const VertexId row(static_cast<std::uint32_t>(wild - result.values.begin()));
    return fail(input_error(format("row {}", graph.names().name(row)),
                            "its value outgrew the numbers: heat and wave diverge on this matrix",
                            "use a matrix whose diagonal outweighs the rest of each row"));
  }
  return ProgramRun{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

}  // namespace

Result<ProgramRun> run_heat(const Graph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) {
  return settled<Heat>(graph, settings, options);
}

Result<ProgramRun> run_wave(const Graph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) {
  return settled<Wave>(graph, settings, options);
}

}  // namespace leeway
