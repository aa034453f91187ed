// Catalog of the shipped PIE programs, in the form of the vertex programs' catalog (programs/vertex/catalog.h), and
// the conversion of options.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "leeway/pie.h"
#include "programs/vertex/catalog.h"

namespace leeway {

[[nodiscard]] std::span<const ProgramInfo> pie_programs();
[[nodiscard]] const ProgramInfo* find_pie_program(std::string_view name);
[[nodiscard]] std::vector<std::string_view> pie_program_names();

/// pie::check_conditions for the program called `name`, which must exist, on `options.pie.workers` fragments.
Result<pie::ConditionReport> check_pie_program(std::string_view name, const Graph& graph,
                                               const ProgramParameters& parameters,
                                               const RunOptions& options,
                                               const pie::CheckOptions& how);

/// The options with `pie` filled in from `vertex`, where both have an option of the same meaning; without a forecaster.
[[nodiscard]] RunOptions session_options(const RunOptions& options);

}  // namespace leeway
