// Random small graphs of many shapes. Pure functions of the generator they are given.
#pragma once

#include "base/random.h"
#include "test/answers/graph_input.h"

namespace leeway::answers {

inline constexpr std::uint32_t kMostVertices = 60;

/// Requirements of a program on its graph.
enum class Suits : std::uint8_t { Paths, Matrix, Ratings, Mutual, Any };

[[nodiscard]] InputGraph draw_graph(Suits suits, Random& random);
/// A complete graph of hundreds of vertices; all weights are 1 except one of 1e15 near the first
/// vertex.
[[nodiscard]] InputGraph draw_heavy_graph(Random& random);
/// An undirected graph of thousands of vertices: a path, a ladder or sparse random edges, in any
/// order.
[[nodiscard]] InputGraph draw_large_graph(Random& random);
/// A part below `parts` for each vertex: balanced, with most vertices in one part, or with empty
/// parts.
[[nodiscard]] std::vector<std::uint32_t> draw_owners(std::uint32_t vertices, std::uint32_t parts,
                                                     Random& random);

}  // namespace leeway::answers
