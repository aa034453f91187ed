// Which files a command may replace. Each file it writes is marked (by an extended attribute) as its own, with its
// size and time: what carries no such mark, or was changed since, is somebody's work.
#pragma once

#include <string>

#include "leeway/base/result.h"

namespace leeway {

/// From now on a file is replaced only if `writer` wrote it, e.g. "leeway run", and nobody changed it since;
/// `force`: any. Until this is called, any file is replaced: a library's user knows what he does. Before any
/// other thread runs.
void protect_files(std::string writer, bool force);

/// True if a file may be put under this name; false for "-" (standard output), a device or a pipe, which
/// only takes what is written to it. An Input error for a directory, and for a file that is protected.
Result<bool> may_replace(const std::string& path);

/// Marks an open file that is whole, and will be renamed to `path`. Where the file system has no room for
/// marks, only this process knows the file again.
void mark_written(int file, const std::string& path);

}  // namespace leeway
