#include "leeway/datasets/matrix_entries.h"

#include <algorithm>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/datasets/text_input.h"

namespace leeway {

namespace {

using Cell = std::pair<std::uint32_t, std::uint32_t>;  // row and column, from 0

/// Files mostly stand in the order of rows or columns, where equal entries would be neighbours.
std::vector<Cell> places_of(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                            bool& sorted) {
  std::vector<Cell> places;
  bool by_row = true;
  bool by_column = true;
  for (const ParsedBlock& block : blocks) {
    block.edges.for_each([&](std::size_t, VertexId from, VertexId to) {
      if (listing.half && from < to) return;  // its mirror image stands beside it
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

/// The line on which the entry stands for the second time.
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
      format("row {}, column {} stands here for the second time: a Matrix Market file lists each "
             "entry once",
             entry.first + std::uint64_t{1}, entry.second + std::uint64_t{1}),
      "remove one of them; or give --duplicates merge for their sum, or --duplicates keep for "
      "parallel arcs");
}

}  // namespace

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

Error entry_twice(const EntryListing& listing, const InputFile& file, VertexId row,
                  VertexId column) {
  return entry_error(
      listing, file,
      {row.value(), column.value() - static_cast<std::uint32_t>(listing.first_column)});
}

Error both_halves(const std::string& where) {
  return input_error(where,
                     "the matrix is symmetric, yet entries stand on both sides of its diagonal",
                     "keep the lower half only, or write 'general' in the banner");
}

}  // namespace leeway
