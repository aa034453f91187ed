// What an LDBC graph's .properties file says of how an algorithm is run on it, as defaults of the settings that
// nobody has set.
#pragma once

#include <string>

#include "leeway/base/result.h"
#include "leeway/cli/options.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// Fills in --iterations, --damping and --source for this program where `options` leave them open, if its graph
/// is an LDBC graph, and says in `from_properties` what it took and from which line.
Status take_ldbc_defaults(const ProgramInfo& program, Options& options);

}  // namespace leeway::cli
