// The shipped PIE programs by name, in the form in which the command runs programs (see the vertex
// programs' catalog): what each needs of its input, how it is run, how its result is checked and shown.
#pragma once

#include <span>
#include <string_view>

#include "leeway/pie.h"
#include "programs/vertex/catalog.h"

namespace leeway {

[[nodiscard]] std::span<const ProgramInfo> pie_programs();
[[nodiscard]] const ProgramInfo* find_pie_program(std::string_view name);

/// The same choices in the pie engine's words, but for the forecaster.
[[nodiscard]] pie::SessionOptions session_options(const ProgramOptions& options);
/// What the command's reports show of a query.
[[nodiscard]] RunRecord run_record(const pie::QueryRecord& query);

}  // namespace leeway
