// What a text format cannot say of a graph (direction, names, isolated vertices, kind of weights)
// travels in comment lines that other tools skip and our readers honour; docs/formats.md has them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

struct Annotation {
  std::optional<bool> directed;
  std::optional<std::uint64_t> first;  ///< what vertex 0 is called
  std::optional<std::uint64_t> left;
  std::optional<WeightKind> weights;
  std::optional<NameKind> names;    ///< of the names listed, if any are
  bool ids_are_indices = false;     ///< an edge list's ids are 0 … n-1, not names
  std::vector<std::string> listed;  ///< names, one a vertex
};

/// Takes in a comment (without its mark). False if the comment is none of ours; an error if it is
/// and makes no sense.
Result<bool> read_annotation(std::string_view comment, const std::string& where,
                             Annotation& annotation);

/// The lines for this graph, each after `mark`. `listed`: with all names, one a line.
Status write_annotation(const Graph& graph, std::string_view mark, bool listed,
                        bool ids_are_indices, ByteSink& sink);

/// The names a reader of a format that numbers its vertices gives them. `first_usual` is what the
/// format calls its first vertex.
Result<VertexNames> annotated_names(const Annotation& annotation, std::uint32_t vertex_count,
                                    std::uint64_t first_usual, const std::string& where);

/// What it says of the shape of a graph whose format numbers `vertices` vertices from 1: count, left side
/// and names. Requires a count that a VertexId holds (checked).
Status annotate_shape(const Annotation& annotation, std::uint64_t vertices,
                      const std::string& where, GraphShape& shape);
/// The kind of weights found, unless the annotation knows of a wider one.
[[nodiscard]] WeightKind annotated_kind(const Annotation& annotation, WeightKind found);

// A text file with one field for each vertex: `vertex field` on every line, or the field alone, where line i belongs to
// vertex i. Lines that begin with # or % are comments. Compressed files are read as every other input.

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
