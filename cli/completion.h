// Completion for bash, zsh and fish, made from the tables of commands, settings, programs and replays.
#pragma once

#include <string>
#include <vector>

#include "leeway/cli/options.h"
#include "leeway/cli/program_list.h"

namespace leeway::cli {

/// The settings of runs of one program, those first that the fewest programs have.
[[nodiscard]] std::vector<const Setting*> settings_of(const ListedProgram& program);
[[nodiscard]] std::size_t programs_that_take(const Setting& setting);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

}  // namespace leeway::cli
