// What stands at the head of a Matrix Market file: the banner, comments, and the size line. Not for use outside the
// reader of that format.
#pragma once

#include <cstdint>
#include <optional>

#include "leeway/base/result.h"
#include "leeway/datasets/annotation.h"
#include "leeway/datasets/graphblas_type.h"
#include "leeway/datasets/text_input.h"

namespace leeway::matrix_market {

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
