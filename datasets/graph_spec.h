// Graphs named by a few words instead of a file: "kron:16", "grid2d:100x80", "known:karate". A spec is
// strict: an unknown kind, a missing or extra part, a size that cannot be held is an Input error that shows
// an example.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/load_options.h"

namespace leeway {

struct ListedGraph;  // build_graph.h

struct GraphSpecInfo {
  std::string_view form;  ///< "kron:SCALE[:DEGREE]"
  std::string_view example;
  std::string_view summary;
  bool drawn = false;  ///< by the seed
};
/// Every kind of spec, for help texts.
[[nodiscard]] std::span<const GraphSpecInfo> graph_specs();

/// True for text that begins with a kind and a colon; what else contains a colon may be a file.
[[nodiscard]] bool is_graph_spec(std::string_view text);

/// True for a spec of a kind that is drawn at random.
[[nodiscard]] bool is_drawn_spec(std::string_view text);

/// How large a spec's graph is, told without making it.
struct SpecSize {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;  ///< about; as stored, an undirected edge is two
  bool directed = false;
  bool weighted = false;
  std::uint32_t width = 0, height = 0;  ///< of a plane of vertices, row by row; 0: it is none
};
Result<SpecSize> size_of_spec(std::string_view spec, const LoadOptions& options);

/// Sizes are refused before anything is allocated: more than 2^32 - 2 vertices, or more memory than the
/// machine has.
Result<Graph> generate(std::string_view spec, const LoadOptions& options);
/// The edges that fall to `options.share`, not yet a graph; errors alike.
Result<ListedGraph> list_spec(std::string_view spec, const LoadOptions& options);

}  // namespace leeway
