// The generators without chance.
#include "leeway/datasets/generate.h"
#include "leeway/datasets/generate_parts.h"

namespace leeway {

using generators::listed;
using generators::make_edges;
using generators::vertex;

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
