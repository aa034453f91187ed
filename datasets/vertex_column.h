// A text file with one field for each vertex: `vertex field` on every line, or the field alone, where line i belongs to
// vertex i. Lines that begin with # or % are comments. Compressed files are read as every other input.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/vertex_names.h"

namespace leeway {

/// The vertices for which a file has a field.
struct VertexColumn {
  std::vector<bool> named;
  std::uint64_t count = 0;
  bool by_name = false;  ///< its lines begin with the vertex

  [[nodiscard]] bool complete() const { return count == named.size(); }
  /// Requires that it is not complete.
  [[nodiscard]] std::string first_missing(const VertexNames& names) const;
};

/// Calls `take` with every vertex in the file and its field; file and line are added to an error of `take`. `field` is the
/// name of the field in remedies. An Input error for an unknown vertex, a vertex that occurs twice, and a mix of both forms
/// of lines.
Result<VertexColumn> read_vertex_column(
    const std::string& path, const VertexNames& names, std::string_view field,
    const std::function<Status(VertexId, std::string_view)>& take);

/// Finite numbers, from a vertex column or a Matrix Market file of one column. Vertices that the file leaves out get
/// `otherwise`; a column without names and a Matrix Market array must have one line for each vertex.
Result<std::vector<double>> read_vertex_values(const std::string& path, const VertexNames& names,
                                               double otherwise);

}  // namespace leeway
