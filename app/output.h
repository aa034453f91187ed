// Output of commands: standard output and error, tables of named values, and the output files of a run. A command
// gathers its text and writes it once; a closed pipe is not an error, a full disk is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options.h"
#include "app/result_table.h"
#include "base/json.h"
#include "base/result.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"
#include "programs/catalog/program.h"

namespace leeway::app {

/// A closed pipe (`| head`) is success; any other failure is an Environment error.
Status print(std::string_view text);
Status print_error(std::string_view text);

/// Flags and the files they name; an empty name: none.
using NamedFiles = std::vector<std::pair<std::string_view, std::string>>;
/// Returns an Input error if an output would overwrite an input.
Status check_keeps(const std::vector<std::string>& inputs, const NamedFiles& outputs);
/// Prints a message to standard output, or to standard error if a file is written to standard output.
Status print_message(const NamedFiles& files, std::string_view text);

/// Named values, printed as two columns or as one JSON object. Values with an empty label appear in JSON only.
class Facts {
 public:
  void text(std::string_view key, std::string_view label, std::string_view value);
  /// Prints `value` in the table and `json` in JSON.
  void json_text(std::string_view key, std::string_view label, std::string_view value,
                 std::string json);
  void count(std::string_view key, std::string_view label, unsigned long long value);
  void bytes(std::string_view key, std::string_view label, unsigned long long value);
  void real(std::string_view key, std::string_view label, double value);
  void flag(std::string_view key, std::string_view label, bool value);
  /// JSON only; `json` is inserted unchanged.
  void raw(std::string_view key, std::string json);
  /// JSON only: an object whose members `write(json)` writes.
  template <class Write>
  void object(std::string_view key, Write&& write) {
    object(key, {}, {}, std::forward<Write>(write));
  }
  /// Prints `value` in the table and such an object in JSON.
  template <class Write>
  void object(std::string_view key, std::string_view label, std::string_view value, Write&& write) {
    JsonWriter json;
    json.object([&] { write(json); });
    json_text(key, label, value, std::move(json).text());
  }
  /// Excluded from `write_members`, because the report contains the value elsewhere or does not need it.
  void shown_only(std::string_view key, std::string_view label, double value);
  void shown_count(std::string_view key, std::string_view label, std::uint64_t value);

  /// Writes the values as members of the open object.
  void write_members(JsonWriter& json) const;
  /// Appends the values of `other` that have labels.
  void append_shown(const Facts& other);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
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

/// Columns padded to their widest cell; the first is left-aligned, the others right-aligned.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

/// The numbers of a report by which runs are compared.
struct ReportNumbers {
  double compute_seconds = 0;  ///< virtual, if the run is simulated
  std::uint64_t iterations = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Results of a run for a caller inside the process, instead of printed text and written files.
struct Kept {
  std::optional<ProgramValues> values;  ///< vertex and pie engine
  ResultNumbers table;                  ///< tick and piece engine
  std::string report;                   ///< the JSON of --report
  ReportNumbers numbers;
  std::vector<std::string> warnings;  ///< of settings without effect, on the first process of a job
  // If each process keeps its own part:
  std::uint32_t first = 0;  ///< index of the first vertex of the part
  VertexNames names;        ///< names of the part's vertices
};

/// The open output files of a run. They are opened before any work, so that a name that cannot be written is an early
/// error. Null: not requested, or this is not process 0.
struct Outputs {
  std::unique_ptr<ByteSink> values, report, trace, frames;
  Kept* kept = nullptr;
  Job* job = nullptr;  ///< of this process; null: none
  ResultFormat values_format = ResultFormat::Text;
  bool standard_output_taken = false;  ///< by one of the files

  /// Returns an Input error if two outputs, or an output and an input, have the same name. `first`: this process
  /// writes. `own_values`: name of this process's values file if each process writes one; that file is opened by the
  /// caller.
  static Result<Outputs> open(const CommandOptions& options, bool first,
                              const std::string& own_values = {});
};

/// Writes the result of `text` if there is a sink.
Status write_to(std::unique_ptr<ByteSink>& sink, const std::function<std::string()>& text);

}  // namespace leeway::app
