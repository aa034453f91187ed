// What a command says on standard output: gathered first, written once, so that a reader who leaves
// early is no error and a full disk is one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/json_writer.h"
#include "leeway/base/result.h"

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
  struct Row {
    std::string key, label, shown, json;
    bool member = true;
  };
  std::vector<Row> rows_;
};

/// Columns padded to their widest cell, the first to the left, the others to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace leeway::cli
