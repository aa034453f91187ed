#include "leeway/programs/pie/pagerank.h"

#include <algorithm>
#include <utility>

namespace leeway::pie {

void PageRank::want(Partial& partial, Place place) {
  if (partial.queued[place] != 0) return;
  partial.queued[place] = 1;
  partial.later.push_back(place);
}

/// x_v into P_v.
void PageRank::add(Partial& partial, Changes& changes, Place place, double change) {
  partial.score[place] += change;
  if (!changes.border()) return;
  partial.added[place] += change;
  changes.mark(place);
}

void PageRank::pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
                       double change, Work& work) const {
  const std::uint64_t begin = fragment.offsets()[place];
  const std::uint64_t end = fragment.offsets()[place + std::size_t{1}];
  ++work.vertices;
  work.edges += end - begin;
  if (begin == end) return;
  const double share = options_.damping * change / static_cast<double>(fragment.degree(place));
  const double least_to_copy = options_.tolerance / fragment.fragment_count();
  const std::uint32_t inner = fragment.inner_count();
  double* const pending = partial.pending.data();
  for (std::uint64_t arc = begin; arc < end; ++arc) {
    const Place target = fragment.targets()[arc];
    const double now = pending[target] += share;
    if (target >= inner) {
      if (counts(now, least_to_copy)) changes.mark(target);
    } else if (!partial.much && counts(now, options_.tolerance)) {
      want(partial, target);
    }
  }
}

void PageRank::visit_queue(const Fragment& fragment, Partial& partial, Changes& changes,
                           Work& work) const {
  std::swap(partial.queue, partial.later);
  for (const Place place : partial.queue) {
    partial.queued[place] = 0;
    const double change = std::exchange(partial.pending[place], 0.0);
    add(partial, changes, place, change);
    pass_on(fragment, partial, changes, place, change, work);
  }
  partial.queue.clear();
}

/// All changes at once; what comes of them is pulled together, arc by arc, by those whom it reaches.
void PageRank::sweep(const Fragment& fragment, Partial& partial, Changes& changes,
                     Work& work) const {
  const std::uint32_t inner = fragment.inner_count();
  double* const pending = partial.pending.data();
  double* const share = partial.share.data();
  if (changes.border()) {
    for (Place p = 0; p < inner; ++p) {
      partial.added[p] += pending[p];
      changes.mark(p);
    }
  }
  for (Place p = 0; p < inner; ++p) {
    partial.score[p] += pending[p];
    share[p] = pending[p] * partial.per_arc[p];
  }
  const std::uint64_t* const offsets = fragment.back_offsets();
  const std::uint32_t* const sources = fragment.sources();
  std::uint64_t arc = 0;
  std::uint64_t left =
      0;  // about how much another pass has to do: of those who want one, what they pull
  const auto pulled = [&](Place p) {
    double sum = 0;
    for (const std::uint64_t end = offsets[p + std::size_t{1}]; arc < end; ++arc)
      sum += share[sources[arc]];
    return sum;
  };
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t before = arc;
    pending[p] = pulled(p);
    left += (arc - before + 1) * std::uint64_t{counts(pending[p], options_.tolerance)};
  }
  const double least_to_copy = options_.tolerance / fragment.fragment_count();
  for (Place p = inner; p < fragment.vertex_count(); ++p) {
    pending[p] += pulled(p);
    if (counts(pending[p], least_to_copy)) changes.mark(p);
  }
  work.vertices += inner;
  work.edges += arc;
  partial.much = is_much(fragment, left);
  if (!partial.much) want_all(partial, inner);
}

/// Too much for a queue, of which an arc costs so many times as much. From a start of 0 changes only go up,
/// and a queue, where each passes on what has come until its turn, needs fewer passes.
bool PageRank::is_much(const Fragment& fragment, std::uint64_t arcs) const {
  constexpr std::uint64_t kDearer = 8;
  return options_.start != 0 && arcs * kDearer > fragment.arc_count() + fragment.inner_count();
}

void PageRank::want_all(Partial& partial, std::uint32_t inner) const {
  for (Place p = 0; p < inner; ++p) {
    if (counts(partial.pending[p], options_.tolerance)) want(partial, p);
  }
}

