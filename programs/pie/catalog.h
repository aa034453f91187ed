// Catalog of the shipped PIE programs, in the form of the vertex programs' catalog (programs/vertex/catalog.h), and
// the conversion of options.
#pragma once

#include <span>
#include <string_view>

#include "leeway/pie.h"
#include "programs/vertex/catalog.h"

namespace leeway {

[[nodiscard]] std::span<const ProgramInfo> pie_programs();
[[nodiscard]] const ProgramInfo* find_pie_program(std::string_view name);

/// Converts options to the pie engine's, except the forecaster.
[[nodiscard]] pie::SessionOptions session_options(const ProgramOptions& options);

}  // namespace leeway
