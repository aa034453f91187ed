// A row of comma-separated values (RFC 4180): fields between delimiters, some in quotes, in which a quote
// stands doubled. A row ends with its line: a field that goes on in the next is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

class CsvRow {
 public:
  explicit CsvRow(char delimiter) : delimiter_(delimiter) {}

  /// Takes the line apart that begins at `at` and ends in '\n' (or "\r\n"), and moves `at` behind it.
  /// False if a quoted field does not end in the line, or text follows its quote.
  [[nodiscard]] bool take(const char*& at);

  /// Of the last row; a blank line has none.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// Without quotes around it or blanks beside it; ends in '\n', which is not counted.
  [[nodiscard]] std::string_view operator[](std::size_t field) const {
    const std::string& text = fields_[field];
    return {text.data(), text.size() - 1};
  }
  [[nodiscard]] bool quoted(std::size_t field) const { return quoted_[field]; }

 private:
  std::string& next_field();

  char delimiter_;
  std::size_t count_ = 0;
  std::vector<std::string> fields_;  // kept from row to row with their memory
  std::vector<bool> quoted_;
};

/// The delimiter that a line uses outside quotes: a comma, tab, semicolon or bar; none if there is none.
[[nodiscard]] std::optional<char> csv_delimiter(std::string_view line);

/// A field as it must stand in a row: in quotes if it holds the delimiter, a quote or blanks at an end.
[[nodiscard]] std::string csv_field(std::string_view text, char delimiter = ',');

}  // namespace leeway
