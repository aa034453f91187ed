// Reader of comma-separated values: each row is an edge; two columns are its ends, an optional third one its weight.

#include <algorithm>
#include <array>
#include <utility>

#include "base/csv.h"
#include "base/format.h"
#include "base/parallel.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/vertex_numbering.h"

namespace leeway {

namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
constexpr std::array<std::string_view, 8> kSources = {"source", "src", "from",  "fromnodeid",
                                                      "u",      "id1", "node1", "start"};
constexpr std::array<std::string_view, 8> kTargets = {"target", "dst", "to",    "tonodeid",
                                                      "v",      "id2", "node2", "end"};
constexpr std::array<std::string_view, 5> kWeightTitles = {"weight", "w", "value", "cost",
                                                           "distance"};

using Row = std::vector<std::string>;

/// The columns of an edge's ends and weight, counted from 0, and the kind of the ids.
struct Columns {
  char delimiter = ',';
  std::size_t source = 0;
  std::size_t target = 1;
  std::size_t weight = kNoColumn;
  std::size_t count = 0;  // columns in every row
  bool titled = false;
  bool words = false;  // the ids are names, not numbers
};

bool is_id(std::string_view field) {
  return !field.empty() && std::all_of(field.begin(), field.end(), is_digit);
}

bool is_real(const std::string& field) {
  const std::string text = field + '\n';
  const char* at = text.data();
  double value = 0;
  bool whole = true;
  return parse_real(at, value, whole) == NumberFault::None && *at == '\n';
}

constexpr std::pair<const char*, const char*> kQuotes = {
    "a quoted field does not end in its line, or text follows its quote",
    "close the quote, and double a quote within a field; a field that continues in the next line "
    "is "
    "not supported: "
    "remove its line break"};

/// The first rows of a file, after comments and blank lines.
struct Beginning {
  Row first, second;  // empty: there is no such row
  std::uint64_t first_line = 0;
  char delimiter = ',';
};

Row fields_of(const CsvRow& row) {
  Row fields;
  for (std::size_t i = 0; i < row.size(); ++i) fields.emplace_back(row[i]);
  return fields;
}

Result<Beginning> look_at(TextInput& input, char delimiter) {
  LEEWAY_ASSIGN(const std::string_view head, input.head());
  const std::string text = std::string(head) + '\n';
  const char* const end = text.data() + text.size();
  Beginning found;
  std::uint64_t line = 0;
  for (const char* at = text.data(); at < end && found.second.empty();) {
    ++line;
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (found.first.empty() && (*at == '#' || *at == '%')) {
      at += rest.find('\n') + 1;
      continue;
    }
    found.delimiter = delimiter != 0 ? delimiter
                      : found.first.empty()
                          ? csv_delimiter(rest.substr(0, rest.find('\n'))).value_or(',')
                          : found.delimiter;
    CsvRow row(found.delimiter);
    if (!row.take(at)) return fail(input_error(input.at(line), kQuotes.first, kQuotes.second));
    if (row.size() == 0) continue;
    if (found.first.empty()) found.first_line = line;
    (found.first.empty() ? found.first : found.second) = fields_of(row);
  }
  return found;
}

template <std::size_t N>
std::size_t find_title(const Row& titles, const std::array<std::string_view, N>& known) {
  for (const std::string_view name : known) {
    for (std::size_t i = 0; i < titles.size(); ++i)
      if (lower_case(titles[i]) == name) return i;
  }
  return kNoColumn;
}

/// `line`: a row that has only one column by the delimiter.
std::string delimiter_remedy(std::string_view line) {
  const auto found = csv_delimiter(line);
  if (!found) return "name the separator, as in --delimiter space";
  const std::string_view name = *found == '\t' ? "tab" : *found == ' ' ? "space" : "";
  return name.empty() ? format("give --delimiter '{}'", *found)
                      : format("give --delimiter {}", name);
}

/// Finds a column of --columns: an exact title, or a position from 1.
Result<std::size_t> column_called(const std::string& name, const Row& titles,
                                  const Columns& columns) {
  if (columns.titled) {
    const auto found = std::find(titles.begin(), titles.end(), name);
    if (found != titles.end()) return static_cast<std::size_t>(found - titles.begin());
  }
  const std::string text = name + '\n';
  const char* at = text.data();
  std::uint64_t place = 0;
  const bool counted = parse_unsigned(at, place) == NumberFault::None && *at == '\n';
  if (counted && place >= 1 && place <= columns.count) return place - 1;
  if (columns.count == 1) {
    return fail(input_error(
        "--columns", format("this file has only one column, separated by '{}'", columns.delimiter),
        delimiter_remedy(titles.front())));
  }
  if (counted || !columns.titled) {
    return fail(input_error("--columns",
                            format("'{}' is not a column of this file, which has {} columns{}",
                                   name, columns.count, columns.titled ? "" : " and no titles"),
                            "give positions from 1, or --header if the first row holds titles"));
  }
  const std::vector<std::string_view> names(titles.begin(), titles.end());
  return fail(input_error("--columns", format("no column has the title '{}'", name),
                          did_you_mean(name, names)));
}

Status choose_columns(const std::string& given, const Row& titles, Columns& columns) {
  const std::string text = given + '\n';
  const char* at = text.data();
  CsvRow names(',');
  if (!names.take(at) || names.size() < 2 || names.size() > 3) {
    return fail(input_error("--columns", format("'{}' does not name two or three columns", given),
                            "give SOURCE,TARGET or SOURCE,TARGET,WEIGHT"));
  }
  LEEWAY_ASSIGN(columns.source, column_called(std::string(names[0]), titles, columns));
  LEEWAY_ASSIGN(columns.target, column_called(std::string(names[1]), titles, columns));
  if (names.size() == 3) {
    LEEWAY_ASSIGN(columns.weight, column_called(std::string(names[2]), titles, columns));
  }
  if (columns.source == columns.target) {
    return fail(input_error("--columns", format("'{}' names one column as both ends", given),
                            "give SOURCE,TARGET or SOURCE,TARGET,WEIGHT"));
  }
  return {};
}

Status guess_columns(const std::string& where, const Row& titles, Columns& columns) {
  if (columns.titled) {
    const std::size_t source = find_title(titles, kSources);
    const std::size_t target = find_title(titles, kTargets);
    if (source != kNoColumn && target != kNoColumn) {
      columns.source = source;
      columns.target = target;
      columns.weight = find_title(titles, kWeightTitles);
      if (columns.weight == kNoColumn && columns.count == 3) columns.weight = 3 - source - target;
      return {};
    }
  }
  if (columns.count == 2 || columns.count == 3) {
    if (columns.count == 3) columns.weight = 2;
    return {};
  }
  if (columns.count == 1) {
    return fail(input_error(where, format("only one column, separated by '{}'", columns.delimiter),
                            delimiter_remedy(titles.front())));
  }
  return fail(input_error(
      where, format("{} columns, but an edge has 2 or 3", columns.count),
      "select the columns of the ends and of the weight: --columns SOURCE,TARGET[,WEIGHT]"));
}

/// True if the first row consists of common titles, or of words above at least one number.
bool looks_titled(const Row& first, const Row& second) {
  if (find_title(first, kSources) != kNoColumn && find_title(first, kTargets) != kNoColumn)
    return true;
  if (second.size() != first.size()) return false;
  bool over_numbers = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (is_real(first[i])) return false;
    over_numbers = over_numbers || is_real(second[i]);
  }
  return over_numbers;
}

