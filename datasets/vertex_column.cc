#include "datasets/vertex_column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/format.h"
#include "datasets/matrix_market.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::string_view kFacts = "leeway:";
constexpr std::string_view kVertex = "leeway-vertex: ";
constexpr std::array<std::string_view, 3> kWeightWords = {"none", "integer", "real"};
constexpr std::string_view kComplexFact = "weights=complex";  // earlier versions wrote it
constexpr std::array<std::string_view, 3> kNames = {"sequence", "numbers", "strings"};

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Enum, std::size_t kCount>
std::optional<Enum> choice_of(std::string_view text,
                              const std::array<std::string_view, kCount>& names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

bool take_fact(std::string_view key, std::string_view value, Annotation& annotation) {
  if (key == "directed" && (value == "yes" || value == "no")) {
    annotation.directed = value == "yes";
    return true;
  }
  if (key == "ids" && (value == "indices" || value == "names")) {
    annotation.ids_are_indices = value == "indices";
    return true;
  }
  if (key == "first") return (annotation.first = number_of(value)).has_value();
  if (key == "left") return (annotation.left = number_of(value)).has_value();
  if (key == "weights")
    return (annotation.weights = choice_of<WeightKind>(value, kWeightWords)).has_value();
  if (key == "names") return (annotation.names = choice_of<NameKind>(value, kNames)).has_value();
  return false;
}

Error annotation_error(const std::string& where, std::string what) {
  return input_error(where, std::move(what),
                     "correct the 'leeway' comment lines, or remove them all");
}

}  // namespace

Result<bool> read_annotation(std::string_view comment, const std::string& where,
                             Annotation& annotation) {
  while (comment.starts_with(' ')) comment.remove_prefix(1);
  if (comment.starts_with(kVertex)) {
    annotation.listed.emplace_back(comment.substr(kVertex.size()));
    return true;
  }
  if (!comment.starts_with(kFacts)) return false;
  comment.remove_prefix(kFacts.size());
  while (!comment.empty()) {
    const std::string_view word = comment.substr(0, comment.find(' '));
    comment.remove_prefix(std::min(comment.size(), word.size() + 1));
    if (word.empty()) continue;
    if (word == kComplexFact) {
      annotation.weights = WeightKind::Real;
      if (annotation.complex_at.empty()) annotation.complex_at = where;
      continue;
    }
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos ||
        !take_fact(word.substr(0, equals), word.substr(equals + 1), annotation)) {
      return fail(annotation_error(where, format("'{}' is not a known property", word)));
    }
  }
  return true;
}

Status check_not_complex(const Annotation& annotation, const LoadOptions& options) {
  if (annotation.complex_at.empty() || !keeps_weights(options)) return {};
  return fail(complex_values(annotation.complex_at));
}

Status write_annotation(const Graph& graph, std::string_view mark, bool listed,
                        bool ids_are_indices, ByteSink& sink) {
  const VertexNames& names = graph.names();
  std::string text =
      format("{} {} directed={} weights={}", mark, kFacts, graph.directed() ? "yes" : "no",
             kWeightWords[static_cast<std::size_t>(graph.weight_kind())]);
  if (graph.left_count() > 0) text += format(" left={}", graph.left_count());
  if (names.kind() == NameKind::Sequence)
    text += format(" first={}", names.first());
  else if (listed)
    text += format(" names={}", kNames[static_cast<std::size_t>(names.kind())]);
  if (ids_are_indices) text += " ids=indices";
  text += '\n';
  if (listed && names.kind() != NameKind::Sequence) {
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
      text += format("{} {}{}\n", mark, kVertex, names.name(VertexId(v)));
      if (text.size() > (std::size_t{1} << 20)) {
        LEEWAY_TRY(sink.write(text));
        text.clear();
      }
    }
  }
  return sink.write(text);
}

