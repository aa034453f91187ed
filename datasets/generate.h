// Generated graphs and matrices: classic shapes, random models, and the stencils of partial differential
// equations. The same arguments and seed give the same graph on any number of threads and in any number of shares.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/parallel.h"
#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

// The edges that fall to `options.share`, for build_graph. All are undirected and unweighted and call their vertices
// 0, 1, 2, …; `options` may change that as it does for files (weights by seed, duplicates, self-loops,
// direction). Sizes are the caller's duty: what exceeds memory is an Environment error at allocation.

/// R-MAT with Graph500's probabilities (0.57, 0.19, 0.19, 0.05), 2^scale vertices, `degree` edges a
/// vertex, labels shuffled; duplicates and loops stay unless options drop them.
Result<ListedGraph> list_kron(unsigned scale, std::uint64_t degree, const LoadOptions& options);
/// `edges` edges, both ends uniform.
Result<ListedGraph> list_uniform(std::uint32_t vertices, std::uint64_t edges,
                                 const LoadOptions& options);
/// Each vertex joined to the next along each axis; x runs fastest. A depth of 1 is the plane.
Result<ListedGraph> list_grid(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                              const LoadOptions& options);
Result<ListedGraph> list_path(std::uint32_t vertices, const LoadOptions& options);
/// Below three vertices, what is left of a cycle is a path.
Result<ListedGraph> list_cycle(std::uint32_t vertices, const LoadOptions& options);
/// Vertex 0 joined to all others.
Result<ListedGraph> list_star(std::uint32_t vertices, const LoadOptions& options);
/// Vertex v hangs below (v - 1) / arity.
Result<ListedGraph> list_tree(std::uint32_t vertices, std::uint32_t arity,
                              const LoadOptions& options);
Result<ListedGraph> list_complete(std::uint32_t vertices, const LoadOptions& options);
/// Watts & Strogatz (Nature 393, 1998): a ring, each vertex joined to its `degree / 2` next ones, each
/// edge's far end redrawn with probability `rewire`. Requires an even degree below `vertices`.
Result<ListedGraph> list_small_world(std::uint32_t vertices, std::uint32_t degree, double rewire,
                                     const LoadOptions& options);
/// Configuration model: degrees drawn from P(k) ~ k^-exponent for k from 1 to sqrt(vertices), their
/// half-edges matched at random. Loops and duplicates stay unless options drop them.
Result<ListedGraph> list_power_law(std::uint32_t vertices, double exponent,
                                   const LoadOptions& options);

/// Seven coefficients of a grid point: itself, then its neighbours. A neighbour outside the grid is left
/// out (Dirichlet boundary).
struct Stencil {
  double centre = 0;
  double west = 0, east = 0;    ///< x - 1, x + 1
  double south = 0, north = 0;  ///< y - 1, y + 1
  double below = 0, above = 0;  ///< z - 1, z + 1
  /// The diagonal neighbours in the plane; left out of the pattern when both are zero.
  double along = 0;   ///< (x + 1, y + 1) and (x - 1, y - 1)
  double across = 0;  ///< (x - 1, y + 1) and (x + 1, y - 1)
};
/// The matrix of one stencil on a grid: directed, one real weight an entry, x runs fastest.
Result<ListedGraph> list_stencil(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                                 const Stencil& stencil, const LoadOptions& options);
/// -u_xx - epsilon u_yy turned by `degrees`, bilinear differences on nine points (five when unturned).
Stencil anisotropic_stencil(double epsilon, double degrees);
/// Diffusion with an upwind wind along x and a stronger coupling of the layers: not symmetric.
Stencil atmosphere_stencil();

}  // namespace leeway

namespace leeway::generators {

// What generators share: edges made side by side in chunks of fixed size, so that the list does not
// depend on the number of threads. Not for use outside generate*.cc.

/// Calls `emit(index, builder)` for each index below `count` that falls to the share, many at a time, and gathers
/// what was added in the order of the indices.
template <class Emit>
Result<EdgeList> make_edges(std::uint64_t count, const LoadOptions& options, WeightKind kind,
                            const Emit& emit) {
  const unsigned threads = thread_count(options.threads);
  const std::uint64_t first = options.share.begin(count);
  const std::uint64_t items = options.share.end(count) - first;
  if (options.progress != nullptr) options.progress->start("generating", items, "items");
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 18;
  const std::uint64_t chunks = (items + kChunk - 1) / kChunk;
  EdgeList list;
  list.weight_kind = kind;
  list.chunks.resize(chunks);
  std::vector<std::optional<Error>> errors(std::max(1u, threads));
  parallel_chunks(chunks, threads, [&](unsigned thread, std::size_t begin, std::size_t end) {
    EdgeChunkBuilder builder;
    for (std::uint64_t chunk = begin; chunk < end; ++chunk) {
      const std::uint64_t last = std::min(items, (chunk + 1) * kChunk);
      for (std::uint64_t item = chunk * kChunk; item < last; ++item) emit(first + item, builder);
      auto packed = builder.finish();
      if (!packed) {
        errors[thread] = packed.error();
        return;
      }
      list.chunks[chunk] = std::move(*packed);
      if (options.progress != nullptr) options.progress->add(last - chunk * kChunk);
    }
  });
  for (auto& error : errors) {
    if (error) return fail(std::move(*error));
  }
  return list;
}

/// Vertices 0 … n-1 under their own numbers; undirected unless options say otherwise.
inline Result<ListedGraph> listed(Result<EdgeList> edges, std::uint32_t vertices, bool directed) {
  if (!edges) return fail(std::move(edges).error());
  ListedGraph graph;
  graph.edges = std::move(*edges);
  graph.shape.vertex_count = vertices;
  graph.shape.directed = directed;
  graph.shape.names = VertexNames::sequence(0, vertices);
  return graph;
}

inline VertexId vertex(std::uint64_t number) {
  return VertexId(static_cast<std::uint32_t>(number));
}

}  // namespace leeway::generators
