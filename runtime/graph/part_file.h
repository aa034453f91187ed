// A process's part of a graph in a separate file, for a job whose launcher replaces lost processes.
#pragma once

#include <string>

#include "base/result.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

/// Writes the part under a temporary name, then renames the file. Not synced: the file is of no use after the job. An Environment
/// error if it cannot be written.
Status write_part_file(const GraphPart& part, const std::string& path);

/// Maps a file that a process of the same build has written; the arrays are views of it. An Environment error if it cannot be
/// read or is damaged.
Result<GraphPart> open_part_file(const std::string& path);

}  // namespace leeway
