// What a command says on standard output: gathered first, written once, so that a reader who leaves
// early is no error and a full disk is one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "cli/options.h"
#include "cli/result_table.h"
#include "datasets/byte_stream.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

/// A reader that has gone away (`| head`) is fine; anything else that fails is an Environment error.
Status print(std::string_view text);
Status print_error(std::string_view text);

/// Flags, and the files they name; an empty name is none.
using NamedFiles = std::vector<std::pair<std::string_view, std::string>>;
/// Refuses one name for two files: the last to be written would be all there is.
Status check_distinct(const NamedFiles& files);
/// Refuses the name of an input for an output: what is read would be lost.
Status check_keeps(const std::vector<std::string>& inputs, const NamedFiles& outputs);
/// Whether one of them is "-": then what else there is to say goes to standard error.
[[nodiscard]] bool takes_standard_output(const NamedFiles& files);
/// What is said beside the files: on standard output, unless that is one of them.
Status say_beside(const NamedFiles& files, std::string_view text);

/// Named values, shown as two columns or as one JSON object. An empty label: for JSON only.
class Facts {
 public:
  void text(std::string_view key, std::string_view label, std::string_view value);
  /// Shown as `value`, and in JSON as `json` says.
  void json_text(std::string_view key, std::string_view label, std::string_view value,
                 std::string json);
  void count(std::string_view key, std::string_view label, unsigned long long value);
  void bytes(std::string_view key, std::string_view label, unsigned long long value);
  void real(std::string_view key, std::string_view label, double value);
  void flag(std::string_view key, std::string_view label, bool value);
  /// For JSON only; `json` stands as it is.
  void raw(std::string_view key, std::string json);
  /// The same of an object whose members `write(json)` writes.
  template <class Write>
  void object(std::string_view key, Write&& write) {
    JsonWriter json;
    json.object([&] { write(json); });
    raw(key, std::move(json).text());
  }
  /// What JSON has elsewhere, or needs not: left out by `write_members`.
  void shown_only(std::string_view key, std::string_view label, double value);

  /// As members of the object that is being written.
  void write_members(JsonWriter& json) const;
  /// Those of `other` that have labels.
  void append_shown(const Facts& other);

  [[nodiscard]] std::string to_table() const;
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] std::string show(bool json) const { return json ? to_json() + "\n" : to_table(); }

 private:
  struct FactRow {
    std::string key, label, shown, json;
    bool member = true;
  };
  std::vector<FactRow> rows_;
};

/// Columns padded to their widest cell, the first to the left, the others to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

// The files that `leeway run` was told to write, whatever engine runs.

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
