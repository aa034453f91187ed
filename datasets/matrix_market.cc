#include "datasets/matrix_market.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/parallel.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "datasets/vertex_numbering.h"

// Reader of Matrix Market files: a banner, comments, a size line, then entries (coordinate) or all values column by
// column (array). A matrix becomes a directed graph with arcs from rows to columns; the mirrored half of a symmetric
// matrix is added.

namespace leeway {

namespace {

constexpr std::string_view kGraphBlasMark = "%%graphblas";

struct KnownGraphBlasType {
  std::string_view name, other;  // C's name, GraphBLAS' name
  bool complex, whole;
  double least, most;
};

constexpr std::array kTypes = {
    KnownGraphBlasType{"bool", "bool", false, true, 0, 1},
    KnownGraphBlasType{"int8", "int8", false, true, -0x1p7, 0x1p7 - 1},
    KnownGraphBlasType{"int16", "int16", false, true, -0x1p15, 0x1p15 - 1},
    KnownGraphBlasType{"int32", "int32", false, true, -0x1p31, 0x1p31 - 1},
    KnownGraphBlasType{"int64", "int64", false, true, -0x1p63, 0x1p63},
    KnownGraphBlasType{"uint8", "uint8", false, true, 0, 0x1p8 - 1},
    KnownGraphBlasType{"uint16", "uint16", false, true, 0, 0x1p16 - 1},
    KnownGraphBlasType{"uint32", "uint32", false, true, 0, 0x1p32 - 1},
    KnownGraphBlasType{"uint64", "uint64", false, true, 0, 0x1p64},
    KnownGraphBlasType{"float", "fp32", false, false, 0, 0},
    KnownGraphBlasType{"double", "fp64", false, false, 0, 0},
    KnownGraphBlasType{"float complex", "fc32", true, false, 0, 0},
    KnownGraphBlasType{"double complex", "fc64", true, false, 0, 0},
};

std::string without(std::string text, std::string_view begin, std::string_view end) {
  if (text.starts_with(begin)) text.erase(0, begin.size());
  if (text.ends_with(end)) text.resize(text.size() - end.size());
  return text;
}

}  // namespace

bool GraphBlasType::holds(double value) const {
  return !whole || (value >= least && value <= most && value == std::floor(value));
}

namespace {

/// Parses a comment line, which includes its '%' signs. Nothing if it is not a type line; an error for an unknown type.
Result<std::optional<GraphBlasType>> read_graphblas_type(std::string_view line,
                                                         const std::string& where) {
  const std::string text = lower_case(line);
  if (!text.starts_with(kGraphBlasMark)) return std::nullopt;
  std::string given;  // the words after the mark, separated by single blanks
  for (std::size_t at = kGraphBlasMark.size(); at < text.size(); ++at) {
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
      given += text[at];
    } else if (!given.empty() && given.back() != ' ') {
      given += ' ';
    }
  }
  if (given.ends_with(' ')) given.pop_back();
  const bool explicit_type = given.starts_with("type ");
  if (explicit_type) given.erase(0, 5);
  const std::string name = without(without(given, "grb_", "_t"), "gxb_", "");
  const auto found = std::find_if(
      kTypes.begin(), kTypes.end(),
      [&](const KnownGraphBlasType& each) { return each.name == name || each.other == name; });
  if (found != kTypes.end()) {
    return GraphBlasType{given, found->complex, found->whole, found->least, found->most};
  }
  if (!explicit_type) return std::nullopt;
  std::vector<std::string_view> names;
  for (const KnownGraphBlasType& each : kTypes) names.push_back(each.name);
  return fail(
      input_error(where, format("GraphBLAS has no type '{}'", given), did_you_mean(name, names)));
}

}  // namespace

}  // namespace leeway

