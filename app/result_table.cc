#include "app/result_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "app/output.h"
#include "app/source.h"
#include "base/check.h"
#include "base/csv.h"
#include "base/format.h"
#include "base/json.h"
#include "datasets/npz.h"
#include "runtime/cluster/group.h"

namespace leeway::app {

namespace {

constexpr std::size_t kWrittenAtOnce = std::size_t{1} << 20;
constexpr std::array<std::pair<std::string_view, ResultFormat>, 9> kSuffixes = {
    {{".txt", ResultFormat::Text},
     {".out", ResultFormat::Text},
     {".dat", ResultFormat::Text},
     {".values", ResultFormat::Text},
     {".csv", ResultFormat::Csv},
     {".tsv", ResultFormat::Tsv},
     {".npy", ResultFormat::Npy},
     {".npz", ResultFormat::Npz},
     {".mtx", ResultFormat::MatrixMarket}}};

std::string text_of(const ResultTable& table, const ResultCell& cell) {
  if (const auto* name = std::get_if<std::string>(&cell)) return *name;
  if (const auto* whole = std::get_if<std::uint64_t>(&cell)) return std::to_string(*whole);
  const double value = std::get<double>(cell);
  if (std::isinf(value)) return "infinity";
  return table.text ? table.text(value) : format("{}", value);
}

/// A word for a missing number becomes an empty field, which all tools read as missing.
void write_field(const ResultTable& table, std::size_t column, const ResultCell& cell,
                 CsvWriter& csv) {
  const bool name = std::holds_alternative<std::string>(cell);
  const auto* const real = std::get_if<double>(&cell);
  if (name && column >= table.named && !table.number)
    csv.plain({});
  else if (name)
    csv.text(text_of(table, cell));
  else if (real != nullptr && std::isinf(*real))
    csv.plain(*real > 0 ? "inf" : "-inf");
  else
    csv.plain(text_of(table, cell));
}

/// Calls `line(row, cells, text)` for each row, which appends to the text. Writes the text in pieces.
template <class Line>
Status write_rows(const ResultTable& table, ByteSink& sink, std::string text, Line&& line) {
  std::vector<ResultCell> cells(table.columns.size());
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    table.fill(row, cells);
    line(row, cells, text);
    if (text.size() < kWrittenAtOnce) continue;
    LEEWAY_TRY(sink.write(text));
    text.clear();
  }
  return sink.write(text);
}

void append_line(const ResultTable& table, const std::vector<ResultCell>& cells,
                 std::string& text) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += table.separator;
    text += text_of(table, cells[i]);
  }
  text += '\n';
}

Status write_text(const ResultTable& table, ByteSink& sink) {
  return write_rows(table, sink, {}, [&](std::uint64_t, const auto& cells, std::string& text) {
    append_line(table, cells, text);
  });
}

Status write_csv(const ResultTable& table, char delimiter, ByteSink& sink) {
  std::string titles;
  CsvWriter head(titles, delimiter);
  for (const std::string& title : table.columns) head.text(title);
  head.end_row();
  return write_rows(table, sink, std::move(titles),
                    [&](std::uint64_t, const auto& cells, std::string& text) {
                      CsvWriter csv(text, delimiter);
                      for (std::size_t i = 0; i < cells.size(); ++i)
                        write_field(table, i, cells[i], csv);
                      csv.end_row();
                    });
}

/// The array element for a value of an integer table.
std::int64_t whole_of(const ResultTable& table, std::uint64_t row, const ResultCell& cell) {
  if (const auto* whole = std::get_if<std::uint64_t>(&cell))
    return static_cast<std::int64_t>(*whole);
  return table.number ? static_cast<std::int64_t>(table.number(row)) : -1;
}

std::vector<std::uint64_t> shape_of(const ResultTable& table) {
  const std::size_t values = table.columns.size() - table.named;
  if (values == 1) return {table.rows};
  return {table.rows, values};
}

std::string_view type_of(const ResultTable& table) { return table.whole ? "<i8" : "<f8"; }

