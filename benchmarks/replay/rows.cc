#include "leeway/benchmarks/replay/rows.h"

#include <cmath>
#include <limits>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway::replay {

std::string Cell::as(const std::string& form) const {
  if (!is_number_) return text_;
  return std::isfinite(number_) ? format(fmt::runtime("{:" + form + "}"), number_) : "x";
}

Cell cell_if(bool there, double number) {
  return there ? number : std::numeric_limits<double>::quiet_NaN();
}

Rows::Rows(Figure& figure, std::vector<Column> columns)
    : figure_(figure), columns_(std::move(columns)) {
  for (const Column& column : columns_) {
    if (!column.title.empty()) figure_.shown.columns.push_back(column.title);
    if (!column.name.empty()) figure_.raw.columns.push_back(column.name);
  }
}

void Rows::add(const std::vector<Cell>& cells) {
  LEEWAY_CHECK(cells.size() == columns_.size());
  std::vector<std::string> shown, raw;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!columns_[i].title.empty()) shown.push_back(cells[i].as(columns_[i].form));
    if (!columns_[i].name.empty()) raw.push_back(cells[i].as(columns_[i].raw_form));
  }
  if (!shown.empty()) figure_.shown.rows.push_back(std::move(shown));
  if (!raw.empty()) figure_.raw.rows.push_back(std::move(raw));
}

void Rows::add_shown(const std::vector<Cell>& cells) {
  add(cells);
  figure_.raw.rows.pop_back();
}

}  // namespace leeway::replay
