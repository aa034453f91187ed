// How a row runs a PIE program on a whole graph and on a part, with the forecasts of its rounds, and checks its
// conditions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "leeway/pie.h"
#include "programs/catalog/program.h"
#include "runtime/pie/predictor.h"

namespace leeway {

/// The options with `pie` filled in from `vertex`, where both have an option of the same meaning; without a forecaster.
[[nodiscard]] RunOptions session_options(const RunOptions& options);

/// Options of the forecaster for the program. Reads the model before any work, so that an invalid file is an error
/// before the run.
Result<pie::ForestOptions> forest_options(const Program& program, const Graph& graph,
                                          const RunOptions& options);
/// Adds what the forecaster's model cost to the record.
void add_forecast_cost(const pie::ForestModel& model, Record& record);

/// Runs the program and converts its values by `show`. `row`: the program's.
template <class P, class Show>
Result<ProgramResult> answered(const Program& row, const Graph& graph, const P& program,
                               const RunOptions& options, Show&& show) {
  RunOptions session = session_options(options);
  LEEWAY_ASSIGN(const pie::ForestOptions forest, forest_options(row, graph, options));
  if (forest.forecast || forest.keep_log)
    session.pie.forecaster = [&forest] { return pie::forest_forecaster(forest); };
  LEEWAY_ASSIGN(auto answer, pie::run_pie(graph, program, session));
  if (forest.model) add_forecast_cost(*forest.model, answer.record);
  return ProgramResult{show(std::move(answer.values)), std::move(answer.record), {}};
}

/// The same on a graph in parts: the values of the part's range.
template <class P, class Show>
Result<ProgramResult> answered(GraphPart& part, const P& program, const RunOptions& options,
                               Show&& show) {
  LEEWAY_ASSIGN(auto answer, pie::run_pie(part, program, session_options(options)));
  return ProgramResult{show(std::move(answer.values)), std::move(answer.record), {}};
}

/// The fragments on which conditions are checked.
Result<pie::Fragmentation> checked_fragments(const Graph& graph, const pie::FragmentNeeds& needs,
                                             const RunOptions& options);

template <class P>
Result<pie::ConditionReport> checked(const Graph& graph, const P& program,
                                     const RunOptions& options, const pie::CheckOptions& how) {
  LEEWAY_ASSIGN(const auto fragments, checked_fragments(graph, program.needs(), options));
  return pie::check_conditions(fragments, program, how);
}

[[nodiscard]] inline std::vector<std::uint64_t> counts_of(
    const std::vector<std::uint32_t>& values) {
  return {values.begin(), values.end()};
}

/// The needs of a fragment as those of a local graph: readers are reversed lists.
template <class P>
ProgramMemory fragment_memory() {
  const pie::FragmentNeeds needs = P::needs();
  return {.needs = {.reads = needs.lists,
                    .weights = needs.weights,
                    .readers = needs.back == pie::Back::All},
          .value_bytes = sizeof(typename P::Value)};
}

}  // namespace leeway
