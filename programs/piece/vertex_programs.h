// The shipped vertex programs under the piece engine, by the names of programs/vertex/catalog.h.
#pragma once

#include <span>
#include <string_view>

#include "leeway/programs/vertex/catalog.h"
#include "leeway/runtime/piece/run_pieces.h"

namespace leeway::piece {

struct VertexJob {
  ProgramSettings settings;
  PartitionOptions partition;
  std::uint32_t pieces = 16;  ///< a worker's
};

struct VertexOutcome {
  ProgramValues values;  ///< by vertex; none on other nodes than the first
  PieceRecord record;
};

[[nodiscard]] std::span<const std::string_view> vertex_names();

/// Requires one of vertex_names() (checked).
Result<VertexOutcome> run_vertex_program(std::string_view name, const Graph& graph,
                                         const VertexJob& job, const ClusterOptions& cluster,
                                         const PieceOptions& options);

}  // namespace leeway::piece
