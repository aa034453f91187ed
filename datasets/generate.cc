// Generators of stencil matrices, random models, and deterministic graphs.

#include "datasets/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/parallel.h"
#include "base/random.h"

namespace leeway {

namespace {

/// Calls `emit(index, builder)` in parallel for each index of `options.share` among [0, count), and returns the added edges
/// in the order of the indices. Chunks have a fixed size, so the result does not depend on the number of threads.
template <class Emit>
Result<EdgeList> make_edges(std::uint64_t count, const LoadOptions& options, WeightKind kind,
                            const Emit& emit) {
  const unsigned threads = thread_count(options.threads);
  const std::uint64_t first = options.share.begin(count);
  const std::uint64_t items = options.share.end(count) - first;
  if (options.progress != nullptr) options.progress->start("generating", items, "items");
  constexpr std::uint64_t kChunkItems = std::uint64_t{1} << 18;
  const std::uint64_t chunks = (items + kChunkItems - 1) / kChunkItems;
  EdgeList list;
  list.weight_kind = kind;
  list.chunks.resize(chunks);
  std::vector<std::optional<Error>> errors(std::max(1u, threads));
  parallel_chunks(chunks, threads, [&](unsigned thread, std::size_t begin, std::size_t end) {
    EdgeChunkBuilder builder;
    for (std::uint64_t chunk = begin; chunk < end; ++chunk) {
      const std::uint64_t last = std::min(items, (chunk + 1) * kChunkItems);
      for (std::uint64_t item = chunk * kChunkItems; item < last; ++item)
        emit(first + item, builder);
      auto packed = builder.finish();
      if (!packed) {
        errors[thread] = packed.error();
        return;
      }
      list.chunks[chunk] = std::move(*packed);
      if (options.progress != nullptr) options.progress->add(last - chunk * kChunkItems);
    }
  });
  for (auto& error : errors) {
    if (error) return fail(std::move(*error));
  }
  return list;
}

/// The edges with `vertices` vertices, named by their numbers.
Result<ListedGraph> listed(Result<EdgeList> edges, std::uint32_t vertices, bool directed) {
  if (!edges) return fail(std::move(edges).error());
  ListedGraph graph;
  graph.edges = std::move(*edges);
  graph.shape.vertex_count = vertices;
  graph.shape.directed = directed;
  graph.shape.names = VertexNames::sequence(0, vertices);
  return graph;
}

VertexId vertex(std::uint64_t number) { return VertexId(static_cast<std::uint32_t>(number)); }

struct StencilEntry {
  int dx, dy, dz;
  double value;
};

/// The entries of a matrix row in ascending order of the column.
std::array<StencilEntry, 11> entries_of(const Stencil& s) {
  return {{{0, 0, -1, s.below},
           {-1, -1, 0, s.along},
           {0, -1, 0, s.south},
           {1, -1, 0, s.across},
           {-1, 0, 0, s.west},
           {0, 0, 0, s.centre},
           {1, 0, 0, s.east},
           {-1, 1, 0, s.across},
           {0, 1, 0, s.north},
           {1, 1, 0, s.along},
           {0, 0, 1, s.above}}};
}

}  // namespace

Result<ListedGraph> list_stencil(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                                 const Stencil& stencil, const LoadOptions& options) {
  const std::uint64_t plane = std::uint64_t{width} * height;
  const auto entries = entries_of(stencil);
  const bool diagonals =
      stencil.along < 0 || stencil.along > 0 || stencil.across < 0 || stencil.across > 0;
  const auto emit = [&](std::uint64_t row, EdgeChunkBuilder& builder) {
    const auto x = static_cast<std::int64_t>(row % width);
    const auto y = static_cast<std::int64_t>(row / width % height);
    const auto z = static_cast<std::int64_t>(row / plane);
    for (const StencilEntry& entry : entries) {
      if (entry.dx != 0 && entry.dy != 0 && !diagonals) continue;
      const std::int64_t nx = x + entry.dx;
      const std::int64_t ny = y + entry.dy;
      const std::int64_t nz = z + entry.dz;
      if (nx < 0 || ny < 0 || nz < 0 || nx >= width || ny >= height || nz >= depth) continue;
      const auto column =
          static_cast<std::uint64_t>(nx + ny * width) + static_cast<std::uint64_t>(nz) * plane;
      builder.add(vertex(row), vertex(column), entry.value);
    }
  };
  return listed(make_edges(plane * depth, options, WeightKind::Real, emit),
                static_cast<std::uint32_t>(plane * depth), true);
}

Stencil anisotropic_stencil(double epsilon, double degrees) {
  // The rotated tensor: a u_xx + 2 b u_xy + c u_yy; the mixed difference uses the four diagonal neighbours.
  const double angle = degrees * std::numbers::pi / 180;
  const bool rotated = std::fmod(degrees, 90) < 0 || std::fmod(degrees, 90) > 0;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double a = cosine * cosine + epsilon * sine * sine;
  const double b = rotated ? (1 - epsilon) * cosine * sine : 0;
  const double c = sine * sine + epsilon * cosine * cosine;
  Stencil stencil;
  stencil.centre = 2 * (a + c);
  stencil.west = stencil.east = -a;
  stencil.south = stencil.north = -c;
  stencil.along = -b / 2;
  stencil.across = b / 2;
  return stencil;
}

Stencil atmosphere_stencil() {
  constexpr double kWind = 0.75;   // cell Péclet number: upwind differences along x
  constexpr double kLayers = 4.0;  // layers are closer together than columns
  Stencil stencil;
  stencil.west = -1 - kWind;
  stencil.east = -1;
  stencil.south = -1 - kWind / 2;
  stencil.north = -1;
  stencil.below = -kLayers;
  stencil.above = -kLayers;
  stencil.centre = -(stencil.west + stencil.east + stencil.south + stencil.north + stencil.below +
                     stencil.above);
  return stencil;
}

// Random models. The i-th number of a random stream is a pure function of seed and stream (base/random.h), so the
// numbers drawn for an edge depend only on its index.

namespace {

/// Random streams of one seed, one for each purpose.
enum Stream : std::uint64_t { kLabels = 1, kDegrees = 2, kHalves = 3, kEdges = 1000 };

/// Fisher-Yates shuffle; sequential, because each swap depends on the previous ones.
template <class T>
void shuffle(std::vector<T>& values, Random random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[random.below(left)]);
  }
}

}  // namespace

