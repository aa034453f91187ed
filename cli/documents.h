// Help texts, man pages and shell completion (bash, zsh, fish), generated from the tables of commands, settings,
// programs and figures. Pure functions, except `write_documents`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engines.h"
#include "app/options.h"
#include "base/result.h"
#include "cli/command.h"

namespace leeway::cli {

/// The settings of the program's runs; those that the fewest programs accept come first.
[[nodiscard]] std::vector<const Setting*> settings_of(const Program& program);

/// The output of `leeway --help`.
[[nodiscard]] std::string help_text();
/// The output of `leeway COMMAND --help`. For `leeway run PROGRAM --help`: the settings that apply to the program,
/// its own and the usual ones, with `all` every one; an Input error if the program does not exist.
[[nodiscard]] Result<std::string> help_text(const Command& command,
                                            std::span<const std::string> arguments, bool all);

/// The part of a text that concerns the command. "number of nodes; launch: number of processes": the second part
/// concerns launch, the first one all other commands.
[[nodiscard]] std::string part_for(std::string_view text, std::string_view command);

/// A setting in the help text of a command, wrapped; and the lines of --config and --help.
[[nodiscard]] std::string setting_line(const Setting& setting, std::string_view command);
[[nodiscard]] std::string common_lines();

/// Writes leeway.1, leeway-COMMAND.1 and the completions of bash, zsh and fish into `folder`. Called by the build.
Status write_documents(const std::string& folder);

}  // namespace leeway::cli