void append_values(const ResultTable& table, std::uint64_t row,
                   const std::vector<ResultCell>& cells, std::string& bytes) {
  for (std::size_t i = table.named; i < cells.size(); ++i) {
    if (table.whole)
      append_raw(bytes, whole_of(table, row, cells[i]));
    else
      append_raw(bytes, real_of(cells[i]));
  }
}

Status write_npy(const ResultTable& table, ByteSink& sink) {
  return write_rows(table, sink, npy_header(type_of(table), shape_of(table)),
                    [&](std::uint64_t row, const auto& cells, std::string& bytes) {
                      append_values(table, row, cells, bytes);
                    });
}

/// Appends text as NumPy's UCS-4, padded to `length`.
void append_letters(std::string_view text, std::size_t length, std::string& bytes) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++letters) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    std::uint32_t letter = size == 1 ? lead : lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size && at + i < text.size(); ++i)
      letter = letter << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    append_raw(bytes, letter);
    at += size;
  }
  bytes.append(4 * (length - letters), '\0');
}

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
}

/// Adds a column of row names: integers if all names are, else strings.
Status add_names(const ResultTable& table, std::size_t column, ZipWriter& zip) {
  std::vector<ResultCell> cells(table.columns.size());
  bool whole = true;
  std::size_t longest = 1;
  std::vector<std::string> names;
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    table.fill(row, cells);
    names.push_back(text_of(table, cells[column]));
    const std::string& name = names.back();
    whole = whole && !name.empty() && name.size() < 19 &&
            std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    longest = std::max(longest, letters_in(name));
  }
  std::string bytes = npy_header(whole ? "<i8" : format("<U{}", longest), {table.rows});
  for (const std::string& name : names) {
    if (whole)
      append_raw<std::int64_t>(bytes, std::stoll(name));
    else
      append_letters(name, longest, bytes);
  }
  return zip.add(table.columns[column] + ".npy", {bytes});
}

Status write_npz(const ResultTable& table, ByteSink& sink) {
  ZipWriter zip(sink);
  for (std::size_t column = 0; column < table.named; ++column)
    LEEWAY_TRY(add_names(table, column, zip));
  std::vector<ResultCell> cells(table.columns.size());
  const std::size_t values = table.columns.size() - table.named;
  for (std::size_t column = table.named; column < table.columns.size(); ++column) {
    if (column > table.named && table.columns[column].starts_with("value"))
      break;  // one array holds all value columns
    const bool together = values > 1 && table.columns[column].starts_with("value");
    std::string bytes =
        npy_header(type_of(table), together ? shape_of(table) : std::vector{table.rows});
    for (std::uint64_t row = 0; row < table.rows; ++row) {
      table.fill(row, cells);
      if (together)
        append_values(table, row, cells, bytes);
      else if (table.whole)
        append_raw(bytes, whole_of(table, row, cells[column]));
      else
        append_raw(bytes, real_of(cells[column]));
    }
    LEEWAY_TRY(zip.add(together ? "value.npy" : table.columns[column] + ".npy", {bytes}));
  }
  return zip.finish();
}

/// Writes a dense matrix in column-major order.
Status write_matrix(const ResultTable& table, ByteSink& sink) {
  const std::size_t values = table.columns.size() - table.named;
  std::string text = format("%%MatrixMarket matrix array {} general\n{} {}\n",
                            table.whole ? "integer" : "real", table.rows, values);
  for (std::size_t column = table.named; column < table.columns.size(); ++column) {
    LEEWAY_TRY(write_rows(table, sink, std::exchange(text, {}),
                          [&](std::uint64_t row, const auto& cells, std::string& lines) {
                            lines += table.whole
                                         ? format("{}\n", whole_of(table, row, cells[column]))
                                         : format("{}\n", real_of(cells[column]));
                          }));
  }
  return {};
}

}  // namespace

Result<ResultFormat> result_format(std::string_view path) {
  const std::string_view plain = without_compression(path);
  const std::string_view name = plain.substr(plain.rfind('/') + 1);
  const auto dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return ResultFormat::Text;
  std::vector<std::string_view> known;
  for (const auto& [suffix, format] : kSuffixes) {
    if (name.substr(dot) == suffix) return format;
    known.push_back(suffix);
  }
  return fail(
      input_error(std::string(path), format("values are not written as '{}'", name.substr(dot)),
                  format("use one of {}, perhaps with .gz, .zst or .xz", fmt::join(known, " "))));
}

