#include "leeway/programs/pie/pagerank.h"

#include <utility>

namespace leeway::pie {

void PageRank::want(Partial& partial, Place place) const {
  if (partial.queued[place] != 0) return;
  partial.queued[place] = 1;
  partial.later.push_back(place);
}

void PageRank::pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
                       double change, Work& work) const {
  const std::uint64_t begin = fragment.offsets()[place];
  const std::uint64_t end = fragment.offsets()[place + std::size_t{1}];
  ++work.vertices;
  work.edges += end - begin;
  if (begin == end) return;
  const double share = damping_ * change / static_cast<double>(fragment.degree(place));
  const double least_to_copy = tolerance_ / fragment.fragment_count();
  const std::uint32_t inner = fragment.inner_count();
  double* const pending = partial.pending.data();
  for (std::uint64_t arc = begin; arc < end; ++arc) {
    const Place target = fragment.targets()[arc];
    const double now = pending[target] += share;
    if (target >= inner) {
      if (now > least_to_copy) changes.mark(target);
    } else if (now > tolerance_) {
      want(partial, target);
    }
  }
}

Work PageRank::spread(const Fragment& fragment, Partial& partial, Changes& changes) const {
  Work work;
  while (!partial.later.empty()) {
    std::swap(partial.queue, partial.later);
    for (const Place place : partial.queue) {
      partial.queued[place] = 0;
      const double change = std::exchange(partial.pending[place], 0.0);
      partial.score[place] += change;
      if (changes.border()) {
        partial.added[place] += change;
        changes.mark(place);
      }
      pass_on(fragment, partial, changes, place, change, work);
    }
    partial.queue.clear();
  }
  return work;
}

Work PageRank::peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
  const std::uint32_t inner = fragment.inner_count();
  partial.score.assign(inner, 0.0);
  partial.pending.assign(fragment.vertex_count(), 0.0);
  partial.queued.assign(inner, 0);
  if (changes.border()) partial.added.assign(inner, 0.0);
  for (Place p = 0; p < inner; ++p) {
    partial.pending[p] = 1 - damping_;
    want(partial, p);
  }
  return spread(fragment, partial, changes);
}

Work PageRank::inceval(const Fragment& fragment, Partial& partial,
                       std::span<Update<double>> updates, Changes& changes) const {
  Work work;
  for (const auto& [place, value] : updates) {
    if (!fragment.is_inner(place)) {
      // The home of a vertex that is cut has added this; the copy passes it on along the arcs kept here.
      pass_on(fragment, partial, changes, place, value, work);
    } else if ((partial.pending[place] += value) > tolerance_) {
      want(partial, place);
    }
  }
  const Work more = spread(fragment, partial, changes);
  work.vertices += more.vertices;
  work.edges += more.edges;
  return work;
}

double PageRank::parameter(const Fragment& fragment, Partial& partial, Place place) const {
  return std::exchange(fragment.is_inner(place) ? partial.added[place] : partial.pending[place],
                       0.0);
}

void scale_to_shares(std::span<double> scores) {
  double sum = 0;
  for (const double score : scores) sum += score;
  if (sum <= 0) return;
  for (double& score : scores) score /= sum;
}

}  // namespace leeway::pie
