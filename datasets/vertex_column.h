// Annotations in text formats, and text files with one field for each vertex. An annotation is a comment line with
// properties that a format cannot express (direction, names, isolated vertices, kind of weights); other tools ignore it
// and Leeway's readers use it. docs/formats.md describes the lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/byte_stream.h"
#include "datasets/graph.h"

namespace leeway {

/// The contents of the annotation lines of a file.
struct Annotation {
  std::optional<bool> directed;
  std::optional<std::uint64_t> first;  ///< name of vertex 0
  std::optional<std::uint64_t> left;
  std::optional<WeightKind> weights;
  /// Line that states complex values, as file:line, if there is one. Each weight is then two numbers.
  std::string complex_at;
  std::optional<NameKind> names;    ///< kind of the listed names
  bool ids_are_indices = false;     ///< an edge list's ids are 0 … n-1, not names
  std::vector<std::string> listed;  ///< names, one for each vertex
};

/// Parses a comment (without its comment character). False if it is not an annotation; an error if it is invalid.
Result<bool> read_annotation(std::string_view comment, const std::string& where,
                             Annotation& annotation);

/// An error if the values of the file are complex and its weights are to be kept.
Status check_not_complex(const Annotation& annotation, const LoadOptions& options);

/// Writes the annotation lines of a graph, each after `mark`. `listed`: also all names, one on each line.
Status write_annotation(const Graph& graph, std::string_view mark, bool listed,
                        bool ids_are_indices, ByteSink& sink);

/// Vertex names for a format that numbers its vertices: those of the annotation, else numbers starting at `first_usual`, the
/// format's number of its first vertex.
Result<VertexNames> annotated_names(const Annotation& annotation, std::uint32_t vertex_count,
                                    std::uint64_t first_usual, const std::string& where);

/// Sets vertex count, left side and names in the shape of a graph whose format numbers its vertices from 1. Requires a count
/// that fits a VertexId (checked).
Status annotate_shape(const Annotation& annotation, std::uint64_t vertices,
                      const std::string& where, GraphShape& shape);
/// The kind of weights found, or the annotated kind if it is wider.
[[nodiscard]] WeightKind annotated_kind(const Annotation& annotation, WeightKind found);

/// The vertices for which a vertex column has a field. A vertex column is a text file with `vertex field` on every line, or
/// only the field, where line i belongs to vertex i. Lines that begin with # or % are comments. The file may be compressed.
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
