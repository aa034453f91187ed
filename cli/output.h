// What a command says on standard output: gathered first, written once, so that a reader who leaves
// early is no error and a full disk is one.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/base/json_text.h"
#include "leeway/base/result.h"

namespace leeway::cli {

/// A reader that has gone away (`| head`) is fine; anything else that fails is an Environment error.
Status print(std::string_view text);

/// Flags, and the files they name; an empty name is none.
using NamedFiles = std::initializer_list<std::pair<std::string_view, std::string>>;
/// Refuses one name for two files: the last to be written would be all there is.
Status check_distinct(NamedFiles files);

/// Named values, shown as two columns or as one JSON object.
class Facts {
 public:
  void text(std::string_view key, std::string_view label, std::string_view value);
  void count(std::string_view key, std::string_view label, unsigned long long value);
  void bytes(std::string_view key, std::string_view label, unsigned long long value);
  void real(std::string_view key, std::string_view label, double value);
  void flag(std::string_view key, std::string_view label, bool value);
  /// For JSON only; `json` stands as it is.
  void raw(std::string_view key, std::string json);

  [[nodiscard]] std::string to_table() const;
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] std::string show(bool json) const { return json ? to_json() + "\n" : to_table(); }

 private:
  struct Row {
    std::string key, label, shown, json;
  };
  std::vector<Row> rows_;
};

/// Columns padded to their widest cell, the first to the left, the others to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace leeway::cli
