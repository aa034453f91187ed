// Distances from a source (AAP §5.1). PEval finds the shortest paths of a fragment. IncEval continues from the
// vertices for which messages brought shorter paths, and visits only vertices whose paths become shorter (Ramalingam
// & Reps, J. Algorithms 21, 1996). Both process buckets of width delta in ascending order (Meyer & Sanders, J.
// Algorithms 49, 2003); with one bucket per length this is Dijkstra's order. A round may end before all buckets are
// processed, after a step of a bucket.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bucket_queue.h"
#include "datasets/graph.h"
#include "leeway/pie_program.h"
#include "programs/sssp/vertex.h"

namespace leeway::pie {

/// `Length`: a real number for weighted graphs, an integer for hop counts.
template <class Length>
class Paths {
 public:
  using Value = Length;
  using Result = Length;
  static constexpr bool kAlwaysRests = true;  // lengths only decrease, over a finite set
  static constexpr bool kWeighted = std::is_floating_point_v<Length>;
  static constexpr Length kFar =
      kWeighted ? std::numeric_limits<Length>::infinity() : std::numeric_limits<Length>::max();

  struct Partial {
    std::vector<Length> length;          // by place
    BucketQueue queue = BucketQueue(1);  // places; empty if the fragment is inactive
    std::vector<std::uint32_t> work;
  };

  /// Weights must be at least 0. `arcs_a_round`: a round ends after visiting this number of arcs, and the next one
  /// continues, so that short paths are sent while longer ones are searched; 0: a round ends when no path becomes
  /// shorter.
  Paths(const Graph& graph, VertexId source, std::uint64_t arcs_a_round = 0)
      : Paths(graph, kWeighted ? sum_of(graph.weights()) : 0, source, arcs_a_round) {}
  /// `weights`: the sum of all weights.
  Paths(const GraphTotals& graph, double weights, VertexId source, std::uint64_t arcs_a_round)
      : source_(source),
        delta_(kWeighted ? search_width(graph, weights) : 1),
        arcs_a_round_(arcs_a_round > 0 ? arcs_a_round : std::numeric_limits<std::uint64_t>::max()) {
  }

  [[nodiscard]] static FragmentNeeds needs() { return {.lists = Reads::Out, .weights = kWeighted}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Length& kept, const Length& come) { kept = std::min(kept, come); }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.length.assign(fragment.vertex_count(), kFar);
    partial.queue = empty_queue();
    const auto source = fragment.find(source_);
    if (!source) return {};
    partial.length[*source] = 0;
    if (*source < fragment.listed_count()) put(partial.queue, *source, 0);
    return settle(fragment, partial, changes);
  }

  /// A saved length is that of an existing path, so shortest paths are found from any saved state.
  Work peval_from(const Fragment& fragment, Partial& partial, std::span<const Length> found,
                  Changes& changes) const {
    partial.length.assign(fragment.vertex_count(), kFar);
    partial.queue = empty_queue();
    const auto begin_at = [&](Place place, Length length) {
      partial.length[place] = length;
      if (changes.border()) changes.mark(place);
      // mutant: a-fragment-sends-nothing-after-a-restart
      if (place < fragment.listed_count()) put(partial.queue, place, length);
    };
    for (Place p = 0; p < fragment.inner_count(); ++p) {
      if (found[p] != kFar) begin_at(p, found[p]);
    }
    if (const auto source = fragment.find(source_)) begin_at(*source, 0);
    return settle(fragment, partial, changes);
  }

  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Length>> updates,
               Changes& changes) const {
    for (const auto& update : updates) {
      if (update.value >= partial.length[update.place]) continue;
      partial.length[update.place] = update.value;
      if (changes.border()) changes.mark(update.place);
      if (update.place < fragment.listed_count()) put(partial.queue, update.place, update.value);
    }
    return settle(fragment, partial, changes);
  }

  [[nodiscard]] bool unfinished(const Partial& partial) const { return !partial.queue.empty(); }
  [[nodiscard]] double backlog(const Fragment&, const Partial& partial) const {
    return static_cast<double>(partial.queue.size());
  }
  [[nodiscard]] bool matters(const Partial& partial, const Update<Length>& update) const {
    return update.value < partial.length[update.place];
  }

  [[nodiscard]] Length parameter(const Fragment&, Partial& partial, Place place) const {
    return partial.length[place];
  }
  [[nodiscard]] Length result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.length[inner];
  }

 protected:
  [[nodiscard]] BucketQueue empty_queue() const { return BucketQueue(delta_); }
  static void put(BucketQueue& queue, Place place, Length length) {
    if constexpr (kWeighted) {
      queue.add(place, length);
    } else {
      queue.put(place, length);
    }
  }
  [[nodiscard]] static std::size_t bucket_of(const BucketQueue& queue, Length length) {
    if constexpr (kWeighted) {
      return queue.bucket_of(length);
    } else {
      return length;
    }
  }

  /// Processes buckets until no path becomes shorter or the round has visited enough arcs.
  Work settle(const Fragment& fragment, Partial& partial, Changes& changes) const {
    return changes.border() ? settle<true>(fragment, partial, changes)
                            : settle<false>(fragment, partial, changes);
  }

 private:
  template <bool kBorder>
  Work settle(const Fragment& fragment, Partial& partial, Changes& changes) const {
    const std::uint64_t* const offsets = fragment.offsets();
    const std::uint32_t* const targets = fragment.targets();
    const double* const weights = fragment.weights();
    Length* const length = partial.length.data();
    const std::uint32_t inner = fragment.inner_count();
    const std::uint32_t listed = fragment.listed_count();
    BucketQueue& queue = partial.queue;
    Work work;
    while (work.edges < arcs_a_round_) {
      const std::size_t bucket = queue.take(partial.work);
      if (bucket == BucketQueue::none()) break;
      for (const std::uint32_t v : partial.work) {
        const Length reached = length[v];
        // It was processed with an earlier bucket; uses the rounding that chose the bucket.
        if (bucket_of(queue, reached) < bucket) continue;
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
          if (target < listed) put(queue, target, through);
        }
      }
      partial.work.clear();
    }
    return work;
  }

  VertexId source_;
  double delta_;
  std::uint64_t arcs_a_round_;
};

/// Arcs per round if several workers search at the same time. With fewer, messages cost more than they save. With
/// more, they arrive late, and vertices are visited again.
[[nodiscard]] inline std::uint64_t arcs_a_round(const GraphTotals& graph, std::uint32_t workers) {
  constexpr std::uint64_t kRounds = 16;  // minimum number of rounds to visit all arcs of a fragment
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 14;
  return workers < 2 ? 0 : std::max(kLeast, graph.arcs / workers / kRounds);
}

[[nodiscard]] inline std::uint64_t arcs_a_round(const GraphTotals& graph,
                                                const RunOptions& options) {
  return arcs_a_round(graph, std::max(options.pie.workers, options.cluster.nodes));
}

using PieSssp = Paths<double>;
using PieBfs = Paths<std::uint32_t>;

}  // namespace leeway::pie