Status write_table(const ResultTable& table, ResultFormat format, ByteSink& sink) {
  switch (format) {
    case ResultFormat::Text:
      return write_text(table, sink);
    case ResultFormat::Csv:
      return write_csv(table, ',', sink);
    case ResultFormat::Tsv:
      return write_csv(table, '\t', sink);
    case ResultFormat::Npy:
      return write_npy(table, sink);
    case ResultFormat::Npz:
      return write_npz(table, sink);
    case ResultFormat::MatrixMarket:
      return write_matrix(table, sink);
  }
  LEEWAY_UNREACHABLE("result format", static_cast<int>(format));
}

Status write_results(const ResultTable& table, ResultFormat format, ByteSink& sink) {
  LEEWAY_TRY(write_table(table, format, sink));
  return sink.finish();
}

std::string part_name(std::string_view name, std::uint32_t self, std::uint32_t count) {
  const std::string_view plain = without_compression(name);
  const std::size_t folder = plain.rfind('/') + 1;  // 0 without a folder
  std::size_t dot = plain.rfind('.');
  if (dot == plain.npos || dot <= folder) dot = plain.size();
  return format("{}-{:05}-of-{:05}{}", name.substr(0, dot), self, count, name.substr(dot));
}

ResultNumbers numbers_of(const ResultTable& table) {
  ResultNumbers found;
  std::vector<ResultCell> cells(table.columns.size());
  std::vector<bool> numeric;  // by the first row
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    table.fill(row, cells);
    if (row == 0) {
      for (const ResultCell& cell : cells)
        numeric.push_back(std::holds_alternative<double>(cell) ||
                          std::holds_alternative<std::uint64_t>(cell));
      found.columns = static_cast<std::size_t>(std::count(numeric.begin(), numeric.end(), true));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!numeric[i]) continue;
      const auto* const whole = std::get_if<std::uint64_t>(&cells[i]);
      const auto* const real = std::get_if<double>(&cells[i]);
      const double word = std::numeric_limits<double>::quiet_NaN();  // a word in a numeric column
      found.numbers.push_back(whole != nullptr  ? static_cast<double>(*whole)
                              : real != nullptr ? *real
                                                : word);
    }
  }
  return found;
}

TopRows top_rows(const ResultTable& table, std::uint32_t most) {
  std::vector<std::pair<double, std::uint64_t>> best;  // heap with the smallest on top
  const auto better = [](const auto& one, const auto& other) {
    return one.first != other.first ? one.first > other.first : one.second < other.second;
  };
  std::vector<ResultCell> cells(table.columns.size());
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    table.fill(row, cells);
    const double value = table.rank ? table.rank(cells) : real_of(cells[table.named]);
    if (!std::isfinite(value)) continue;  // a word or infinity
    const std::pair<double, std::uint64_t> candidate(value, row);
    if (best.size() == most) {
      if (!better(candidate, best.front())) continue;
      std::pop_heap(best.begin(), best.end(), better);
      best.pop_back();
    }
    best.push_back(candidate);
    std::push_heap(best.begin(), best.end(), better);
  }
  std::sort(best.begin(), best.end(), better);
  TopRows top{.columns = table.columns};
  for (const auto& [value, row] : best) {
    table.fill(row, cells);
    top.rows.push_back(cells);
  }
  return top;
}

std::string TopRows::to_table() const {
  std::vector<std::vector<std::string>> all = {columns};
  for (const std::vector<ResultCell>& row : rows) {
    std::vector<std::string>& shown = all.emplace_back();
    for (const ResultCell& cell : row) {
      const auto* const real = std::get_if<double>(&cell);
      const bool fraction = real != nullptr && *real != std::floor(*real);
      shown.push_back(fraction ? format("{:.4g}", *real) : text_of({}, cell));
    }
  }
  return "\n" + app::table(all);
}

