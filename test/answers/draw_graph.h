// Random small graphs of many shapes. Pure functions of the generator they are given.
#pragma once

#include "base/random.h"
#include "test/answers/graph_input.h"

namespace leeway::answers {

inline constexpr std::uint32_t kMostVertices = 60;

/// What a program needs of its graph.
enum class Suits : std::uint8_t { Paths, Matrix, Ratings, Mutual, Any };

[[nodiscard]] InputGraph draw_graph(Suits suits, Random& random);
/// Hundreds of vertices, every arc that there can be, all of weight 1 but one, of 1e15, near the first vertex.
[[nodiscard]] InputGraph draw_heavy_graph(Random& random);
/// Undirected, of thousands of vertices: a path, a ladder or sparse random edges, in any order.
[[nodiscard]] InputGraph draw_large_graph(Random& random);
/// A part below `parts` for each vertex: evenly, with most in one part, or with parts left empty.
[[nodiscard]] std::vector<std::uint32_t> draw_owners(std::uint32_t vertices, std::uint32_t parts,
                                                     Random& random);

}  // namespace leeway::answers
