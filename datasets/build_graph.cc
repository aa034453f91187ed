#include "datasets/build_graph.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/array.h"
#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/random.h"

namespace leeway {

namespace {

template <class T>
Result<Array<T>> pack(std::vector<T>& values) {
  auto array = Array<T>::copy_of(values);
  values.clear();  // keeps the capacity for the next chunk
  return array;
}

}  // namespace

Result<EdgeChunk> EdgeChunkBuilder::finish() {
  LEEWAY_CHECK((weights_.empty() || weights_.size() == targets_.size()));
  EdgeChunk chunk;
  LEEWAY_ASSIGN(chunk.starts_, pack(starts_));
  LEEWAY_ASSIGN(chunk.sources_, pack(sources_));
  LEEWAY_ASSIGN(chunk.targets_, pack(targets_));
  LEEWAY_ASSIGN(chunk.weights_, pack(weights_));
  return chunk;
}

std::uint64_t EdgeList::size() const {
  std::uint64_t total = 0;
  for (const auto& chunk : chunks) total += chunk.size();
  return total;
}

std::uint64_t most_arcs(const Graph& graph) {
  std::uint64_t most = 0;
  for (VertexId v(0); v.index() < graph.vertex_count(); v = v.next())
    most = std::max<std::uint64_t>(most, graph.degree(v));
  return most;
}

namespace {

constexpr double kLargestExact = 9007199254740992.0;  // 2^53

/// The arcs of one vertex, writable.
struct ArcList {
  std::span<VertexId> targets;
  std::span<double> weights;
};

ArcList list_of(GraphArrays& parts, std::size_t vertex) {
  const std::uint64_t begin = parts.offsets[vertex];
  const std::uint64_t count = parts.offsets[vertex + 1] - begin;
  const auto part = [&](auto& array) {
    return array.empty() ? array.mutable_span() : array.mutable_span().subspan(begin, count);
  };
  return {part(parts.targets), part(parts.weights)};
}

void for_each_list(GraphArrays& parts, const std::vector<std::size_t>& shares,
                   const std::function<void(std::size_t vertex, ArcList list)>& work) {
  const auto threads = static_cast<unsigned>(shares.size() - 1);
  parallel_chunks(threads, threads, [&](unsigned thread, std::size_t, std::size_t) {
    for (std::size_t v = shares[thread]; v < shares[thread + 1]; ++v) work(v, list_of(parts, v));
  });
}

template <class T>
void permute(std::span<T> values, const std::vector<std::size_t>& order, std::vector<T>& scratch) {
  if (values.empty()) return;
  scratch.assign(values.begin(), values.end());
  for (std::size_t i = 0; i < order.size(); ++i) values[i] = scratch[order[i]];
}

void sort_list(ArcList list) {
  if (std::is_sorted(list.targets.begin(), list.targets.end())) return;
  if (list.weights.empty()) {
    std::sort(list.targets.begin(), list.targets.end());  // equal targets are indistinguishable
    return;
  }
  std::vector<std::size_t> order(list.targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list.targets[a] < list.targets[b]; });
  std::vector<VertexId> targets;
  std::vector<double> numbers;
  permute(list.targets, order, targets);
  permute(list.weights, order, numbers);
}

double merged(double kept, double next, MergeWeights how) {
  switch (how) {
    case MergeWeights::Sum:
      return kept + next;
    case MergeWeights::Min:
      return std::min(kept, next);
    case MergeWeights::Max:
      return std::max(kept, next);
    case MergeWeights::First:
      return kept;
    case MergeWeights::Last:
      return next;
  }
  LEEWAY_UNREACHABLE("merge rule", static_cast<int>(how));
}

/// Moves the distinct targets to the front and returns their number.
std::size_t merge_list(ArcList list, MergeWeights how) {
  if (list.targets.empty()) return 0;
  std::size_t kept = 0;
  for (std::size_t next = 1; next < list.targets.size(); ++next) {
    if (list.targets[next] == list.targets[kept]) {
      if (!list.weights.empty())
        list.weights[kept] = merged(list.weights[kept], list.weights[next], how);
      continue;
    }
    ++kept;
    list.targets[kept] = list.targets[next];
    if (!list.weights.empty()) list.weights[kept] = list.weights[next];
  }
  return kept + 1;
}

/// Keeps the first `counts[v]` arcs of every list, closes the gaps between lists and updates the offsets.
void close_gaps(GraphArrays& parts, std::span<const std::uint32_t> counts) {
  std::uint64_t place = 0;
  const auto offsets = parts.offsets.mutable_span();
  const auto move = [&](auto& array, std::uint64_t from, std::uint32_t count) {
    if (array.empty() || from == place) return;
    const auto values = array.mutable_span();
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), count,
                values.begin() + static_cast<std::ptrdiff_t>(place));
  };
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const std::uint64_t from = offsets[v];
    move(parts.targets, from, counts[v]);
    move(parts.weights, from, counts[v]);
    offsets[v] = place;
    place += counts[v];
  }
  offsets[counts.size()] = place;
  parts.targets.shrink(place);
  if (!parts.weights.empty()) parts.weights.shrink(place);
}