std::string TopRows::to_json() const {
  JsonWriter json;
  json.array(rows, [&](const std::vector<ResultCell>& row) {
    json.object([&] {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string text = text_of({}, row[i]);
        json.key(columns[i])
            .raw(std::holds_alternative<std::string>(row[i]) ? json_string(text) : text);
      }
    });
  });
  return std::move(json).text();
}

namespace {

constexpr std::uint64_t kNoValue = std::numeric_limits<std::uint64_t>::max();

using GroupSizes = std::unordered_map<std::uint64_t, std::uint64_t>;

/// Adds the sizes that all processes have found; each process keeps the groups that it is responsible for.
GroupSizes sum_of_groups(const GroupSizes& mine, Group& group) {
  struct Counted {
    std::uint64_t label, vertices;
  };
  std::vector<std::vector<Counted>> lists(group.count());
  for (const auto& [label, vertices] : mine)
    lists[label % lists.size()].push_back({label, vertices});
  GroupSizes sums;
  for (const auto& list : group.swap(lists))
    for (const Counted& each : list) sums[each.label] += each.vertices;
  return sums;
}

void count_groups(const std::vector<std::uint64_t>& labels, Group* group, AnswerFacts& answer) {
  GroupSizes sizes;
  for (const std::uint64_t label : labels) ++sizes[label];
  if (group != nullptr) sizes = sum_of_groups(sizes, *group);
  answer.group_count = sizes.size();
  for (const auto& [label, size] : sizes) answer.largest = std::max(answer.largest, size);
  if (group == nullptr) return;
  answer.group_count = group->sum(answer.group_count);
  for (const std::uint64_t size : group->share(answer.largest))
    answer.largest = std::max(answer.largest, size);
}

/// Whether the source reaches a vertex with this value, and the value as a number.
std::optional<double> reached(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}
std::optional<double> reached(std::uint64_t value, Shown shown) {
  if (shown == Shown::Paths) return value > 0 ? std::optional(0.0) : std::nullopt;
  return value != kNoValue ? std::optional(static_cast<double>(value)) : std::nullopt;
}

void count_reached(const ProgramValues& values, Group* group, AnswerFacts& answer) {
  double farthest = -1;
  const auto add = [&](std::optional<double> value) {
    if (!value) return;
    ++answer.reached;
    farthest = std::max(farthest, *value);
  };
  if (const auto* reals = std::get_if<std::vector<double>>(&values.by_vertex)) {
    for (const double value : *reals) add(reached(value));
  } else {
    for (const std::uint64_t value : std::get<std::vector<std::uint64_t>>(values.by_vertex))
      add(reached(value, values.shown));
  }
  if (group != nullptr) {
    answer.reached = group->sum(answer.reached);
    for (const double each : group->share(farthest)) farthest = std::max(farthest, each);
  }
  if (values.shown != Shown::Paths && farthest >= 0) answer.farthest = farthest;
}

}  // namespace

AnswerFacts answer_of(const Program& program, const ProgramValues& values, std::uint64_t vertices,
                      Group* group) {
  AnswerFacts answer{.groups = program.groups, .vertices = vertices};
  const auto* const labels = std::get_if<std::vector<std::uint64_t>>(&values.by_vertex);
  if (!program.groups.empty() && labels != nullptr) count_groups(*labels, group, answer);
  answer.reaches = begins_at_one(program);
  if (answer.reaches) count_reached(values, group, answer);
  return answer;
}

void AnswerFacts::write(const std::string& source, Facts& facts) const {
  if (!groups.empty()) {
    facts.count(groups, groups, group_count);
    facts.json_text("largest", format("vertices in the largest"), format_count(largest),
                    std::to_string(largest));
  }
  if (!reaches) return;
  facts.json_text(
      "reached", "reached",
      format("{} of {} vertices from {}", format_count(reached), format_count(vertices), source),
      std::to_string(reached));
  if (farthest) facts.real("farthest", "greatest distance", *farthest);
}

