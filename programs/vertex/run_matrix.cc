#include "leeway/programs/vertex/diffusion.h"
#include "leeway/programs/vertex/runs.h"

namespace leeway {

namespace {

constexpr double kTolerance = 1e-9;

template <class P>
Result<ProgramRun> settled(const Graph& graph, const ProgramSettings& settings,
                           const RunOptions& options) {
  LEEWAY_ASSIGN(const auto problem, LinearProblem::make(graph));
  const double tolerance = settings.tolerance.value_or(kTolerance);
  LEEWAY_ASSIGN(auto result, run_job(graph, P(problem, tolerance), options));
  return ProgramRun{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

}  // namespace

Result<ProgramRun> run_heat(const Graph& graph, const ProgramSettings& settings,
                            const RunOptions& options) {
  return settled<Heat>(graph, settings, options);
}

Result<ProgramRun> run_wave(const Graph& graph, const ProgramSettings& settings,
                            const RunOptions& options) {
  return settled<Wave>(graph, settings, options);
}

}  // namespace leeway
