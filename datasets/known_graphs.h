// Small graphs whose answers are known: from the literature, or our own with answers worked out by hand.
// They travel inside the program: for tests, for demonstrations, for trying things out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

/// What is known of a graph, counted on it as an undirected one. A member without a value is not known
/// or makes no sense.
struct KnownAnswers {
  std::uint32_t vertices = 0;
  std::uint64_t edges = 0;
  std::uint32_t components = 1;
  std::optional<std::uint32_t> diameter;  ///< in edges
  std::optional<std::uint32_t> girth;     ///< edges of the shortest cycle
  std::uint64_t triangles = 0;
  std::uint32_t chromatic_number = 0;      ///< colours needed so that no neighbours share one
  std::span<const std::uint32_t> degrees;  ///< by vertex
  /// Weighted distances from the first vertex, by vertex; empty if there are no weights.
  std::span<const double> distances;
};

struct KnownGraph {
  std::string_view name;
  std::string_view summary;
  std::uint32_t first_name;  ///< what the literature calls the first vertex: 0 or 1
  KnownAnswers answers;
};

[[nodiscard]] std::span<const KnownGraph> known_graphs();
[[nodiscard]] std::optional<KnownGraph> find_known_graph(std::string_view name);
/// Requires a name from `known_graphs()` (an Input error with the nearest one otherwise).
Result<Graph> make_known_graph(std::string_view name, const LoadOptions& options);
/// The edges that fall to `options.share`.
Result<ListedGraph> list_known_graph(std::string_view name, const LoadOptions& options);

}  // namespace leeway