namespace leeway::matrix_market {

namespace {

Error bad_banner(const std::string& where, std::string_view word) {
  return input_error(where, format("'{}' in the banner is unknown", word),
                     "write %%MatrixMarket matrix coordinate|array pattern|integer|real "
                     "general|symmetric|skew-symmetric");
}

Status read_banner(std::string_view line, const std::string& where, MatrixMarketHeader& header) {
  auto words = words_of(lower_case(line));
  words.resize(5);
  if (words[0] != "%%matrixmarket") return fail(bad_banner(where, words[0]));
  if (words[1] != "matrix") return fail(bad_banner(where, words[1]));
  if (words[2] == "array")
    header.storage = Storage::Array;
  else if (words[2] != "coordinate")
    return fail(bad_banner(where, words[2]));
  if (words[3] == "pattern")
    header.field = MatrixField::Pattern;
  else if (words[3] == "integer")
    header.field = MatrixField::Integer;
  else if (words[3] == "complex") {
    header.field = MatrixField::Complex;
    header.note.complex_at = where;
  } else if (words[3] != "real" && words[3] != "double")
    return fail(bad_banner(where, words[3]));
  const bool hermitian = words[4] == "hermitian";
  if (words[4] == "symmetric" || hermitian)
    header.symmetry = Symmetry::Symmetric;
  else if (words[4] == "skew-symmetric")
    header.symmetry = Symmetry::Skew;
  else if (words[4] != "general")
    return fail(bad_banner(where, words[4]));
  const bool pattern = header.field == MatrixField::Pattern;
  if (pattern && (header.storage == Storage::Array || header.symmetry == Symmetry::Skew)) {
    return fail(input_error(
        where, "a pattern matrix has no values, so it cannot be skew-symmetric or an array",
        "write 'real' or 'coordinate … general'"));
  }
  if (hermitian && header.field != MatrixField::Complex) {
    return fail(input_error(where, "only a complex matrix is hermitian", "write 'symmetric'"));
  }
  return {};
}

/// Number of values in a file of this array shape.
std::uint64_t array_entries(const MatrixMarketHeader& header) {
  if (header.symmetry == Symmetry::General) return header.rows * header.columns;
  const std::uint64_t n = header.rows;
  return header.symmetry == Symmetry::Skew ? n * (n - (n > 0)) / 2 : n * (n + 1) / 2;
}

Status read_size(std::string_view line, const std::string& where, MatrixMarketHeader& header) {
  const auto words = words_of(line);
  const std::size_t needed = header.storage == Storage::Coordinate ? 3 : 2;
  std::vector<std::uint64_t> numbers;
  for (const auto& word : words) {
    const std::string text = word + '\n';
    const char* at = text.data();
    std::uint64_t value = 0;
    const auto fault = parse_unsigned(at, value);
    if (fault != NumberFault::None || *at != '\n') {
      const LineFault number_error = number_fault(
          fault == NumberFault::None ? NumberFault::NotANumber : fault, {text.data()}, "size");
      return fail(input_error(where, number_error.what, number_error.remedy));
    }
    numbers.push_back(value);
  }
  if (numbers.size() != needed) {
    return fail(input_error(where,
                            format("the size line has {} numbers, not {}", numbers.size(), needed),
                            "give rows, columns and, for coordinates, the number of entries"));
  }
  header.rows = numbers[0];
  header.columns = numbers[1];
  if (header.rows > kMostVertices || header.columns > kMostVertices) {
    return fail(input_error(where,
                            "the matrix has more rows or columns than a graph may have vertices",
                            format("use at most {}", kMostVertices)));
  }
  if (header.symmetry != Symmetry::General && header.rows != header.columns) {
    return fail(
        input_error(where, "a matrix that is not square cannot be symmetric", "write 'general'"));
  }
  header.entries = needed == 3 ? numbers[2] : array_entries(header);
  return {};
}

/// A pattern matrix agrees with every type, because all its entries are 1.
Status check_type(const GraphBlasType& type, const MatrixMarketHeader& header,
                  const std::string& where) {
  if (header.field == MatrixField::Pattern ||
      type.complex == (header.field == MatrixField::Complex))
    return {};
  return fail(
      input_error(where,
                  format("the %%GraphBLAS line states the type {}, but the banner states that "
                         "the entries are {}complex",
                         type.name, header.field == MatrixField::Complex ? "" : "not "),
                  "correct the banner or the %%GraphBLAS line"));
}

}  // namespace

Result<MatrixMarketHeader> read_header(TextInput& input) {
  MatrixMarketHeader header;
  LEEWAY_ASSIGN(auto line, input.next_line());
  if (!line)
    return fail(
        input_error(input.at(1), "the file is empty", "check that it is the file you mean"));
  LEEWAY_TRY(read_banner(*line, input.at(1), header));
  for (;;) {
    LEEWAY_ASSIGN(line, input.next_line());
    const std::string where = input.at(input.line_number());
    if (!line)
      return fail(
          input_error(where, "the size line is missing", "check whether the file is complete"));
    if (line->starts_with('%')) {
      LEEWAY_TRY(read_annotation(line->substr(1), where, header.note));
      LEEWAY_ASSIGN(auto type, read_graphblas_type(*line, where));
      if (!type) continue;
      LEEWAY_TRY(check_type(*type, header, where));
      header.type = std::move(*type);
    } else if (!words_of(*line).empty()) {
      LEEWAY_TRY(read_size(*line, where, header));
      header.size_line = input.line_number();
      return header;
    }
  }
}

}  // namespace leeway::matrix_market

