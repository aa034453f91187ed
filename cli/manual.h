// Help, man pages and shell completion, all from the tables of commands and settings.
#pragma once

#include <span>
#include <string>

#include "leeway/base/result.h"
#include "leeway/cli/command.h"

namespace leeway::cli {

/// What `leeway --help` prints.
[[nodiscard]] std::string help_text();
/// What `leeway COMMAND --help` prints; for `leeway run PROGRAM --help` what applies to a run of it, its own settings
/// first. An Input error for a program that is not there.
[[nodiscard]] Result<std::string> help_text(const Command& command,
                                            std::span<const std::string> arguments);

/// Writes leeway.1, leeway-COMMAND.1 and the completions of bash, zsh and fish into a folder, for the build.
Status write_documents(const std::string& folder);

}  // namespace leeway::cli
