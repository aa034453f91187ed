// Completion for bash, zsh and fish, made from the tables of commands, settings, programs and replays.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/program_list.h"
#include "leeway/result.h"

namespace leeway::cli {

/// The settings of runs of one program, those first that the fewest programs have.
[[nodiscard]] std::vector<const Setting*> settings_of(const ListedProgram& program);
[[nodiscard]] std::size_t programs_that_take(const Setting& setting);

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();
[[nodiscard]] std::string fish_completion();

// Help, man pages and shell completion, all from the tables of commands and settings.

/// What `leeway --help` prints.
[[nodiscard]] std::string help_text();
/// What `leeway COMMAND --help` prints; for `leeway run PROGRAM --help` what applies to a run of it, its own settings
/// first. An Input error for a program that is not there.
[[nodiscard]] Result<std::string> help_text(const Command& command,
                                            std::span<const std::string> arguments);

/// Writes leeway.1, leeway-COMMAND.1 and the completions of bash, zsh and fish into a folder, for the build.
Status write_documents(const std::string& folder);

}  // namespace leeway::cli
