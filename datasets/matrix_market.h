// The line "%%GraphBLAS type int8" that GraphBLAS programs write below a Matrix Market banner: what the
// entries' type is, more closely than the banner can say. It must not contradict the banner or the values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "leeway/result.h"

namespace leeway {

struct GraphBlasType {
  std::string name;  ///< as the file writes it, in lower case
  bool complex = false;
  bool whole = false;  ///< holds whole numbers only, from `least` to `most`
  double least = 0;
  double most = 0;

  [[nodiscard]] bool holds(double value) const;
};

/// Nothing if the line (with its '%'s) is another comment; an error for a type that GraphBLAS lacks.
Result<std::optional<GraphBlasType>> read_graphblas_type(std::string_view line,
                                                         const std::string& where);

}  // namespace leeway

namespace leeway::matrix_market {

// What stands at the head of a Matrix Market file: the banner, comments, and the size line. Not for use outside the
// reader of that format.
enum class Storage { Coordinate, Array };
enum class Field { Pattern, Integer, Real, Complex };
enum class Symmetry { General, Symmetric, Skew, Hermitian };

struct Header {
  Storage storage = Storage::Coordinate;
  Field field = Field::Real;
  Symmetry symmetry = Symmetry::General;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;  // lines that follow
  std::uint64_t size_line = 0;
  Annotation note;
  std::optional<GraphBlasType> type;
};

/// Up to the first entry.
Result<Header> read_header(TextInput& input);

}  // namespace leeway::matrix_market

namespace leeway {

// Whether a coordinate file lists each entry of its matrix once, as the Matrix Market format asks for.

/// Reads the file again only for the line of an entry that stands twice.
Status check_entries_once(const std::vector<ParsedBlock>& blocks, const EntryListing& listing,
                          const InputFile& file);
/// The error for an entry that stands twice: an arc from vertex `row` to vertex `column`, which was column of the
/// matrix.
Error entry_twice(const EntryListing& listing, const InputFile& file, VertexId row,
                  VertexId column);

}  // namespace leeway
