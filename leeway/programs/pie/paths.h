// Distances from a source (AAP §5.1). PEval finds the shortest paths of a fragment, IncEval goes on from the
// vertices to which messages brought shorter ones, and walks nothing but what becomes shorter by them
// (Ramalingam & Reps, J. Algorithms 21, 1996). Both work off buckets of width delta, best first (Meyer &
// Sanders, J. Algorithms 49, 2003); with one delta a path, that is Dijkstra's order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/runtime/pie/program.h"

namespace leeway::pie {

/// Lengths are reals along weighted arcs, or whole numbers of arcs.
template <class Length>
class Paths {
 public:
  using Value = Length;
  using Result = Length;
  static constexpr bool kWeighted = std::is_floating_point_v<Length>;
  static constexpr Length kFar =
      kWeighted ? std::numeric_limits<Length>::infinity() : std::numeric_limits<Length>::max();

  struct Partial {
    std::vector<Length> length;                       // by place
    std::vector<std::vector<std::uint32_t>> buckets;  // places; empty between rounds
    std::vector<std::uint32_t> work;
  };

  /// Weights must be at least 0.
  Paths(const Graph& graph, VertexId source) : source_(source), delta_(delta_of(graph)) {}

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out, .weights = kWeighted}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Length& kept, const Length& come) { kept = std::min(kept, come); }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.length.assign(fragment.vertex_count(), kFar);
    const auto source = fragment.find(source_);
    if (!source) return {};
    partial.length[*source] = 0;
    if (*source < fragment.listed_count()) put(partial, *source, 0, 0);
    return settle(fragment, partial, changes, 0);
  }

  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Length>> updates,
               Changes& changes) const {
    Length least = kFar;
    for (const auto& update : updates) {
      if (update.value < partial.length[update.place]) least = std::min(least, update.value);
    }
    if (least == kFar) return {};
    const std::size_t first = bucket(least);
    for (const auto& update : updates) {
      if (update.value >= partial.length[update.place]) continue;
      partial.length[update.place] = update.value;
      if (changes.border()) changes.mark(update.place);
      if (update.place < fragment.listed_count())
        put(partial, update.place, bucket(update.value), first);
    }
    return settle(fragment, partial, changes, first);
  }

  [[nodiscard]] Length parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.length[place];
  }
  [[nodiscard]] Length result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.length[inner];
  }

 private:
  [[nodiscard]] static double delta_of(const Graph& graph) {
    if (!kWeighted || !graph.weighted() || graph.arc_count() == 0) return 1;
    double sum = 0;
    for (const double weight : graph.weights()) sum += weight;
    // The more arcs a vertex has, the narrower a bucket may be before it holds too little work.
    const auto arcs = static_cast<double>(graph.arc_count());
    const double degree = std::max(arcs / graph.vertex_count(), 1.0);
    return std::max(sum / arcs * 8 / degree, 1e-300);
  }

  [[nodiscard]] std::size_t bucket(Length length) const {
    if constexpr (kWeighted) {
      return static_cast<std::size_t>(length * (1 / delta_));
    } else {
      return length;
    }
  }

  static void put(Partial& partial, Place place, std::size_t to, std::size_t first) {
    if (to - first >= partial.buckets.size()) partial.buckets.resize(to - first + 1);
    partial.buckets[to - first].push_back(place);
  }

  /// Works the buckets off from `first` on, until nothing becomes shorter.
  Work settle(const Fragment& fragment, Partial& partial, Changes& changes,
              std::size_t first) const {
    return changes.border() ? settle<true>(fragment, partial, changes, first)
                            : settle<false>(fragment, partial, changes, first);
  }

  template <bool kBorder>
  Work settle(const Fragment& fragment, Partial& partial, Changes& changes,
              std::size_t first) const {
    const std::uint64_t* const offsets = fragment.offsets();
    const std::uint32_t* const targets = fragment.targets();
    const double* const weights = fragment.weights();
    Length* const length = partial.length.data();
    const std::uint32_t inner = fragment.inner_count();
    const std::uint32_t listed = fragment.listed_count();
    const double per_delta = 1 / delta_;
    Work work;
    for (std::size_t b = 0; b < partial.buckets.size(); ++b) {
      while (!partial.buckets[b].empty()) {
        partial.work.swap(partial.buckets[b]);
        for (const std::uint32_t v : partial.work) {
          const Length reached = length[v];
          // By the same rounding that chose its bucket: it was worked off with an earlier one.
          if constexpr (kWeighted) {
            if (static_cast<std::size_t>(reached * per_delta) < b + first) continue;
          } else {
            if (reached < b + first) continue;
          }
          ++work.vertices;
          work.edges += offsets[v + std::size_t{1}] - offsets[v];
          for (std::uint64_t arc = offsets[v]; arc < offsets[v + std::size_t{1}]; ++arc) {
            const std::uint32_t target = targets[arc];
            Length through = reached;
            if constexpr (kWeighted) {
              through += weights == nullptr ? 1 : weights[arc];
            } else {
              through += 1;
            }
            if (through >= length[target]) continue;
            length[target] = through;
            if (kBorder || target >= inner) changes.mark(target);
            if (target >= listed) continue;
            std::size_t to = b;
            if constexpr (kWeighted) {
              to = std::max(b, static_cast<std::size_t>(through * per_delta) - first);
            } else {
              to = through - first;
            }
            if (to >= partial.buckets.size()) partial.buckets.resize(to + 1);
            partial.buckets[to].push_back(target);
          }
        }
        partial.work.clear();
      }
    }
    partial.buckets.clear();
    return work;
  }

  VertexId source_;
  double delta_;
};

using Sssp = Paths<double>;
using Bfs = Paths<std::uint32_t>;

}  // namespace leeway::pie
