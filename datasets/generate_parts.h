// What generators share: edges made side by side in chunks of fixed size, so that the list does not
// depend on the number of threads. Not for use outside generate*.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/base/parallel.h"
#include "leeway/base/progress.h"
#include "leeway/datasets/build_graph.h"

namespace leeway::generators {

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