/// Merging may sum whole numbers beyond 2^53, where a double no longer represents every integer.
void update_weight_kind(GraphArrays& parts) {
  if (parts.weight_kind != WeightKind::Integer) return;
  const auto exact = [](double weight) { return std::abs(weight) <= kLargestExact; };
  if (!std::all_of(parts.weights.begin(), parts.weights.end(), exact)) {
    parts.weight_kind = WeightKind::Real;
  }
}

/// Sorts every adjacency list by target (stable), then merges duplicates if the options request it. Works in place;
/// thread t processes the vertices [shares[t], shares[t + 1]).
void arrange_lists(GraphArrays& parts, const std::vector<std::size_t>& shares,
                   const LoadOptions& options) {
  if (options.duplicates != Duplicates::Merge) {
    for_each_list(parts, shares, [](std::size_t, ArcList list) { sort_list(list); });
    return;
  }
  std::vector<std::uint32_t> counts(parts.offsets.size() - 1);
  for_each_list(parts, shares, [&](std::size_t v, ArcList list) {
    sort_list(list);
    counts[v] = static_cast<std::uint32_t>(merge_list(list, options.merge_weights));
  });
  close_gaps(parts, counts);
  update_weight_kind(parts);
}

/// An error if random weights are requested and their range contains no whole number.
Status check_weight_range(const LoadOptions& options) {
  if (options.weights != Weights::Random) return {};
  const double low = std::ceil(options.weight_low);
  const double high = std::floor(options.weight_high);
  if (low <= high && low >= -kLargestExact && high <= kLargestExact) return {};
  return fail(input_error(
      "random weights",
      format("no whole number is between {} and {}", options.weight_low, options.weight_high),
      "give a lowest and a highest weight below 2^53, lowest first"));
}

}  // namespace

Status draw_weights(GraphArrays& parts, std::uint64_t first, const std::vector<std::size_t>& shares,
                    const LoadOptions& options) {
  LEEWAY_ASSIGN(parts.weights, Array<double>::make(parts.targets.size()));
  parts.weight_kind = WeightKind::Integer;
  const double low = std::ceil(options.weight_low);
  const auto choices = static_cast<std::uint64_t>(std::floor(options.weight_high) - low) + 1;
  const bool ordered = parts.directed;
  for_each_list(parts, shares, [&](std::size_t v, ArcList list) {
    for (std::size_t i = 0; i < list.targets.size(); ++i) {
      std::uint64_t from = first + v;
      std::uint64_t to = list.targets[i].value();
      if (!ordered && from > to) std::swap(from, to);
      Random random(options.seed, from << 32 | to);
      list.weights[i] = low + static_cast<double>(random.below(choices));
    }
  });
  return {};
}

namespace {

/// The rule by which edges become arcs, and the number of threads.
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

/// Stores the out-degree of vertex v in slot v + 1.
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

/// Exclusive prefix sum: slot v + 1 changes from the degree of v to the index of v's first arc. Returns the sum.
std::uint64_t counts_to_places(std::span<std::uint64_t> slots) {
  std::uint64_t place = 0;
  for (auto& slot : slots.subspan(1)) place += std::exchange(slot, place);
  return place;
}

/// First vertex of each thread's share; all shares have about the same number of arcs.
std::vector<std::size_t> share_vertices(std::span<const std::uint64_t> places, std::uint64_t arcs,
                                        unsigned threads) {
  std::vector<std::size_t> first(threads + 1, 0);
  for (unsigned t = 1; t < threads; ++t) {
    const auto goal = arcs / threads * t;
    const auto found = std::lower_bound(places.begin() + 1, places.end(), goal);
    first[t] = static_cast<std::size_t>(found - places.begin() - 1);
  }
  first[threads] = places.size() - 1;
  return first;
}

/// Each thread traverses all chunks in order and places the arcs of the vertices in its share, so lists keep the order of
/// the edges. The last thread to finish a chunk frees it. Afterwards the slot of a vertex holds the index of the next
/// vertex's first arc.
void place_arcs(EdgeList& edges, const Recipe& recipe, GraphArrays& parts,
                const std::vector<std::size_t>& shares) {
  std::vector<std::atomic<unsigned>> readers(edges.chunks.size());
  for (auto& count : readers) count = recipe.threads;
  std::uint64_t* places = parts.offsets.mutable_span().data() + 1;
  VertexId* targets = parts.targets.mutable_span().data();
  double* weights = parts.weights.empty() ? nullptr : parts.weights.mutable_span().data();
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
  GraphArrays parts;
  parts.directed = recipe.rule.directed;
  parts.left_count = shape.left_count;
  parts.names = std::move(shape.names);
  parts.weight_kind = options.weights == Weights::File ? edges.weight_kind : WeightKind::None;
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(std::size_t{shape.vertex_count} + 1));
  const std::uint64_t expected = expected_arcs(edges, recipe);
  count_arcs(edges, recipe, parts.offsets.mutable_span());
  const std::uint64_t arcs = counts_to_places(parts.offsets.mutable_span());
  LEEWAY_CHECK(arcs == expected);  // fails if an end is not below vertex_count
  LEEWAY_ASSIGN(parts.targets, Array<VertexId>::make(arcs));
  if (parts.weight_kind != WeightKind::None) {
    LEEWAY_ASSIGN(parts.weights, Array<double>::make(arcs));
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
