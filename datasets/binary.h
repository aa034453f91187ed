// Leeway's binary graph files (.lwg): mapped, not parsed. Opening checks what is read (checksums, that
// offsets ascend and every target is a vertex), so no file, however broken, can lead a program out of
// bounds later. A file must not be changed while it is open; writing replaces it by another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/datasets/vertex_names.h"

namespace leeway {

/// True if a file of this name is written as, and taken for, a binary graph.
[[nodiscard]] inline bool is_binary_name(std::string_view path) { return path.ends_with(".lwg"); }
/// True if the file begins as a binary graph does.
[[nodiscard]] bool looks_like_binary(std::string_view first_bytes);

/// Writes aside and renames, so `path` holds the old file or the whole new one. With a partition,
/// vertices are grouped part by part, each part in the graph's order.
Status write_binary(const Graph& graph, const std::string& path,
                    const Partition* partition = nullptr);

/// The graph; its arrays are views of the mapped file. A partitioned file is put back into the order
/// the graph had, in memory of its own.
Result<Graph> open_binary(const std::string& path, unsigned threads = 0);

/// Part of a graph: some vertices with their out-arcs, which may lead to vertices outside. Vertices
/// are numbered by their place in the file ("file order", part by part if the file is partitioned).
struct BinaryPart {
  std::uint32_t total_vertices = 0;  ///< of the whole graph
  std::uint64_t total_arcs = 0;
  std::uint32_t first = 0;  ///< the part's vertices are first, first + 1, …
  bool directed = true;
  WeightKind weight_kind = WeightKind::None;
  std::uint32_t left_count = 0;  ///< of the whole graph, in its original order
  Array<std::uint64_t> offsets;  ///< one a vertex and one more, from 0
  Array<VertexId> targets;       ///< in file order
  Array<double> weights;
  Array<double> imaginary;
  Array<VertexId> original;  ///< each vertex's place in the original graph; empty: unchanged
  Array<std::uint64_t>
      part_starts;  ///< where each part of the file begins, and the end; may be empty
  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets.size() - 1);
  }
};

/// Reads the vertices [first, last) and nothing else of the file. Requires a range within the graph
/// (an Input error otherwise).
Result<BinaryPart> open_binary_range(const std::string& path, std::uint32_t first,
                                     std::uint32_t last);
/// What those vertices are called.
Result<VertexNames> open_binary_names(const std::string& path, std::uint32_t first,
                                      std::uint32_t last);
/// The original number of each vertex, in file order; empty if the file is not partitioned.
Result<Array<VertexId>> open_binary_original(const std::string& path);
/// What a file says of itself on its first page.
struct BinarySummary {
  std::uint32_t vertices = 0;
  std::uint64_t arcs = 0;
  bool directed = true;
  bool partitioned = false;
  WeightKind weight_kind = WeightKind::None;
  NameKind name_kind = NameKind::Sequence;
  std::uint32_t left_count = 0;
  std::uint64_t first_name = 0;
  std::uint64_t mark = 0;  ///< equal only for files of equal content
};
Result<BinarySummary> summarize_binary(const std::string& path);
/// Where `parts` ranges of vertices begin that weigh the same, a vertex as much as an arc if `arcs`; and the end. Of
/// the list of offsets it looks at few places, unchecked: a range is checked when it is opened.
Result<std::vector<std::uint64_t>> divide_binary(const std::string& path, std::uint32_t parts,
                                                 bool arcs);
/// Reads one part of a file written with a partition.
Result<BinaryPart> open_binary_part(const std::string& path, PartId part);
/// The partition stored in a file, by original vertices; an Input error if there is none.
Result<Partition> open_binary_partition(const std::string& path);

}  // namespace leeway
