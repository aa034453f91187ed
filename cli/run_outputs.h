// The files that `leeway run` was told to write, whatever engine runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "leeway/cli/options.h"
#include "leeway/cli/result_table.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/vertex_names.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

/// What a run gives to a caller inside the process, instead of printing and writing it.
struct Kept {
  std::optional<ProgramValues> values;  ///< of the engines on vertices
  ResultNumbers table;                  ///< of the others
  std::string report;                   ///< as --report has it
  // Where each process keeps what is its own:
  std::uint32_t first = 0;  ///< the number of the first vertex whose value is here
  VertexNames names;        ///< of those whose values are here
};

/// Opened before any work, so that a name that cannot be written is found early. Null where none was asked
/// for, and in all processes of a job but the first.
struct RunOutputs {
  std::unique_ptr<ByteSink> values, report, trace, round_log, frames;
  Kept* kept = nullptr;
  ResultFormat values_format = ResultFormat::Text;
  bool standard_output_taken = false;  ///< by one of them

  /// An Input error for one name given to two outputs, or to an output and an input.
  /// `first`: this process writes. `own_values`: what it calls its own file of values where each process writes one, which
  /// is opened by itself.
  static Result<RunOutputs> open(const Options& options, bool first,
                                 const std::string& own_values = {});
};

/// Every how many of so many ticks a run tells how far values moved: often enough for a curve, seldom enough that it
/// does not show in the times. 0: never, for nobody wants a report.
[[nodiscard]] std::uint32_t measured_every(const Options& options, std::uint32_t ticks);

/// Writes what `text` makes, if there is a sink.
Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text);

}  // namespace leeway::cli