namespace leeway {

namespace {

using Cell = std::pair<std::uint32_t, std::uint32_t>;  // row and column, from 0

/// The matrix positions of all entries. `sorted` is set if they are strictly ascending by row or by column, as in most
/// files; then there are no duplicates.
std::vector<Cell> places_of(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                            bool& sorted) {
  std::vector<Cell> places;
  bool by_row = true;
  bool by_column = true;
  for (const ParsedBlock& block : blocks) {
    block.edges.for_each([&](std::size_t, VertexId from, VertexId to) {
      if (listing.half && from < to) return;  // the mirrored entry follows
      const Cell now{from.value(), to.value() - static_cast<std::uint32_t>(listing.first_column)};
      if (!places.empty()) {
        const Cell last = places.back();
        by_row = by_row && last < now;
        by_column = by_column && Cell{last.second, last.first} < Cell{now.second, now.first};
      }
      places.push_back(now);
    });
  }
  sorted = by_row || by_column;
  return places;
}

/// The line that lists the entry for the second time.
Result<std::uint64_t> second_line(const InputFile& file, const EntryListing& listing, Cell entry) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  bool seen = false;
  for (;;) {
    LEEWAY_ASSIGN(const auto line, input.next_line());
    if (!line) return listing.first_line;
    if (input.line_number() < listing.first_line || line->starts_with('%')) continue;
    const std::string text = std::string(*line) + '\n';
    LineCursor cursor{text.data()};
    ParsedBlock block;
    std::uint64_t row = 0;
    std::uint64_t column = 0;
    cursor.skip_blanks();
    if (cursor.at_line_end() || !take_unsigned(cursor, "row", block, row) ||
        !take_unsigned(cursor, "column", block, column))
      continue;
    if (listing.half && row < column) std::swap(row, column);
    if (row != entry.first + std::uint64_t{1} || column != entry.second + std::uint64_t{1})
      continue;
    if (seen) return input.line_number();
    seen = true;
  }
}

Error entry_error(const EntryListing& listing, const InputFile& file, Cell entry) {
  const Result<std::uint64_t> line = second_line(file, listing, entry);
  if (!line) return line.error();
  return input_error(
      format("{}:{}", file.name, *line),
      format(
          "row {}, column {} is listed here for the second time: a Matrix Market file lists each "
          "entry once",
          entry.first + std::uint64_t{1}, entry.second + std::uint64_t{1}),
      "remove one of them; or give --duplicates merge for their sum, or --duplicates keep for "
      "parallel arcs");
}

/// An error if a coordinate file lists an entry more than once, which the Matrix Market format does not allow. Reads the
/// file again only to find the line of such an entry.
Status check_entries_once(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                          const InputFile& file) {
  bool sorted = false;
  std::vector<Cell> places = places_of(blocks, listing, sorted);
  if (sorted) return {};
  std::sort(places.begin(), places.end());
  const auto twice = std::adjacent_find(places.begin(), places.end());
  if (twice == places.end()) return {};
  return fail(entry_error(listing, file, *twice));
}

}  // namespace

