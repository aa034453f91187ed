// Settings that do not come from flags: a TOML file's, then the environment's, which stand above it.
// Both are read whole and strictly: an unknown key or a value that makes no sense is an Input error that
// says where and names the nearest valid one.
#pragma once

#include <string>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/cli/options.h"

namespace leeway::cli {

/// Applies "key = value" lines, named as the flags are. A table [COMMAND] holds what is meant for that
/// command alone and is checked but not applied for another. What stands in no table speaks to every command,
/// and is passed over where it does not apply.
Status apply_configuration_file(const std::string& path, std::string_view command,
                                Options& options);
/// The same from text; `name` is what errors call it.
Status apply_configuration(std::string_view text, const std::string& name, std::string_view command,
                           Options& options);

/// Applies LEEWAY_NAME variables of `environment` (as ::environ): LEEWAY_LOG_LEVEL is --log-level.
Status apply_environment(const char* const* environment, Options& options);
/// The configuration file the environment names; empty if none.
std::string configuration_path_from(const char* const* environment);

}  // namespace leeway::cli
