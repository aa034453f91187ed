// Comma-separated values (RFC 4180): a reader of rows and a writer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leeway {

/// A row of comma-separated values (RFC 4180): fields between delimiters, optionally quoted; a quote within a quoted field
/// is doubled. A field must not contain a line break.
class CsvRow {
 public:
  explicit CsvRow(char delimiter) : delimiter_(delimiter) {}

  /// Parses the line that begins at `at` and ends in '\n' (or "\r\n"), and moves `at` past it.
  /// False if a quoted field does not end within the line, or if text follows its closing quote.
  [[nodiscard]] bool take(const char*& at);

  /// Number of fields of the last row; 0 for a blank line.
  [[nodiscard]] std::size_t size() const { return count_; }
  /// The field without enclosing quotes and blanks. A '\n' follows the view in memory, so number parsers can use it.
  [[nodiscard]] std::string_view operator[](std::size_t field) const {
    const std::string& text = fields_[field];
    return {text.data(), text.size() - 1};
  }
  [[nodiscard]] bool quoted(std::size_t field) const { return quoted_[field]; }

 private:
  std::string& next_field();

  char delimiter_;
  std::size_t count_ = 0;
  std::vector<std::string> fields_;  // reused for every row to avoid allocations
  std::vector<bool> quoted_;
};

/// The delimiter that a line uses outside quotes: comma, tab, semicolon or bar, in this order of preference.
[[nodiscard]] std::optional<char> csv_delimiter(std::string_view line);

/// The text of a field in a row: quoted if it contains the delimiter, a quote or a line break, begins or ends with a blank,
/// or would be read as a comment.
[[nodiscard]] std::string csv_field(std::string_view text, char delimiter = ',');

/// Appends rows to a text.
class CsvWriter {
 public:
  explicit CsvWriter(std::string& text, char delimiter = ',')
      : text_(text), delimiter_(delimiter) {}

  /// A field of any text.
  CsvWriter& text(std::string_view field) { return plain(csv_field(field, delimiter_)); }
  /// A field that needs no quotes: a number, or nothing.
  CsvWriter& plain(std::string_view field) {
    if (!first_) text_ += delimiter_;
    text_ += field;
    first_ = false;
    return *this;
  }
  void end_row() {
    text_ += '\n';
    first_ = true;
  }

 private:
  std::string& text_;
  char delimiter_;
  bool first_ = true;  ///< no field of the row was written yet
};

}  // namespace leeway
