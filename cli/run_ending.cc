// How a run of the engines on vertices ended: at rest, after so many iterations, or given up; and what that lets be checked.
#include <algorithm>
#include <string>

#include "leeway/base/format.h"
#include "leeway/cli/report.h"
#include "leeway/cli/run_plan.h"
#include "leeway/programs/pie/filtering.h"

namespace leeway::cli {

namespace {

/// Whether its check knows what so many iterations give; else only what it gives at rest.
bool checks_rounds(const ProgramInfo& program) {
  return program.name == "pagerank" || program.name == "cdlp" || program.name == "cf";
}

/// How many iterations it does that nobody has asked for: they define its result, or are enough for most.
std::optional<std::uint32_t> own_iterations(const Plan& plan, const Options& options) {
  if (options.iterations) return std::nullopt;
  if (plan.program->name == "cf") return pie::FilteringOptions().most_rounds;
  return plan.options.engine.iterations;
}

bool changed_at_last(const RunRecord& record) {
  return std::any_of(record.nodes.begin(), record.nodes.end(), [](const NodeRecord& node) {
    return !node.log.iterations.empty() && node.log.iterations.back().changed > 0;
  });
}

}  // namespace

bool did_its_iterations(const Plan& plan, const Options& options, const RunRecord& record) {
  const std::uint64_t done = record.all_iterations();
  if (options.iterations) return done >= *options.iterations;
  const auto own = own_iterations(plan, options);
  return own && done >= *own && (plan.program->name == "cf" || changed_at_last(record));
}

bool came_to_rest(const Plan& plan, const Options& options, const RunRecord& record) {
  return record.converged() && !did_its_iterations(plan, options, record);
}

Status check_result(const Plan& plan, const Graph& graph, const Options& options,
                    const ProgramRun& run, Report& report) {
  const bool counted =
      (options.iterations || own_iterations(plan, options)) && checks_rounds(*plan.program);
  if (!came_to_rest(plan, options, run.record) && !counted) {
    if (options.run.verify == true)
      report.verified = "not checked: it was ended before it came to rest";
    return {};
  }
  if (!options.run.verify.value_or(graph.arc_count() <= kVerifiedArcs)) return {};
  const CheckingPhase phase(report);
  LEEWAY_ASSIGN(report.verified,
                plan.program->verify(graph, plan.settings, plan.options, run.values));
  return {};
}

std::string why(const Plan& plan, const Options& options, const RunRecord& record) {
  if (did_its_iterations(plan, options, record)) {
    if (options.iterations) return "as many iterations as were asked for";
    if (plan.program->name != "cf") return "as many iterations as define its result";
    return format("{} passes, as many as it does unless --iterations says otherwise",
                  record.all_iterations());
  }
  if (record.converged()) return "nothing changes, nothing stale was used, nothing is on its way";
  return format(
      "given up after {} iterations, the last {} of which made no progress (--patience {})",
      record.iterations(), plan.options.engine.patience, plan.options.engine.patience);
}

}  // namespace leeway::cli