Result<Columns> find_columns(TextInput& input, const LoadOptions& options) {
  LEEWAY_ASSIGN(const Beginning begin, look_at(input, options.delimiter));
  if (begin.first.empty()) {
    return fail(
        input_error(input.at(1), "the file holds no edges", "check that it is the file you mean"));
  }
  Columns columns;
  columns.delimiter = begin.delimiter;
  columns.count = begin.first.size();
  columns.titled = options.header.value_or(looks_titled(begin.first, begin.second));
  const std::string where = input.at(begin.first_line);
  if (options.columns.empty()) {
    LEEWAY_TRY(guess_columns(where, begin.first, columns));
  } else {
    LEEWAY_TRY(choose_columns(options.columns, begin.first, columns));
  }
  const Row& data = columns.titled ? begin.second : begin.first;
  if (data.size() == columns.count)
    columns.words = !is_id(data[columns.source]) || !is_id(data[columns.target]);
  const std::uint64_t before = begin.first_line - (columns.titled ? 0 : 1);
  while (input.line_number() < before) LEEWAY_TRY(input.next_line());
  return columns;
}

/// Parses the rows of a block. Ids below 2^32 - 2 are stored as they are; larger ids and names as block-local indices.
class CsvRowParser {
 public:
  CsvRowParser(const Columns& columns, IdMode mode, bool keep, ParsedBlock& block,
               EdgeChunkBuilder& builder)
      : columns_(columns), mode_(mode), keep_(keep), block_(block), builder_(builder) {}