Error entry_twice(const EntryListing& listing, const InputFile& file, VertexId row,
                  VertexId column) {
  return entry_error(
      listing, file,
      {row.value(), column.value() - static_cast<std::uint32_t>(listing.first_column)});
}

Error both_halves(const std::string& where) {
  return input_error(where,
                     "the matrix is symmetric, but it has entries on both sides of the diagonal",
                     "keep only the lower half, or write 'general' in the banner");
}

namespace {

using matrix_market::MatrixField;
using matrix_market::MatrixMarketHeader;
using matrix_market::Storage;
using matrix_market::Symmetry;

/// A matrix entry.
struct MatrixEntry {
  std::uint64_t row = 0;  // from 0
  std::uint64_t column = 0;
  double value = 0;  // complex entries: 0 or not, because complex weights are never kept
};

class EntryParser {
 public:
  EntryParser(const MatrixMarketHeader& header, bool keep)
      : header_(header),
        keep_(keep && header.field != MatrixField::Pattern),
        offset_(header.rows == header.columns ? 0 : static_cast<std::uint32_t>(header.rows)),
        once_(header.symmetry == Symmetry::Symmetric && header.note.directed == false) {}

  void coordinates(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data()};
    block.takes_infinity = header_.note.weights.has_value();
    while (cursor.at < text.data() + text.size()) {
      if (skip_comment(cursor, block)) continue;
      MatrixEntry entry;
      if (!take_index(cursor, "row", header_.rows, block, entry.row)) return;
      if (!take_index(cursor, "column", header_.columns, block, entry.column)) return;
      if (!take_value(cursor, block, entry) || !check_entry(entry, block)) return;
      if (entry.row < entry.column) block.above_line = block.lines + 1;
      if (entry.row > entry.column) block.below_line = block.lines + 1;
      if (!take_line_end(cursor, columns(), block)) return;
      ++block.rows;
      add(entry, builder);
    }
  }

  /// Parses the values of an array. `place` is the position of the next value and persists between blocks, so blocks must
  /// be parsed in order by one thread. Zeros do not become arcs.
  void values(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder,
              MatrixEntry& place) const {
    LineCursor cursor{text.data()};
    while (cursor.at < text.data() + text.size()) {
      if (skip_comment(cursor, block)) continue;
      if (place.column >= header_.columns) {
        block.fault = {0, "more values than the size line states", "correct the size line"};
        return;
      }
      if (!take_value(cursor, block, place) || !check_entry(place, block)) return;
      if (!take_line_end(cursor, columns(), block)) return;
      ++block.rows;
      if (place.value != 0) add(place, builder);
      advance(place);
    }
  }

  [[nodiscard]] MatrixEntry first() const {
    MatrixEntry place;
    place.row = header_.symmetry == Symmetry::Skew ? 1 : 0;
    if (place.row >= header_.rows) place.column = header_.columns;
    return place;
  }

 private:
  void advance(MatrixEntry& place) const {
    if (++place.row < header_.rows) return;
    ++place.column;
    place.row = header_.symmetry == Symmetry::General ? 0
                : header_.symmetry == Symmetry::Skew  ? place.column + 1
                                                      : place.column;
    if (place.row >= header_.rows)
      place.column = header_.columns;  // skew: the last column is empty
  }

  [[nodiscard]] std::string_view columns() const {
    if (header_.storage == Storage::Array) return header_.field == MatrixField::Complex ? "2" : "1";
    return header_.field == MatrixField::Pattern   ? "2"
           : header_.field == MatrixField::Complex ? "4"
                                                   : "3";
  }