Result<ListedGraph> list_kron(unsigned scale, std::uint64_t degree, const LoadOptions& options) {
  const std::uint64_t count = std::uint64_t{1} << scale;
  std::vector<std::uint32_t> label(count);
  std::iota(label.begin(), label.end(), 0u);
  shuffle(label, Random(options.seed, kLabels));
  const auto emit = [&](std::uint64_t edge, EdgeChunkBuilder& builder) {
    // One quadrant for each level: a = 0.57, b = 0.19, c = 0.19, d = 0.05.
    Random random(options.seed, kEdges + edge);
    std::uint64_t source = 0;
    std::uint64_t target = 0;
    for (unsigned level = 0; level < scale; ++level) {
      const double draw = random.unit();
      source = source << 1 | (draw >= 0.76 ? 1 : 0);
      target = target << 1 | ((draw >= 0.57 && draw < 0.76) || draw >= 0.95 ? 1 : 0);
    }
    builder.add(vertex(label[source]), vertex(label[target]));
  };
  return listed(make_edges(count * degree, options, WeightKind::None, emit),
                static_cast<std::uint32_t>(count), false);
}

Result<ListedGraph> list_uniform(std::uint32_t vertices, std::uint64_t edges,
                                 const LoadOptions& options) {
  const auto emit = [&](std::uint64_t edge, EdgeChunkBuilder& builder) {
    Random random(options.seed, kEdges + edge);
    const auto source = random.below(vertices);
    const auto target = random.below(vertices);
    builder.add(vertex(source), vertex(target));
  };
  return listed(make_edges(edges, options, WeightKind::None, emit), vertices, false);
}

Result<ListedGraph> list_dominant(std::uint32_t rows, std::uint32_t entries,
                                  const LoadOptions& options) {
  constexpr double kDominance = 1.25;
  const auto emit = [&](std::uint64_t row, EdgeChunkBuilder& builder) {
    Random random(options.seed, kEdges + row);
    std::vector<std::uint64_t> columns(entries);  // numbered without the diagonal
    std::iota(columns.begin(), columns.end(), std::uint64_t{0});
    if (entries < rows - 1) {
      // Floyd's method: each set of columns is equally probable.
      std::set<std::uint64_t> drawn;
      for (std::uint64_t last = rows - 1 - entries; last < rows - 1; ++last) {
        if (!drawn.insert(random.below(last + 1)).second) drawn.insert(last);
      }
      columns.assign(drawn.begin(), drawn.end());
    }
    double sum = 0;
    for (const std::uint64_t column : columns) {
      const double value = random.unit();
      sum += value;
      builder.add(vertex(row), vertex(column < row ? column : column + 1), value);
    }
    builder.add(vertex(row), vertex(row), sum > 0 ? kDominance * sum : 1);
  };
  return listed(make_edges(rows, options, WeightKind::Real, emit), rows, true);
}

Result<ListedGraph> list_small_world(std::uint32_t vertices, std::uint32_t degree, double rewire,
                                     const LoadOptions& options) {
  const std::uint64_t half = degree / 2;
  const auto emit = [&](std::uint64_t v, EdgeChunkBuilder& builder) {
    Random random(options.seed, kEdges + v);
    std::vector<std::uint64_t> ends;  // a redrawn end differs from v and from its other ends
    for (std::uint64_t step = 1; step <= half; ++step) ends.push_back((v + step) % vertices);
    for (std::uint64_t i = 0; i < half; ++i) {
      if (random.chance(rewire)) {
        std::uint64_t end = random.below(vertices);
        while (end == v || std::find(ends.begin(), ends.end(), end) != ends.end())
          end = random.below(vertices);
        ends[i] = end;
      }
      builder.add(vertex(v), vertex(ends[i]));
    }
  };
  return listed(make_edges(vertices, options, WeightKind::None, emit), vertices, false);
}