  void parse(std::string_view text) {
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end; ++block_.lines) {
      if (!row_.take(at)) {
        block_.fault = {0, kQuotes.first, kQuotes.second};
        return;
      }
      if (row_.size() > 0 && !take_row()) return;
    }
  }

 private:
  bool take_row() {
    if (row_.size() != columns_.count) {
      block_.fault = {0,
                      format("{} columns, not {} as in the first row", row_.size(), columns_.count),
                      "correct the row, or give the separator of columns: --delimiter"};
      return false;
    }
    VertexId source(0);
    VertexId target(0);
    if (!take_id(columns_.source, source) || !take_id(columns_.target, target)) return false;
    ++block_.rows;
    if (columns_.weight == kNoColumn) {
      builder_.add(source, target);
      return true;
    }
    double weight = 0;
    block_.takes_infinity =
        columns_.titled;  // infinite weights are accepted in files that declare weights
    LineCursor cursor{row_[columns_.weight].data()};
    if (!take_real(cursor, "weight", block_, weight)) return false;
    if (!cursor.at_line_end()) {
      block_.fault = {0, format("'{}' is not a weight", row_[columns_.weight]), "give a number"};
      return false;
    }
    keep_ ? builder_.add(source, target, weight) : builder_.add(source, target);
    return true;
  }

  bool take_id(std::size_t column, VertexId& vertex) {
    const std::string_view field = row_[column];
    if (field.empty()) {
      block_.fault = {0, format("column {} (a vertex) is empty", column + 1),
                      "complete the row, or remove it"};
      return false;
    }
    if (mode_ == IdMode::Words) {
      vertex = words_.of(field);
      return true;
    }
    std::uint64_t id = 0;
    const char* at = field.data();
    const NumberFault fault = parse_unsigned(at, id);
    if (fault != NumberFault::None || *at != '\n') {
      block_.fault = {0,
                      format("'{}' is not a numeric vertex id like those of the first row", field),
                      "give a number, or use names in every row"};
      return false;
    }
    if (mode_ == IdMode::Wide) {
      vertex = numbers_.of(id);
      return true;
    }
    block_.wide_ids = id >= kMostVertices;
    vertex = VertexId(static_cast<std::uint32_t>(id));
    return !block_.wide_ids;
  }

  const Columns& columns_;
  const IdMode mode_;
  const bool keep_;
  ParsedBlock& block_;
  EdgeChunkBuilder& builder_;
  CsvRow row_{columns_.delimiter};
  KeyIndex<std::string> words_{block_.text_names};
  KeyIndex<std::uint64_t> numbers_{block_.wide_names};
};

Result<VertexNames> number_ids(std::vector<ParsedBlock>& blocks, IdMode mode, unsigned threads,
                               const TextInput& input) {
  if (mode == IdMode::Small) return number_small_ids(blocks, IdEnds::Both, {}, threads);
  if (mode == IdMode::Wide) return number_wide_ids(blocks);
  LEEWAY_ASSIGN(const auto words, number_words(blocks, IdEnds::Both, {}));
  if (words.size() > kMostVertices)
    return fail(count_mismatch(input.name(), "vertices", kMostVertices, words.size()));
  return names_from_words(words);
}

/// Returns an empty graph and sets `needs_wide` if an id needs 64 bits.
Result<ListedGraph> read_csv_rows(const InputFile& file, const LoadOptions& options, bool wide,
                                  bool& needs_wide) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(Columns columns, find_columns(input, options));
  const bool keep = keeps_weights(options) && columns.weight != kNoColumn;
  const IdMode mode = columns.words ? IdMode::Words : wide ? IdMode::Wide : IdMode::Small;
  const unsigned threads = thread_count(options.threads);
  LEEWAY_ASSIGN(auto blocks,
                parse_blocks(input, threads, [&](auto text, auto& block, auto& builder) {
                  CsvRowParser(columns, mode, keep, block, builder).parse(text);
                }));
  needs_wide = std::any_of(blocks.begin(), blocks.end(), [](const auto& b) { return b.wide_ids; });
  ListedGraph graph;
  if (needs_wide) return graph;
  if (total_rows(blocks) == 0) {
    return fail(input_error(input.at(std::max<std::uint64_t>(input.line_number(), 1)),
                            "the file has titles but no edges",
                            "check that it is the file you mean, or give --header=false"));
  }
  LEEWAY_ASSIGN(graph.shape.names, number_ids(blocks, mode, threads, input));
  graph.shape.vertex_count = graph.shape.names.count();
  graph.shape.directed = true;
  graph.edges = collect_edges(blocks, keep ? weight_kind_of(blocks) : WeightKind::None);
  return graph;
}

}  // namespace

Result<ListedGraph> read_csv(const InputFile& file, const LoadOptions& options) {
  bool needs_wide = false;
  auto graph = read_csv_rows(file, options, false, needs_wide);
  return needs_wide ? read_csv_rows(file, options, true, needs_wide) : std::move(graph);
}

}  // namespace leeway
