// Small built-in graphs with known properties, from the literature or with results computed by hand: for tests,
// demonstrations and first experiments. known_graphs.cc also parses graph specs ("kron:16", see leeway/graph.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"

namespace leeway {

/// Known properties of a graph, taken as undirected. A member without a value is unknown or undefined for the graph.
struct KnownAnswers {
  std::uint32_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint32_t components = 1;
  std::optional<std::uint32_t> diameter;  ///< in edges
  std::optional<std::uint32_t> girth;     ///< number of edges of the shortest cycle
  std::uint64_t triangles = 0;
  std::uint32_t chromatic_number = 0;      ///< smallest number of colours of a proper colouring
  std::span<const std::uint32_t> degrees;  ///< by vertex
  /// Weighted distances from the first vertex, by vertex; empty if there are no weights.
  std::span<const double> distances;
};

struct KnownGraph {
  std::string_view name;
  std::string_view summary;
  std::uint32_t first_name;  ///< name of the first vertex in the literature: 0 or 1
  KnownAnswers answers;
};

[[nodiscard]] std::span<const KnownGraph> known_graphs();
/// Requires a name from `known_graphs()`; otherwise an Input error that suggests the nearest name.
Result<Graph> make_known_graph(std::string_view name, const LoadOptions& options);

}  // namespace leeway