  static bool skip_comment(LineCursor& cursor, ParsedBlock& block) {
    cursor.skip_blanks();
    if (*cursor.at != '%' && !cursor.at_line_end()) return false;
    cursor.skip_line();
    ++block.lines;
    return true;
  }

  static bool take_index(LineCursor& cursor, std::string_view what, std::uint64_t limit,
                         ParsedBlock& block, std::uint64_t& index) {
    if (!take_unsigned(cursor, what, block, index)) return false;
    if (index >= 1 && index <= limit) {
      --index;
      return true;
    }
    block.fault = {0, format("{} {} is not between 1 and {}", what, index, limit),
                   "correct the entry or the size line"};
    return false;
  }

  bool take_value(LineCursor& cursor, ParsedBlock& block, MatrixEntry& entry) const {
    if (header_.field == MatrixField::Pattern) return true;
    if (!take_real(cursor, "value", block, entry.value)) return false;
    if (header_.field == MatrixField::Integer && !block.whole_weights) {
      block.fault = {
          0,
          format("the banner states integers, but {} is not an integer (or is above 2^53)",
                 entry.value),
          "correct the value, or write 'real' in the banner"};
      return false;
    }
    if (header_.type && !header_.type->holds(entry.value)) {
      block.fault = {0,
                     format("{} does not fit the type {} of the %%GraphBLAS line", entry.value,
                            header_.type->name),
                     "correct the value or the type"};
      return false;
    }
    if (header_.field != MatrixField::Complex) return true;
    double imaginary = 0;
    if (!take_real(cursor, "imaginary part", block, imaginary)) return false;
    if (entry.value == 0) entry.value = imaginary;
    return true;
  }

  bool check_entry(const MatrixEntry& entry, ParsedBlock& block) const {
    if (entry.row != entry.column || header_.symmetry != Symmetry::Skew || entry.value == 0)
      return true;
    block.fault = {0, "a skew-symmetric matrix has zeros on its diagonal", "correct the entry"};
    return false;
  }

  void add_one(std::uint64_t from, std::uint64_t to, double value,
               EdgeChunkBuilder& builder) const {
    const VertexId source(static_cast<std::uint32_t>(from));
    const VertexId target(static_cast<std::uint32_t>(to) + offset_);
    if (!keep_)
      builder.add(source, target);
    else
      builder.add(source, target, value);
  }

  void add(const MatrixEntry& entry, EdgeChunkBuilder& builder) const {
    add_one(entry.row, entry.column, entry.value, builder);
    if (header_.symmetry == Symmetry::General || once_ || entry.row == entry.column) return;
    const double mirrored = header_.symmetry == Symmetry::Skew ? -entry.value : entry.value;
    add_one(entry.column, entry.row, mirrored, builder);
  }

  const MatrixMarketHeader& header_;
  const bool keep_;
  const std::uint32_t
      offset_;  // number of the vertex of column 1: the columns of a rectangular matrix follow its rows
  const bool once_;  // the graph is undirected: each edge is listed once
};

Result<std::vector<ParsedBlock>> parse_entries(TextInput& input, const MatrixMarketHeader& header,
                                               const LoadOptions& options) {
  const EntryParser parser(header, keeps_weights(options));
  if (header.storage == Storage::Coordinate) {
    return parse_blocks(
        input, thread_count(options.threads),
        [&](auto text, auto& block, auto& builder) { parser.coordinates(text, block, builder); });
  }
  MatrixEntry place = parser.first();
  return parse_blocks(input, 1, [&](auto text, auto& block, auto& builder) {
    parser.values(text, block, builder, place);
  });
}