Result<VertexNames> annotated_names(const Annotation& annotation, std::uint32_t vertex_count,
                                    std::uint64_t first_usual, const std::string& where) {
  if (annotation.listed.empty()) {
    return VertexNames::sequence(annotation.first.value_or(first_usual), vertex_count);
  }
  if (annotation.listed.size() != vertex_count) {
    return fail(annotation_error(where, format("{} vertices are named, but the graph has {}",
                                               annotation.listed.size(), vertex_count)));
  }
  if (annotation.names == NameKind::Numbers) {
    std::vector<std::uint64_t> ids;
    for (const auto& name : annotation.listed) {
      const auto id = number_of(name);
      if (!id || (!ids.empty() && *id <= ids.back())) {
        return fail(annotation_error(
            where, format("vertex number '{}' is not above the one before", name)));
      }
      ids.push_back(*id);
    }
    LEEWAY_ASSIGN(auto array, Array<std::uint64_t>::copy_of(ids));
    return VertexNames::numbers(std::move(array));
  }
  const auto torn =
      std::find_if_not(annotation.listed.begin(), annotation.listed.end(), is_one_line);
  if (torn != annotation.listed.end())
    return fail(annotation_error(where, "a vertex name contains a carriage return"));
  auto sorted = annotation.listed;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return fail(annotation_error(where, format("two vertices have the name '{}'", *twice)));
  }
  return names_from_words(annotation.listed);
}

Status annotate_shape(const Annotation& annotation, std::uint64_t vertices,
                      const std::string& where, GraphShape& shape) {
  LEEWAY_CHECK(vertices <= VertexId::none().value());
  shape.vertex_count = static_cast<std::uint32_t>(vertices);
  shape.left_count = static_cast<std::uint32_t>(std::min(annotation.left.value_or(0), vertices));
  LEEWAY_ASSIGN(shape.names, annotated_names(annotation, shape.vertex_count, 1, where));
  return {};
}

WeightKind annotated_kind(const Annotation& annotation, WeightKind found) {
  const WeightKind annotated = annotation.weights.value_or(found);
  return annotated == WeightKind::Integer ? found : annotated;
}

namespace {

constexpr std::string_view kBlanks = " \t";

using Take = std::function<Status(VertexId, std::string_view)>;

/// Reads the lines of a vertex column, and adds the current line to errors.
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
        return fail(error(format("'{}' does not have the form of the previous lines", *line),
                          format("write `vertex {}` on every line, or the {} alone on every line",
                                 field_, field_)));
      }
      LEEWAY_TRY(by_name ? take_named(*line) : take_next(*line));
    }
  }

  /// Assigns the field to the next vertex.
  Status take_next(std::string_view field) {
    if (column_.complete()) {
      return fail(error(format("more lines than the graph's {} vertices", names_.count()),
                        "give one line for each vertex"));
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

/// Reads a Matrix Market file with one column and one row for each vertex.
Status read_matrix_column(TextInput& input, const VertexNames& names, ColumnReader& reader) {
  LEEWAY_ASSIGN(const auto header, matrix_market::read_header(input));
  if (!header.note.complex_at.empty()) {
    Error error = complex_values(header.note.complex_at);
    error.remedy = format("give a real or integer matrix of {} rows and 1 column", names.count());
    return fail(std::move(error));
  }
  const bool real = header.field == matrix_market::MatrixField::Real ||
                    header.field == matrix_market::MatrixField::Integer;
  if (header.columns != 1 || header.rows != names.count() || !real) {
    return fail(reader.error(
        format("a matrix of {} rows and {} columns, but the graph has {} vertices", header.rows,
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
      return fail(reader.error(format("'{}' is not an entry of a matrix with one column", *line),
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
  // A coordinate file omits zeros; a file with vertex names may omit vertices that have the default.
  const bool may_lack = column.by_name || matrix;
  if ((column.count == 0 && names.count() > 0) || (!may_lack && !column.complete())) {
    return fail(input_error(
        path,
        format("it has {} values, but the graph has {} vertices", column.count, names.count()),
        "give one line for each vertex, or `vertex value` for some vertices"));
  }
  return values;
}

}  // namespace leeway
