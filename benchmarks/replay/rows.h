// Rows of a figure, written once: each column knows how people read its cells and how the raw numbers have them.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/benchmarks/replay/figure.h"

namespace leeway::replay {

/// A column of the table for people, of the raw numbers, or of both; forms are fmt's, without braces.
struct Column {
  std::string title;  ///< in the table; empty: not shown there
  std::string form;
  std::string name;  ///< in the raw numbers; empty: not kept there
  std::string raw_form;
};
[[nodiscard]] inline Column both(std::string title, std::string form, std::string name,
                                 std::string raw_form) {
  return {std::move(title), std::move(form), std::move(name), std::move(raw_form)};
}
[[nodiscard]] inline Column both(const std::string& title) { return {title, "", title, ""}; }
[[nodiscard]] inline Column shown(std::string title, std::string form = "") {
  return {std::move(title), std::move(form), "", ""};
}
[[nodiscard]] inline Column raw(std::string name, std::string form = "") {
  return {"", "", std::move(name), std::move(form)};
}

/// A text, a count, or a number whose column decides its digits. A number that is none is an x.
class Cell {
 public:
  Cell(std::string text) : text_(std::move(text)) {}
  Cell(std::string_view text) : text_(text) {}
  Cell(const char* text) : text_(text) {}
  template <std::integral Count>
  Cell(Count count) : text_(std::to_string(count)) {}
  Cell(bool yes) : text_(yes ? "yes" : "no") {}
  Cell(double number) : number_(number), is_number_(true) {}

  [[nodiscard]] std::string as(const std::string& form) const;

 private:
  std::string text_;
  double number_ = 0;
  bool is_number_ = false;
};
/// A number where there is one.
[[nodiscard]] Cell cell_if(bool there, double number);

/// The columns of one figure's rows; a figure may have several such, where what is shown sums up what is raw.
class Rows {
 public:
  Rows(Figure& figure, std::vector<Column> columns);
  /// Requires a cell for each column (checked).
  void add(const std::vector<Cell>& cells);
  /// A row that only the table has, such as means. Requires a raw column as well.
  void add_shown(const std::vector<Cell>& cells);

 private:
  Figure& figure_;
  std::vector<Column> columns_;
};

}  // namespace leeway::replay
