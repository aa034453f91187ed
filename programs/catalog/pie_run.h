// How a row runs a PIE program on a whole graph and on a part, and checks its conditions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "leeway/pie.h"
#include "programs/catalog/program.h"

namespace leeway {

/// The options with `pie` filled in from `vertex`, where both have an option of the same meaning.
[[nodiscard]] RunOptions session_options(const RunOptions& options);

/// Runs the program and converts its values by `show`.
template <class P, class Show>
Result<ProgramResult> answered(const Graph& graph, const P& program, const RunOptions& options,
                               Show&& show) {
  LEEWAY_ASSIGN(auto answer, pie::run_pie(graph, program, session_options(options)));
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
