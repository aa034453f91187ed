// The command line as a user typed it: which command, its arguments, its flags in order. Nothing is
// interpreted here but the shape; an unknown command or flag is an Input error naming the nearest.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/cli/command.h"

namespace leeway::cli {

struct CommandLine {
  const Command* command = nullptr;
  std::vector<std::string> arguments;
  std::vector<std::pair<const Setting*, std::string>> flags;
  std::string config;     ///< --config FILE
  std::string documents;  ///< --generate-documents FOLDER, for the build
  bool help = false;
  bool version = false;
};

Result<CommandLine> parse_command_line(std::span<const char* const> arguments);

}  // namespace leeway::cli
