// The line "%%GraphBLAS type int8" that GraphBLAS programs write below a Matrix Market banner: what the
// entries' type is, more closely than the banner can say. It must not contradict the banner or the values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "leeway/base/result.h"

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
