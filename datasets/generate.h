// Generated graphs and matrices: grids, paths, stars and trees, random models, and stencils of partial differential
// equations. The same arguments and seed give the same graph for any number of threads and of shares.
// A generator returns the edges of `options.share`, to be passed to `build_graph`. Unless stated otherwise, edges are
// undirected and unweighted and vertices are named 0, 1, 2, …; `options` are applied as for files (random weights,
// duplicates, self-loops, direction). The caller limits the size; a graph that exceeds memory is an Environment error at
// allocation.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"

namespace leeway {

/// R-MAT with Graph500's probabilities (0.57, 0.19, 0.19, 0.05), 2^scale vertices, `degree` edges for each vertex, labels
/// shuffled. May contain duplicates and loops.
Result<ListedGraph> list_kron(unsigned scale, std::uint64_t degree, const LoadOptions& options);
/// Both ends of each edge are drawn uniformly.
Result<ListedGraph> list_uniform(std::uint32_t vertices, std::uint64_t edges,
                                 const LoadOptions& options);
/// Each vertex is joined to the next along each axis; x varies fastest. A depth of 1 gives a plane.
Result<ListedGraph> list_grid(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                              const LoadOptions& options);
Result<ListedGraph> list_path(std::uint32_t vertices, const LoadOptions& options);
/// With fewer than three vertices, the result is a path.
Result<ListedGraph> list_cycle(std::uint32_t vertices, const LoadOptions& options);
/// Vertex 0 joined to all others.
Result<ListedGraph> list_star(std::uint32_t vertices, const LoadOptions& options);
/// The parent of vertex v is (v - 1) / arity.
Result<ListedGraph> list_tree(std::uint32_t vertices, std::uint32_t arity,
                              const LoadOptions& options);
Result<ListedGraph> list_complete(std::uint32_t vertices, const LoadOptions& options);
/// Watts & Strogatz (Nature 393, 1998): a ring in which each vertex is joined to the next `degree / 2` vertices; the far
/// end of each edge is redrawn with probability `rewire`. Requires an even degree below `vertices`.
Result<ListedGraph> list_small_world(std::uint32_t vertices, std::uint32_t degree, double rewire,
                                     const LoadOptions& options);
/// Configuration model: degrees are drawn from P(k) ~ k^-exponent for k from 1 to sqrt(vertices), and half-edges are
/// matched at random. May contain duplicates and loops.
Result<ListedGraph> list_power_law(std::uint32_t vertices, double exponent,
                                   const LoadOptions& options);

/// Coefficients of a grid point and its neighbours. Neighbours outside the grid are omitted (Dirichlet boundary).
struct Stencil {
  double centre = 0;
  double west = 0, east = 0;    ///< x - 1, x + 1
  double south = 0, north = 0;  ///< y - 1, y + 1
  double below = 0, above = 0;  ///< z - 1, z + 1
  /// Diagonal neighbours in the plane; omitted from the sparsity pattern if both coefficients are zero.
  double along = 0;   ///< (x + 1, y + 1) and (x - 1, y - 1)
  double across = 0;  ///< (x - 1, y + 1) and (x + 1, y - 1)
};
/// A strictly diagonally dominant matrix: each row has `entries` entries from 0 to 1 at random columns, and a diagonal
/// entry 1.25 times their sum (1 if there are none). Requires `entries` below `rows`.
Result<ListedGraph> list_dominant(std::uint32_t rows, std::uint32_t entries,
                                  const LoadOptions& options);

/// The matrix of a stencil on a grid: directed, one arc with a real weight for each entry; x varies fastest.
Result<ListedGraph> list_stencil(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                                 const Stencil& stencil, const LoadOptions& options);
/// -u_xx - epsilon u_yy rotated by `degrees`: bilinear differences on nine points (five without rotation).
Stencil anisotropic_stencil(double epsilon, double degrees);
/// Convection along x (upwind differences) and diffusion, with stronger coupling between layers: not symmetric.
Stencil atmosphere_stencil();

}  // namespace leeway
