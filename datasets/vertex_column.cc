#include "leeway/datasets/vertex_column.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/datasets/matrix_market_header.h"
#include "leeway/datasets/text_input.h"

namespace leeway {

namespace {

constexpr std::string_view kBlanks = " \t";

using Take = std::function<Status(VertexId, std::string_view)>;

/// Takes the lines of one file, and knows where it is for errors.
class ColumnReader {
 public:
  ColumnReader(TextInput& input, const VertexNames& names, std::string_view field, const Take& take)
      : input_(input), names_(names), field_(field), take_(take) {
    column_.named.resize(names.count());
  }

  /// The next line that is neither empty nor a comment; nothing at the end.
  Result<std::optional<std::string_view>> next() {
    for (;;) {
      LEEWAY_ASSIGN(const auto line, input_.next_line());
      if (!line) return std::nullopt;
      const std::string_view text = trimmed(*line);
      if (!text.empty() && text[0] != '#' && text[0] != '%') return std::optional(text);
    }
  }

  Status read_lines() {
    for (bool first = true;; first = false) {
      LEEWAY_ASSIGN(const auto line, next());
      if (!line) return {};
      const bool by_name = line->find_first_of(kBlanks) != line->npos;
      if (first) column_.by_name = by_name;
      if (by_name != column_.by_name) {
        return fail(error(format("'{}' is not like the lines before it", *line),
                          format("write `vertex {}` on every line, or the {} alone on every line",
                                 field_, field_)));
      }
      LEEWAY_TRY(by_name ? take_named(*line) : take_next(*line));
    }
  }

  /// The field of the vertex that comes next.
  Status take_next(std::string_view field) {
    if (column_.complete()) {
      return fail(error(format("more lines than the graph's {} vertices", names_.count()),
                        "give one line a vertex"));
    }
    return take(VertexId(static_cast<std::uint32_t>(column_.count)), field);
  }

  Status take(VertexId vertex, std::string_view field) {
    if (column_.named[vertex.index()]) {
      return fail(error(format("vertex '{}' is named twice", names_.name(vertex)),
                        "name each vertex once"));
    }
    column_.named[vertex.index()] = true;
    ++column_.count;
    Status taken = take_(vertex, field);
    if (taken) return {};
    Error wrong = std::move(taken).error();
    wrong.where = here();
    return fail(std::move(wrong));
  }

  [[nodiscard]] Error error(std::string what, std::string remedy) const {
    return input_error(here(), std::move(what), std::move(remedy));
  }
  [[nodiscard]] const VertexColumn& column() const { return column_; }

 private:
  Status take_named(std::string_view line) {
    const auto gap = line.find_last_of(kBlanks);
    const std::string_view name = trimmed(line.substr(0, gap));
    const auto vertex = names_.find(name);
    if (!vertex) {
      return fail(
          error(format("the graph has no vertex '{}'", name), "use the names of the graph's file"));
    }
    return take(*vertex, line.substr(gap + 1));
  }

  [[nodiscard]] std::string here() const { return input_.at(input_.line_number()); }

  TextInput& input_;
  const VertexNames& names_;
  std::string_view field_;
  const Take& take_;
  VertexColumn column_;
};

/// A Matrix Market file of one column, as many rows as the graph has vertices.
Status read_matrix_column(TextInput& input, const VertexNames& names, ColumnReader& reader) {
  LEEWAY_ASSIGN(const auto header, matrix_market::read_header(input));
  const bool real =
      header.field == matrix_market::Field::Real || header.field == matrix_market::Field::Integer;
  if (header.columns != 1 || header.rows != names.count() || !real) {
    return fail(reader.error(
        format("a matrix of {} rows and {} columns where the graph has {} vertices", header.rows,
               header.columns, names.count()),
        format("give a real or integer matrix of {} rows and 1 column", names.count())));
  }
  for (std::uint64_t entries = 0;; ++entries) {
    LEEWAY_ASSIGN(const auto line, reader.next());
    if (!line && entries == header.entries) return {};
    if (!line || entries == header.entries) {
      return fail(reader.error(format("{} than the {} entries that the header announces",
                                      line ? "more" : "fewer", header.entries),
                               "check whether the file is complete, or correct its size line"));
    }
    if (header.storage == matrix_market::Storage::Array) {
      LEEWAY_TRY(reader.take_next(*line));
      continue;
    }
    std::uint32_t row = 0;
    const char* const end = line->data() + line->size();
    const auto [after, problem] = std::from_chars(line->data(), end, row);
    const std::string_view rest = trimmed({after, static_cast<std::size_t>(end - after)});
    const bool column = rest.starts_with("1 ") || rest.starts_with("1\t");
    if (problem != std::errc{} || row == 0 || row > names.count() || !column)
      return fail(reader.error(format("'{}' is no entry of one column", *line),
                               format("write `row 1 value`, rows from 1 to {}", names.count())));
    LEEWAY_TRY(reader.take(VertexId(row - 1), trimmed(rest.substr(1))));
  }
}

Status parse_value(std::string_view text, double& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = problem == std::errc{} && end == text.data() + text.size();
  if (number && std::isfinite(value)) return {};
  return fail(input_error("", format("'{}' is not a finite number", text), "give a real number"));
}

}  // namespace

std::string VertexColumn::first_missing(const VertexNames& names) const {
  const auto missing = std::find(named.begin(), named.end(), false);
  return names.name(VertexId(static_cast<std::uint32_t>(missing - named.begin())));
}

Result<VertexColumn> read_vertex_column(const std::string& path, const VertexNames& names,
                                        std::string_view field, const Take& take) {
  LEEWAY_ASSIGN(auto source, open_source(path));
  TextInput input(path, std::move(source));
  ColumnReader reader(input, names, field, take);
  LEEWAY_TRY(reader.read_lines());
  return reader.column();
}

Result<std::vector<double>> read_vertex_values(const std::string& path, const VertexNames& names,
                                               double otherwise) {
  LEEWAY_ASSIGN(auto source, open_source(path));
  TextInput input(path, std::move(source));
  std::vector<double> values(names.count(), otherwise);
  const Take take = [&](VertexId vertex, std::string_view field) {
    return parse_value(field, values[vertex.index()]);
  };
  ColumnReader reader(input, names, "value", take);
  LEEWAY_ASSIGN(const std::string_view head, input.head());
  const bool matrix = head.starts_with("%%MatrixMarket");
  LEEWAY_TRY(matrix ? read_matrix_column(input, names, reader) : reader.read_lines());
  const VertexColumn& column = reader.column();
  // A coordinate file lists what is not zero; names list what is not as the program has it.
  const bool may_lack = column.by_name || matrix;
  if ((column.count == 0 && names.count() > 0) || (!may_lack && !column.complete())) {
    return fail(input_error(
        path,
        format("it has {} values where the graph has {} vertices", column.count, names.count()),
        "give one line a vertex, or `vertex value` for some"));
  }
  return values;
}

}  // namespace leeway