namespace {

/// Draws degrees by inversion of the cumulative distribution. If the sum is odd, vertex 0 gets one more half-edge.
std::vector<std::uint32_t> power_law_degrees(std::uint32_t vertices, double exponent,
                                             std::uint64_t seed) {
  const auto largest = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::sqrt(vertices)));
  std::vector<double> cumulated(largest);
  double sum = 0;
  for (std::uint32_t k = 1; k <= largest; ++k) cumulated[k - 1] = sum += std::pow(k, -exponent);
  const Random random(seed, kDegrees);
  std::vector<std::uint32_t> degrees(vertices);
  std::uint64_t half_edges = 0;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const double draw = Random::to_unit(random.at(v)) * sum;
    const auto found = std::upper_bound(cumulated.begin(), cumulated.end() - 1, draw);
    degrees[v] = static_cast<std::uint32_t>(found - cumulated.begin()) + 1;
    half_edges += degrees[v];
  }
  if (half_edges % 2 == 1) ++degrees[0];
  return degrees;
}

}  // namespace

Result<ListedGraph> list_power_law(std::uint32_t vertices, double exponent,
                                   const LoadOptions& options) {
  const auto degrees = power_law_degrees(vertices, exponent, options.seed);
  std::vector<std::uint32_t> half_edges;
  half_edges.reserve(std::accumulate(degrees.begin(), degrees.end(), std::uint64_t{0}));
  for (std::uint32_t v = 0; v < vertices; ++v) half_edges.insert(half_edges.end(), degrees[v], v);
  shuffle(half_edges, Random(options.seed, kHalves));
  const auto emit = [&](std::uint64_t edge, EdgeChunkBuilder& builder) {
    builder.add(vertex(half_edges[2 * edge]), vertex(half_edges[2 * edge + 1]));
  };
  return listed(make_edges(half_edges.size() / 2, options, WeightKind::None, emit), vertices,
                false);
}

// Deterministic generators.

Result<ListedGraph> list_grid(std::uint32_t width, std::uint32_t height, std::uint32_t depth,
                              const LoadOptions& options) {
  const std::uint64_t plane = std::uint64_t{width} * height;
  const std::uint64_t count = plane * depth;
  const auto emit = [&](std::uint64_t v, EdgeChunkBuilder& builder) {
    if (v % width + 1 < width) builder.add(vertex(v), vertex(v + 1));
    if (v / width % height + 1 < height) builder.add(vertex(v), vertex(v + width));
    if (v / plane + 1 < depth) builder.add(vertex(v), vertex(v + plane));
  };
  return listed(make_edges(count, options, WeightKind::None, emit),
                static_cast<std::uint32_t>(count), false);
}

Result<ListedGraph> list_path(std::uint32_t vertices, const LoadOptions& options) {
  return list_grid(vertices, 1, 1, options);
}

Result<ListedGraph> list_cycle(std::uint32_t vertices, const LoadOptions& options) {
  if (vertices < 3) return list_path(vertices, options);
  const auto emit = [&](std::uint64_t v, EdgeChunkBuilder& builder) {
    builder.add(vertex(v), vertex((v + 1) % vertices));
  };
  return listed(make_edges(vertices, options, WeightKind::None, emit), vertices, false);
}

Result<ListedGraph> list_star(std::uint32_t vertices, const LoadOptions& options) {
  const auto emit = [](std::uint64_t v, EdgeChunkBuilder& builder) {
    builder.add(vertex(0), vertex(v + 1));
  };
  return listed(make_edges(vertices == 0 ? 0 : vertices - 1, options, WeightKind::None, emit),
                vertices, false);
}

Result<ListedGraph> list_tree(std::uint32_t vertices, std::uint32_t arity,
                              const LoadOptions& options) {
  const auto emit = [&](std::uint64_t v, EdgeChunkBuilder& builder) {
    builder.add(vertex(v / arity), vertex(v + 1));
  };
  return listed(make_edges(vertices == 0 ? 0 : vertices - 1, options, WeightKind::None, emit),
                vertices, false);
}

Result<ListedGraph> list_complete(std::uint32_t vertices, const LoadOptions& options) {
  const auto emit = [&](std::uint64_t v, EdgeChunkBuilder& builder) {
    for (std::uint64_t u = v + 1; u < vertices; ++u) builder.add(vertex(v), vertex(u));
  };
  return listed(make_edges(vertices, options, WeightKind::None, emit), vertices, false);
}

}  // namespace leeway