/// Returns the line of an entry above the diagonal, or 0, and sets `below` if there are entries below. A symmetric file
/// may list only one half; otherwise each entry would count twice.
Result<std::uint64_t> find_halves(const std::vector<ParsedBlock>& blocks, TextInput& input,
                                  bool& below) {
  std::uint64_t above = 0;
  for (const auto& block : blocks) {
    if (block.above_line > 0) above = block.first_line + block.above_line - 1;
    below = below || block.below_line > 0;
  }
  if (above == 0) return above;
  LEEWAY_ASSIGN(const std::uint64_t before, input.lines_before());
  return above + before - input.line_number();
}

WeightKind kind_in(const MatrixMarketHeader& header) {
  switch (header.field) {
    case MatrixField::Pattern:
    case MatrixField::Complex:  // read only if weights are not kept
      return WeightKind::None;
    case MatrixField::Integer:
      return WeightKind::Integer;
    case MatrixField::Real:
      return WeightKind::Real;
  }
  LEEWAY_UNREACHABLE("field");
}

/// True if several processes can each read a byte range of the file: every line is a separate entry, no names are
/// listed in comments, and duplicates can be detected in the arcs alone.
bool can_be_shared(const MatrixMarketHeader& header, const LoadOptions& options,
                   const GraphShape& shape) {
  return header.storage == Storage::Coordinate && header.note.listed.empty() &&
         !arc_rule(shape, options).mirror;
}

Result<std::optional<ListedShare>> read_entries(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const MatrixMarketHeader header, matrix_market::read_header(input));
  LEEWAY_TRY(check_not_complex(header.note, options));
  ListedShare share;
  share.declared_at = input.at(header.size_line);
  share.declared_unit = "entries";
  share.declared_edges = header.entries;
  share.shape.directed = !(header.symmetry == Symmetry::Symmetric && header.note.directed == false);
  if (!options.share.whole()) {
    if (!can_be_shared(header, options, share.shape)) return std::nullopt;
    LEEWAY_ASSIGN(const bool shared, input.narrow(options.share));
    if (!shared) return std::nullopt;
  }
  LEEWAY_ASSIGN(share.blocks, parse_entries(input, header, options));
  share.rows = total_rows(share.blocks);
  share.bytes = input.bytes_read();
  if (options.share.whole()) LEEWAY_TRY(check_declared_counts(share, share.rows, 0));
  const bool coordinates = header.storage == Storage::Coordinate;
  if (coordinates && header.symmetry != Symmetry::General) {
    LEEWAY_ASSIGN(share.above_line, find_halves(share.blocks, input, share.below));
  }
  const bool square = header.rows == header.columns;
  // In a file that Leeway wrote (it has the annotation), parallel arcs are intended.
  if (options.duplicates == Duplicates::Auto && coordinates && !header.note.directed) {
    share.once = EntryListing{.half = header.symmetry != Symmetry::General,
                              .first_line = header.size_line + 1,
                              .first_column = square ? 0 : header.rows};
  }
  const std::uint64_t vertices = square ? header.rows : header.rows + header.columns;
  LEEWAY_TRY(check_vertex_count(vertices, share.bytes, share.declared_at));
  share.weight_kind = keeps_weights(options) ? kind_in(header) : WeightKind::None;
  share.shape.vertex_count = static_cast<std::uint32_t>(vertices);
  const std::uint64_t left = square ? header.note.left.value_or(0) : header.rows;
  share.shape.left_count = static_cast<std::uint32_t>(std::min(left, vertices));
  LEEWAY_ASSIGN(share.shape.names,
                annotated_names(header.note, share.shape.vertex_count, 1, share.declared_at));
  return share;
}

}  // namespace

Result<ListedGraph> read_matrix_market(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto share, read_entries(file, options));
  if (share->above_line > 0 && share->below)
    return fail(both_halves(format("{}:{}", file.name, share->above_line)));
  if (share->once) LEEWAY_TRY(check_entries_once(share->blocks, *share->once, file));
  return number_share(std::move(*share), thread_count(options.threads));
}

Result<std::optional<ListedShare>> share_matrix_market(const InputFile& file,
                                                       const LoadOptions& options, bool) {
  return read_entries(file, options);
}

}  // namespace leeway
