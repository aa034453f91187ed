// Matrix Market: a banner, comments, a size line, then entries (coordinate) or all values column by
// column (array). A matrix becomes a directed graph, row to column, symmetric halves written out.
#include "leeway/base/format.h"
#include "leeway/base/parallel.h"
#include "leeway/datasets/annotation.h"
#include "leeway/datasets/block_parse.h"
#include "leeway/datasets/listed_share.h"
#include "leeway/datasets/matrix_entries.h"
#include "leeway/datasets/matrix_market_header.h"
#include "leeway/datasets/readers.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway {

namespace {

using matrix_market::Field;
using matrix_market::Header;
using matrix_market::Storage;
using matrix_market::Symmetry;

/// One entry on its way from a line to its arcs.
struct Entry {
  std::uint64_t row = 0;  // from 0
  std::uint64_t column = 0;
  double real = 0;
  double imaginary = 0;
};

class EntryParser {
 public:
  EntryParser(const Header& header, bool keep)
      : header_(header),
        keep_(keep && header.field != Field::Pattern),
        offset_(header.rows == header.columns ? 0 : static_cast<std::uint32_t>(header.rows)),
        once_(header.symmetry == Symmetry::Symmetric && header.note.directed == false) {}

  void coordinates(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder) const {
    LineCursor cursor{text.data()};
    block.takes_infinity = header_.note.weights.has_value();
    while (cursor.at < text.data() + text.size()) {
      if (skip_idle(cursor, block)) continue;
      Entry entry;
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

  /// Keeps the place between blocks, so for one thread. A zero is no arc.
  void values(std::string_view text, ParsedBlock& block, EdgeChunkBuilder& builder,
              Entry& place) const {
    LineCursor cursor{text.data()};
    while (cursor.at < text.data() + text.size()) {
      if (skip_idle(cursor, block)) continue;
      if (place.column >= header_.columns) {
        block.fault = {0, "more values than the size line asks for", "correct the size line"};
        return;
      }
      if (!take_value(cursor, block, place) || !check_entry(place, block)) return;
      if (!take_line_end(cursor, columns(), block)) return;
      ++block.rows;
      if (place.real != 0 || place.imaginary != 0) add(place, builder);
      advance(place);
    }
  }

  [[nodiscard]] Entry first() const {
    Entry place;
    place.row = header_.symmetry == Symmetry::Skew ? 1 : 0;
    if (place.row >= header_.rows) place.column = header_.columns;
    return place;
  }

 private:
  void advance(Entry& place) const {
    if (++place.row < header_.rows) return;
    ++place.column;
    place.row = header_.symmetry == Symmetry::General ? 0
                : header_.symmetry == Symmetry::Skew  ? place.column + 1
                                                      : place.column;
    if (place.row >= header_.rows)
      place.column = header_.columns;  // skew: the last column is empty
  }

  [[nodiscard]] std::string_view columns() const {
    if (header_.storage == Storage::Array) return header_.field == Field::Complex ? "2" : "1";
    return header_.field == Field::Pattern ? "2" : header_.field == Field::Complex ? "4" : "3";
  }

  static bool skip_idle(LineCursor& cursor, ParsedBlock& block) {
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

  bool take_value(LineCursor& cursor, ParsedBlock& block, Entry& entry) const {
    if (header_.field == Field::Pattern) return true;
    if (!take_real(cursor, "value", block, entry.real)) return false;
    if (header_.field == Field::Integer && !block.whole_weights) {
      block.fault = {0,
                     format("the matrix is said to be of integers, and {} is none (or above 2^53)",
                            entry.real),
                     "correct the value, or write 'real' in the banner"};
      return false;
    }
    if (header_.type && !header_.type->holds(entry.real)) {
      block.fault = {0,
                     format("{} does not fit the type {} of the %%GraphBLAS line", entry.real,
                            header_.type->name),
                     "correct the value or the type"};
      return false;
    }
    return header_.field != Field::Complex ||
           take_real(cursor, "imaginary part", block, entry.imaginary);
  }

  bool check_entry(const Entry& entry, ParsedBlock& block) const {
    if (entry.row != entry.column) return true;
    if (header_.symmetry == Symmetry::Skew && (entry.real != 0 || entry.imaginary != 0)) {
      block.fault = {0, "a skew-symmetric matrix has zeros on its diagonal", "correct the entry"};
    } else if (header_.symmetry == Symmetry::Hermitian && entry.imaginary != 0) {
      block.fault = {0, "a hermitian matrix is real on its diagonal", "correct the entry"};
    }
    return !block.fault;
  }

  void add_one(std::uint64_t from, std::uint64_t to, double real, double imaginary,
               EdgeChunkBuilder& builder) const {
    const VertexId source(static_cast<std::uint32_t>(from));
    const VertexId target(static_cast<std::uint32_t>(to) + offset_);
    if (!keep_)
      builder.add(source, target);
    else if (header_.field == Field::Complex)
      builder.add(source, target, real, imaginary);
    else
      builder.add(source, target, real);
  }

  void add(const Entry& entry, EdgeChunkBuilder& builder) const {
    add_one(entry.row, entry.column, entry.real, entry.imaginary, builder);
    if (header_.symmetry == Symmetry::General || once_ || entry.row == entry.column) return;
    const double real = header_.symmetry == Symmetry::Skew ? -entry.real : entry.real;
    const double imaginary =
        header_.symmetry == Symmetry::Symmetric ? entry.imaginary : -entry.imaginary;
    add_one(entry.column, entry.row, real, imaginary, builder);
  }

  const Header& header_;
  const bool keep_;
  const std::uint32_t offset_;  // columns of a rectangular matrix come after its rows
  const bool once_;             // an undirected graph: each edge once
};

Result<std::vector<ParsedBlock>> parse_entries(TextInput& input, const Header& header,
                                               const LoadOptions& options) {
  const EntryParser parser(header, keeps_weights(options));
  if (header.storage == Storage::Coordinate) {
    return parse_blocks(
        input, thread_count(options.threads),
        [&](auto text, auto& block, auto& builder) { parser.coordinates(text, block, builder); });
  }
  Entry place = parser.first();
  return parse_blocks(input, 1, [&](auto text, auto& block, auto& builder) {
    parser.values(text, block, builder, place);
  });
}

/// The standard lists one half of a symmetric matrix; both would count each entry twice.
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

WeightKind kind_of(const Header& header) {
  switch (header.field) {
    case Field::Pattern:
      return WeightKind::None;
    case Field::Integer:
      return WeightKind::Integer;
    case Field::Real:
      return WeightKind::Real;
    case Field::Complex:
      return WeightKind::Complex;
  }
  LEEWAY_UNREACHABLE("field");
}

/// True where shares of the file can be told from each other by their bytes alone, and what they list of each other by
/// the arcs it becomes.
bool can_be_shared(const Header& header, const LoadOptions& options, const GraphShape& shape) {
  return header.storage == Storage::Coordinate && header.note.listed.empty() &&
         !arc_rule(shape, options).mirror;
}

Result<std::optional<ListedShare>> read_once(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto source, file.open());
  TextInput input(file.name, std::move(source));
  LEEWAY_ASSIGN(const Header header, matrix_market::read_header(input));
  ListedShare share;
  share.said_at = input.at(header.size_line);
  share.said_of = "entries";
  share.said_edges = header.entries;
  share.shape.directed = !(header.symmetry == Symmetry::Symmetric && header.note.directed == false);
  if (!options.share.whole()) {
    if (!can_be_shared(header, options, share.shape)) return std::nullopt;
    LEEWAY_ASSIGN(const bool shared, input.narrow(options.share));
    if (!shared) return std::nullopt;
  }
  LEEWAY_ASSIGN(share.blocks, parse_entries(input, header, options));
  share.rows = total_rows(share.blocks);
  share.bytes = input.bytes_read();
  if (options.share.whole()) LEEWAY_TRY(check_said(share, share.rows, 0));
  const bool coordinates = header.storage == Storage::Coordinate;
  if (coordinates && header.symmetry != Symmetry::General) {
    LEEWAY_ASSIGN(share.above_line, find_halves(share.blocks, input, share.below));
  }
  const bool square = header.rows == header.columns;
  // Where our own annotation stands, parallel arcs were written on purpose.
  if (options.duplicates == Duplicates::Auto && coordinates && !header.note.directed) {
    share.once = EntryListing{.half = header.symmetry != Symmetry::General,
                              .first_line = header.size_line + 1,
                              .first_column = square ? 0 : header.rows};
  }
  const std::uint64_t vertices = square ? header.rows : header.rows + header.columns;
  LEEWAY_TRY(check_vertex_count(vertices, share.bytes, share.said_at));
  share.weight_kind = keeps_weights(options) ? kind_of(header) : WeightKind::None;
  share.shape.vertex_count = static_cast<std::uint32_t>(vertices);
  const std::uint64_t left = square ? header.note.left.value_or(0) : header.rows;
  share.shape.left_count = static_cast<std::uint32_t>(std::min(left, vertices));
  LEEWAY_ASSIGN(share.shape.names,
                annotated_names(header.note, share.shape.vertex_count, 1, share.said_at));
  return share;
}

}  // namespace

Result<ListedGraph> read_matrix_market(const InputFile& file, const LoadOptions& options) {
  LEEWAY_ASSIGN(auto share, read_once(file, options));
  if (share->above_line > 0 && share->below)
    return fail(both_halves(format("{}:{}", file.name, share->above_line)));
  if (share->once) LEEWAY_TRY(check_entries_once(share->blocks, *share->once, file));
  return number_share(std::move(*share), thread_count(options.threads));
}

Result<std::optional<ListedShare>> share_matrix_market(const InputFile& file,
                                                       const LoadOptions& options, bool) {
  return read_once(file, options);
}

}  // namespace leeway
