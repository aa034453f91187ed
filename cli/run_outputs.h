// The files that `leeway run` was told to write, whatever engine runs.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "leeway/cli/options.h"
#include "leeway/datasets/byte_stream.h"

namespace leeway::cli {

/// Opened before any work, so that a name that cannot be written is found early. Null where none was asked
/// for, and in all processes of a job but the first.
struct RunOutputs {
  std::unique_ptr<ByteSink> values, report, trace, round_log, frames;

  /// An Input error for one name given to two outputs, a checkpoint among them. `first`: this process writes.
  static Result<RunOutputs> open(const Options& options, bool first);
};

/// Writes what `text` makes, if there is a sink.
Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text);

}  // namespace leeway::cli
