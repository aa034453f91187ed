// What a text format cannot say of a graph (direction, names, isolated vertices, kind of weights)
// travels in comment lines that other tools skip and our readers honour; docs/formats.md has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/build_graph.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/datasets/graph.h"

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

}  // namespace leeway