namespace {

/// Vector values: one column per component.
void set_vectors(const ProgramValues& values, ResultTable& table) {
  table.columns = {"vertex"};
  for (std::uint32_t k = 0; k < values.row; ++k) table.columns.push_back(format("value{}", k));
  table.text = [](double value) { return format("{}", static_cast<float>(value)); };
  table.rank = [](const std::vector<ResultCell>& cells) {
    double squares = 0;
    for (std::size_t i = 1; i < cells.size(); ++i) squares += real_of(cells[i]) * real_of(cells[i]);
    return std::sqrt(squares);
  };
}

ResultCell whole_cell(std::uint64_t value, const ProgramValues& values, VertexId vertex,
                      const VertexNames& names, bool ldbc) {
  constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  const bool word = values.shown == Shown::Vertex || value == kNone;
  if (word) return shown_value(values, vertex, names, ldbc);
  return value;
}

}  // namespace

ResultTable values_table(const VertexNames& names, const ProgramValues& values, bool ldbc) {
  const std::size_t count =
      std::visit([](const auto& each) { return each.size(); }, values.by_vertex);
  LEEWAY_CHECK(names.count() == (values.row > 0 ? values.rows.size() / values.row : count));
  ResultTable table;
  table.columns = {"vertex", "value"};
  table.rows = names.count();
  const auto* const reals = std::get_if<std::vector<double>>(&values.by_vertex);
  const auto* const wholes = std::get_if<std::vector<std::uint64_t>>(&values.by_vertex);
  table.whole = values.row == 0 && wholes != nullptr;
  if (values.row > 0) set_vectors(values, table);
  if (values.row == 0 && ldbc) table.text = [](double value) { return format("{:.15e}", value); };
  if (table.whole && values.shown == Shown::Vertex)
    table.number = [wholes](std::uint64_t row) { return (*wholes)[row]; };
  table.fill = [&names, &values, reals, wholes, ldbc](std::uint64_t row,
                                                      std::vector<ResultCell>& cells) {
    const VertexId vertex(static_cast<std::uint32_t>(row));
    cells[0] = names.name(vertex);
    for (std::size_t k = 0; k < values.row; ++k)
      cells[k + 1] = double{values.rows[row * values.row + k]};
    if (values.row > 0) return;
    if (reals != nullptr)
      cells[1] = (*reals)[row];
    else
      cells[1] = whole_cell((*wholes)[row], values, vertex, names, ldbc);
  };
  return table;
}

ResultTable groups_table(const VertexNames& names, const ProgramValues& values, bool ldbc) {
  GroupSizes sizes;
  for (const std::uint64_t label : std::get<std::vector<std::uint64_t>>(values.by_vertex))
    ++sizes[label];
  std::vector<std::pair<std::uint64_t, std::uint64_t>> groups(sizes.begin(), sizes.end());
  std::sort(groups.begin(), groups.end());  // equal sizes are then shown in this order
  ResultTable table;
  table.columns = {"value", "vertices"};
  table.rows = groups.size();
  table.whole = true;
  table.fill = [groups = std::move(groups), &names, shown = values.shown, ldbc](
                   std::uint64_t row, std::vector<ResultCell>& cells) {
    const ProgramValues label{.by_vertex = std::vector<std::uint64_t>{groups[row].first},
                              .shown = shown};
    cells[0] = shown_value(label, VertexId(0), names, ldbc);
    cells[1] = groups[row].second;
  };
  return table;
}

std::optional<ResultTable> ranked_table(const Program& program, const VertexNames& names,
                                        const ProgramValues& values, bool ldbc) {
  const bool labels = std::holds_alternative<std::vector<std::uint64_t>>(values.by_vertex);
  if (program.groups.empty() || !labels) return std::nullopt;
  return groups_table(names, values, ldbc);
}

ResultTable owners_table(const Graph& graph, const Partition& partition) {
  ResultTable table;
  table.columns = {"vertex", "part"};
  table.separator = '\t';
  table.whole = true;
  table.rows = graph.vertex_count();
  table.fill = [&graph, owner = partition.owner.span()](std::uint64_t row,
                                                        std::vector<ResultCell>& cells) {
    cells[0] = std::string(graph.names().name(VertexId(static_cast<std::uint32_t>(row))));
    cells[1] = std::uint64_t{owner[row].value()};
  };
  return table;
}

}  // namespace leeway::app
