#include "leeway/datasets/build_graph.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/parallel.h"
#include "leeway/base/progress.h"
#include "leeway/datasets/arrange_lists.h"

namespace leeway {

namespace {

/// How listed edges become arcs, and how many threads make them.
struct Recipe {
  ArcRule rule;
  unsigned threads = 1;
};

std::uint64_t expected_arcs(const EdgeList& edges, const Recipe& recipe) {
  std::uint64_t loops = 0;
  for (const auto& chunk : edges.chunks) {
    chunk.for_each([&](std::size_t, VertexId s, VertexId t) { loops += s == t ? 1 : 0; });
  }
  const std::uint64_t plain = edges.size() - loops;
  return plain * (recipe.rule.mirror ? 2 : 1) + (recipe.rule.drop_loops ? 0 : loops);
}

/// Leaves each vertex's number of arcs in slot v + 1.
void count_arcs(const EdgeList& edges, const Recipe& recipe, std::span<std::uint64_t> slots) {
  parallel_chunks(slots.size() - 1, recipe.threads,
                  [&](unsigned, std::size_t begin, std::size_t end) {
                    const auto owned = end - begin;
                    std::uint64_t* mine = slots.data() + 1;
                    for (const auto& chunk : edges.chunks) {
                      for_each_arc(chunk, recipe.rule, [&](std::size_t, VertexId source, VertexId) {
                        if (source.index() - begin < owned) ++mine[source.index()];
                      });
                    }
                  });
}

/// Slot v + 1 goes from v's count to the place of v's first arc; returns the sum.
std::uint64_t counts_to_places(std::span<std::uint64_t> slots) {
  std::uint64_t place = 0;
  for (auto& slot : slots.subspan(1)) place += std::exchange(slot, place);
  return place;
}

/// The first vertex of each thread's share: shares hold about as many arcs each.
std::vector<std::size_t> share_vertices(std::span<const std::uint64_t> places, std::uint64_t arcs,
                                        unsigned threads) {
  std::vector<std::size_t> first(threads + 1, 0);
  for (unsigned t = 1; t < threads; ++t) {
    const auto wanted = arcs / threads * t;
    const auto found = std::lower_bound(places.begin() + 1, places.end(), wanted);
    first[t] = static_cast<std::size_t>(found - places.begin() - 1);
  }
  first[threads] = places.size() - 1;
  return first;
}

/// Each thread walks all chunks in order and places the arcs of its own vertices, so lists keep the
/// order of the edges; whoever leaves a chunk last frees it. A place moves on to the next vertex's.
void place_arcs(EdgeList& edges, const Recipe& recipe, GraphParts& parts,
                const std::vector<std::size_t>& shares) {
  std::vector<std::atomic<unsigned>> readers(edges.chunks.size());
  for (auto& count : readers) count = recipe.threads;
  std::uint64_t* places = parts.offsets.mutable_span().data() + 1;
  VertexId* targets = parts.targets.mutable_span().data();
  double* weights = parts.weights.empty() ? nullptr : parts.weights.mutable_span().data();
  double* imaginary = parts.imaginary.empty() ? nullptr : parts.imaginary.mutable_span().data();
  parallel_chunks(recipe.threads, recipe.threads, [&](unsigned thread, std::size_t, std::size_t) {
    const std::size_t begin = shares[thread];
    const std::size_t owned = shares[thread + 1] - begin;
    for (std::size_t c = 0; c < edges.chunks.size(); ++c) {
      const EdgeChunk& chunk = edges.chunks[c];
      for_each_arc(chunk, recipe.rule, [&](std::size_t index, VertexId source, VertexId target) {
        if (source.index() - begin >= owned) return;
        const std::uint64_t place = places[source.index()]++;
        targets[place] = target;
        if (weights != nullptr) weights[place] = chunk.weights()[index];
        if (imaginary != nullptr) imaginary[place] = chunk.imaginary()[index];
      });
      if (readers[c].fetch_sub(1) == 1) edges.chunks[c] = EdgeChunk{};
    }
  });
}

}  // namespace

ArcRule arc_rule(const GraphShape& shape, const LoadOptions& options) {
  const bool as_listed = options.direction == Direction::Auto
                             ? shape.directed
                             : options.direction == Direction::Directed;
  ArcRule rule;
  rule.directed = as_listed && !options.symmetrize;
  rule.mirror = !rule.directed && !(shape.from_both_ends && !shape.directed);
  rule.drop_loops = options.self_loops == SelfLoops::Drop;
  return rule;
}

Result<Graph> build_graph(ListedGraph listed, const LoadOptions& options) {
  return build_graph(std::move(listed.edges), std::move(listed.shape), options);
}

Result<Graph> build_graph(EdgeList edges, GraphShape shape, const LoadOptions& options) {
  LEEWAY_TRY(check_weight_range(options));
  const Recipe recipe{arc_rule(shape, options), thread_count(options.threads)};
  if (options.progress != nullptr) options.progress->start("arranging the edges");
  GraphParts parts;
  parts.directed = recipe.rule.directed;
  parts.left_count = shape.left_count;
  parts.names = std::move(shape.names);
  parts.weight_kind = options.weights == Weights::File ? edges.weight_kind : WeightKind::None;
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(std::size_t{shape.vertex_count} + 1));
  const std::uint64_t expected = expected_arcs(edges, recipe);
  count_arcs(edges, recipe, parts.offsets.mutable_span());
  const std::uint64_t arcs = counts_to_places(parts.offsets.mutable_span());
  LEEWAY_CHECK(arcs == expected);  // else some end is not below vertex_count
  LEEWAY_ASSIGN(parts.targets, Array<VertexId>::make(arcs));
  if (parts.weight_kind != WeightKind::None) {
    LEEWAY_ASSIGN(parts.weights, Array<double>::make(arcs));
  }
  if (parts.weight_kind == WeightKind::Complex) {
    LEEWAY_ASSIGN(parts.imaginary, Array<double>::make(arcs));
  }
  const auto shares = share_vertices(parts.offsets.span(), arcs, recipe.threads);
  place_arcs(edges, recipe, parts, shares);
  edges.chunks.clear();
  arrange_lists(parts, shares, options);
  if (options.weights == Weights::Random)
    LEEWAY_TRY(draw_weights(parts, shape.first, shares, options));
  return Graph(std::move(parts));
}

}  // namespace leeway
