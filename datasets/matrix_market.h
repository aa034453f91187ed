// Parts of the Matrix Market reader that other files use: the header of a file (banner, comments, size line), the
// GraphBLAS type comment, and the check that a coordinate file lists each entry once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datasets/parse.h"
#include "datasets/readers.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"

namespace leeway {

/// The type in the line "%%GraphBLAS type int8" that GraphBLAS programs write after the banner. It specifies the type of
/// the entries more precisely than the banner, and must agree with the banner and the values.
struct GraphBlasType {
  std::string name;  ///< as in the file, in lower case
  bool complex = false;
  bool whole = false;  ///< holds whole numbers only, from `least` to `most`
  double least = 0;
  double most = 0;

  [[nodiscard]] bool holds(double value) const;
};

}  // namespace leeway

namespace leeway::matrix_market {

enum class Storage { Coordinate, Array };
enum class MatrixField { Pattern, Integer, Real, Complex };
enum class Symmetry { General, Symmetric, Skew };

/// The banner, the comments and the size line.
struct MatrixMarketHeader {
  Storage storage = Storage::Coordinate;
  MatrixField field = MatrixField::Real;
  Symmetry symmetry = Symmetry::General;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t entries = 0;  // number of lines that follow
  std::uint64_t size_line = 0;
  Annotation note;
  std::optional<GraphBlasType> type;
};

/// Reads up to the first entry.
Result<MatrixMarketHeader> read_header(TextInput& input);

}  // namespace leeway::matrix_market

namespace leeway {

/// The error for an entry that is listed twice, given as the arc from vertex `row` to vertex `column` that it became.
Error entry_twice(const EntryListing& listing, const InputFile& file, VertexId row,
                  VertexId column);

}  // namespace leeway