/// Whether much has changed; the queue is filled if not.
void PageRank::choose(const Fragment& fragment, Partial& partial) const {
  const std::uint64_t* const offsets = fragment.offsets();
  const std::uint32_t inner = fragment.inner_count();
  std::uint64_t arcs = 0;
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t own = offsets[p + std::size_t{1}] - offsets[p] + 1;
    arcs += counts(partial.pending[p], options_.tolerance) ? own : 0;
  }
  partial.much = is_much(fragment, arcs);
  if (!partial.much) want_all(partial, inner);
}

/// A queue that has grown beyond what it is good for.
bool PageRank::outgrown(const Fragment& fragment, const Partial& partial) {
  constexpr std::size_t kFew = 32;
  return partial.later.size() > fragment.inner_count() / kFew;
}

Work PageRank::spread(const Fragment& fragment, Partial& partial, Changes& changes) const {
  Work work;
  for (std::uint32_t pass = 0; unfinished(partial); ++pass) {
    if (options_.passes > 0 && pass == options_.passes) break;
    if (options_.start != 0 && !partial.much && outgrown(fragment, partial)) {
      empty_queue(partial);
      choose(fragment, partial);
    }
    if (partial.much) {
      sweep(fragment, partial, changes, work);
    } else {
      visit_queue(fragment, partial, changes, work);
    }
  }
  return work;
}

void PageRank::empty_queue(Partial& partial) {
  for (const Place place : partial.later) partial.queued[place] = 0;
  partial.later.clear();
}

Work PageRank::peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
  const std::uint32_t inner = fragment.inner_count();
  const double fresh = 1 - options_.damping;
  partial.score.assign(inner, 0.0);
  partial.pending.assign(fragment.vertex_count(), 0.0);
  partial.queued.assign(inner, 0);
  partial.share.assign(fragment.vertex_count(), 0.0);
  partial.per_arc.resize(inner);
  if (changes.border()) partial.added.assign(inner, 0.0);
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t degree = fragment.degree(p);
    partial.per_arc[p] = degree > 0 ? options_.damping / static_cast<double>(degree) : 0;
    partial.pending[p] = options_.start != 0 && degree > 0 ? options_.start : fresh;
  }
  Work work;
  if (options_.start != 0) {
    // A start is a change like any other, of which each vertex then lacks so much less.
    sweep(fragment, partial, changes, work);
    for (Place p = 0; p < inner; ++p)
      partial.pending[p] += fresh - (partial.per_arc[p] > 0 ? options_.start : fresh);
  }
  empty_queue(partial);
  choose(fragment, partial);
  if (options_.start != 0 && options_.passes == 1) return work;
  const Work more = spread(fragment, partial, changes);
  return {.edges = work.edges + more.edges, .vertices = work.vertices + more.vertices};
}

Work PageRank::inceval(const Fragment& fragment, Partial& partial,
                       std::span<Update<double>> updates, Changes& changes) const {
  Work work;
  for (const auto& [place, value] : updates) {
    if (!fragment.is_inner(place)) {
      // The home of a vertex that is cut has added this; the copy passes it on along the arcs kept here.
      pass_on(fragment, partial, changes, place, value, work);
    } else if (counts(partial.pending[place] += value, options_.tolerance) && !partial.much) {
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

double mean_score(const Graph& graph, double damping) {
  double passing = 0;
  double kept = 0;  // of what they pass on
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto targets = graph.neighbors(v);
    if (targets.empty()) continue;
    passing += 1;
    const auto on = std::count_if(targets.begin(), targets.end(),
                                  [&](VertexId to) { return graph.degree(to) > 0; });
    kept += static_cast<double>(on) / static_cast<double>(targets.size());
  }
  return passing > 0 ? (1 - damping) / (1 - damping * kept / passing) : 0;
}

void scale_to_shares(std::span<double> scores) {
  double sum = 0;
  for (const double score : scores) sum += score;
  if (sum <= 0) return;
  for (double& score : scores) score /= sum;
}

}  // namespace leeway::pie
