#include "programs/pagerank/pie.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "leeway/vertex.h"
#include "runtime/cluster/compute_threads.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/halo.h"
#include "runtime/graph/load_ahead.h"

namespace leeway::pie {

namespace {

/// A smaller change alters no score, because a score is at least 1 - d. With a tolerance below this, changes would be
/// propagated for ever: d times the smallest denormal number rounds to that number.
double least_tolerance(double damping) {
  return (1 - damping) * std::numeric_limits<double>::epsilon() / 2;
}

/// What a pass in place adds up.
struct PassSums {
  double scores = 0;
  double without_arcs = 0;  ///< scores of vertices without arcs
  Residual moved;

  void add(const PassSums& other) {
    scores += other.scores;
    without_arcs += other.without_arcs;
    moved.add(other.moved);
  }
};

/// A pass that computes scores from the present shares. Threads use what others have stored so far.
class InPlacePass {
 public:
  InPlacePass(const Fragment& fragment, PiePageRank::Partial& partial, double source)
      : offsets_(fragment.back_offsets()),
        sources_(fragment.sources()),
        per_arc_(partial.per_arc.data()),
        score_(partial.score.data()),
        shares_(partial.share.data()),
        source_(source),
        ahead_until_(loads_ahead_until(offsets_, fragment.inner_count(),
                                       fragment.inner_count() * sizeof(double))) {}

  [[nodiscard]] PassSums range(Place begin, Place end) const {
    const Place until = std::clamp(ahead_until_, begin, end);
    PassSums sums = part<kInputsAhead>(begin, until);
    sums.add(part<0>(until, end));
    return sums;
  }

 private:
  /// kAhead: as `ahead` of View::each_in.
  template <std::uint32_t kAhead>
  [[nodiscard]] PassSums part(Place begin, Place end) const {
    std::byte* const shares = reinterpret_cast<std::byte*>(shares_);
    PassSums sums;
    const std::uint32_t* at = sources_ + offsets_[begin];
    for (Place p = begin; p < end; ++p) {
      const std::uint32_t* const last = sources_ + offsets_[p + std::size_t{1}];
      StrandSum<double> sum;
      View<double>::each_in(
          shares, at, last, [&](double share, const std::uint32_t*) { sum.add(share); }, kAhead);
      at = last;
      const double now = source_ + sum.total();
      sums.moved.add(std::abs(now - score_[p]));
      sums.scores += now;
      sums.without_arcs += per_arc_[p] > 0 ? 0 : now;
      score_[p] = now;
      std::atomic_ref<double>(shares_[p]).store(now * per_arc_[p], std::memory_order_relaxed);
    }
    return sums;
  }

  const std::uint64_t* offsets_;
  const std::uint32_t* sources_;
  const double* per_arc_;
  double* score_;
  double* shares_;
  double source_;
  Place ahead_until_;
};

}  // namespace

PiePageRank::PiePageRank(const PageRankParameters& options, const PageRankRounds& rounds)
    : damping_(options.damping),
      tolerance_(std::max(options.tolerance.value_or(std::min(1e-9, 6e-8 * (1 - options.damping))),
                          least_tolerance(options.damping))),
      rounds_(rounds) {}

void PiePageRank::enqueue(Partial& partial, Place place) {
  if (partial.queued[place] != 0) return;
  partial.queued[place] = 1;
  partial.later.push_back(place);
}

/// Adds x_v to P_v.
void PiePageRank::add(Partial& partial, Changes& changes, Place place, double change) {
  partial.score[place] += change;
  partial.moved.add(std::abs(change));
  if (!changes.border()) return;
  partial.added[place] += change;
  changes.mark(place);
}

void PiePageRank::pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
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
      partial.outside += std::abs(share);
      if (counts(now, least_to_copy)) changes.mark(target);
    } else if (!partial.much && counts(now, tolerance_)) {
      enqueue(partial, target);
    }
  }
}

void PiePageRank::visit_queue(const Fragment& fragment, Partial& partial, Changes& changes,
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

/// Passes in place over all vertices from the present scores, until one moves them by little. Each vertex gets the same
/// from the others: the share of all scores that does not follow arcs, and the scores of vertices without arcs. With a constant
/// source of 1 - d the sum of all scores would converge like d; in the end the scores are scaled to that source.
Work PiePageRank::settle(const Fragment& fragment, Partial& partial) const {
  const std::uint32_t inner = fragment.inner_count();
  PassSums sums;
  for (Place p = 0; p < inner; ++p) {
    partial.share[p] = partial.score[p] * partial.per_arc[p];
    sums.scores += partial.score[p];
    sums.without_arcs += partial.per_arc[p] > 0 ? 0 : partial.score[p];
  }
  ComputeThreads threads(rounds_.threads);
  const std::size_t grain = threads.grain(inner);
  std::vector<PassSums> by_chunk((inner + grain - 1) / grain);
  double source = 1 - damping_;
  Work work;
  bool moves = inner > 0;
  while (moves) {
    source = ((1 - damping_) * sums.scores + damping_ * sums.without_arcs) / inner;
    const InPlacePass pass(fragment, partial, source);
    threads.for_chunks(inner, grain, [&](std::size_t begin, std::size_t end) {
      by_chunk[begin / grain] = pass.range(static_cast<Place>(begin), static_cast<Place>(end));
    });
    sums = {};
    for (const PassSums& chunk : by_chunk) sums.add(chunk);
    partial.moved.add(sums.moved);
    work.vertices += inner;
    work.edges += fragment.arc_count();
    moves = sums.moved.sum > rounds_.rest * sums.scores;
  }
  for (double& score : partial.score) score *= (1 - damping_) / source;
  return work;
}

/// Adds all changes, then pulls the next changes along all arcs.
void PiePageRank::sweep(const Fragment& fragment, Partial& partial, Changes& changes,
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
    partial.moved.add(std::abs(pending[p]));
    share[p] = pending[p] * partial.per_arc[p];
  }
  const std::uint64_t* const offsets = fragment.back_offsets();
  const std::uint32_t* const sources = fragment.sources();
  std::uint64_t arc = 0;
  /// Estimated work of another pass: arcs pulled by vertices with pending changes.
  std::uint64_t left = 0;
  const auto pulled = [&](Place p) {
    double sum = 0;
    for (const std::uint64_t end = offsets[p + std::size_t{1}]; arc < end; ++arc)
      sum += share[sources[arc]];
    return sum;
  };
  double inside = 0;
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t before = arc;
    pending[p] = pulled(p);
    inside += std::abs(pending[p]);
    left += (arc - before + 1) * std::uint64_t{counts(pending[p], tolerance_)};
  }
  const double least_to_copy = tolerance_ / fragment.fragment_count();
  for (Place p = inner; p < fragment.vertex_count(); ++p) {
    const double more = pulled(p);
    pending[p] += more;
    partial.outside += std::abs(more);
    if (counts(pending[p], least_to_copy)) changes.mark(p);
  }
  work.vertices += inner;
  work.edges += arc;
  choose_by(fragment, partial, left, inside);
}

void PiePageRank::choose_by(const Fragment& fragment, Partial& partial, std::uint64_t changed,
                            double pending) const {
  const bool resting = rests(fragment, pending);
  partial.much = !resting && is_much(fragment, changed);
  if (!resting && !partial.much) enqueue_all(partial, fragment.inner_count());
}

/// True if a queue would cost more than a sweep; an arc of a queue costs kQueueCost times as much. From a start of 0,
/// changes only increase, and a queue, in which a vertex passes on everything received before its turn, needs fewer
/// passes.
bool PiePageRank::is_much(const Fragment& fragment, std::uint64_t arcs) const {
  constexpr std::uint64_t kQueueCost = 8;
  return rounds_.start != 0 && arcs * kQueueCost > fragment.arc_count() + fragment.inner_count();
}

void PiePageRank::enqueue_all(Partial& partial, std::uint32_t inner) const {
  for (Place p = 0; p < inner; ++p) {
    if (counts(partial.pending[p], tolerance_)) enqueue(partial, p);
  }
}

/// Chooses between sweep and queue by the amount of pending changes; fills the queue if chosen.
void PiePageRank::choose(const Fragment& fragment, Partial& partial) const {
  const std::uint64_t* const offsets = fragment.offsets();
  const std::uint32_t inner = fragment.inner_count();
  std::uint64_t arcs = 0;
  double inside = 0;
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t own = offsets[p + std::size_t{1}] - offsets[p] + 1;
    arcs += counts(partial.pending[p], tolerance_) ? own : 0;
    inside += std::abs(partial.pending[p]);
  }
  choose_by(fragment, partial, arcs, inside);
}

/// True if the changes at copies should be sent before another pass. Other fragments will return about the amount
/// that they receive, so a pass without their changes works on partial data, and propagates changes that would cancel
/// out.
bool PiePageRank::should_send_now(const Fragment& fragment, const Partial& partial) const {
  if (rounds_.enough == 0 || fragment.fragment_count() == 1) return false;
  double inside = 0;
  if (partial.much) {
    for (Place p = 0; p < fragment.inner_count(); ++p) inside += std::abs(partial.pending[p]);
  } else {
    for (const Place place : partial.later) inside += std::abs(partial.pending[place]);
  }
  return partial.outside >= rounds_.enough * inside;
}

/// True if the queue has grown beyond the size at which it pays off.
bool PiePageRank::outgrown(const Fragment& fragment, const Partial& partial) {
  constexpr std::size_t kFew = 32;
  return partial.later.size() > fragment.inner_count() / kFew;
}

Work PiePageRank::spread(const Fragment& fragment, Partial& partial, Changes& changes) const {
  Work work;
  std::uint32_t& pass = partial.passes;
  for (pass = 0; unfinished(partial); ++pass) {
    if (rounds_.passes > 0 && pass == rounds_.passes) break;
    if (pass > 0 && should_send_now(fragment, partial)) break;
    if (rounds_.start != 0 && !partial.much && outgrown(fragment, partial)) {
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

void PiePageRank::empty_queue(Partial& partial) {
  for (const Place place : partial.later) partial.queued[place] = 0;
  partial.later.clear();
}

void PiePageRank::prepare(const Fragment& fragment, Partial& partial, Changes& changes) const {
  const std::uint32_t inner = fragment.inner_count();
  partial.score.assign(inner, 0.0);
  partial.pending.assign(fragment.vertex_count(), 0.0);
  partial.queued.assign(inner, 0);
  partial.share.assign(fragment.vertex_count(), 0.0);
  partial.per_arc.resize(inner);
  if (changes.border()) partial.added.assign(inner, 0.0);
  for (Place p = 0; p < inner; ++p) {
    const std::uint64_t degree = fragment.degree(p);
    partial.per_arc[p] = degree > 0 ? damping_ / static_cast<double>(degree) : 0;
  }
}

Work PiePageRank::peval_from(const Fragment& fragment, Partial& partial,
                             std::span<const double> scores, Changes& changes) const {
  prepare(fragment, partial, changes);
  const std::uint32_t inner = fragment.inner_count();
  if (is_alone(fragment)) {
    std::copy_n(scores.begin(), inner, partial.score.begin());
    return settle(fragment, partial);
  }
  for (Place p = 0; p < inner; ++p) partial.pending[p] = scores[p];
  Work work;
  sweep(fragment, partial, changes, work);
  for (Place p = 0; p < inner; ++p) partial.pending[p] += 1 - damping_ - scores[p];
  empty_queue(partial);
  choose(fragment, partial);
  const Work more = spread(fragment, partial, changes);
  return {.edges = work.edges + more.edges, .vertices = work.vertices + more.vertices};
}

Work PiePageRank::peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
  prepare(fragment, partial, changes);
  const std::uint32_t inner = fragment.inner_count();
  const double fresh = 1 - damping_;
  if (is_alone(fragment)) {
    for (Place p = 0; p < inner; ++p)
      partial.score[p] = rounds_.start * (partial.per_arc[p] > 0 ? 1 : fresh);
    return settle(fragment, partial);
  }
  for (Place p = 0; p < inner; ++p)
    partial.pending[p] = rounds_.start != 0 && partial.per_arc[p] > 0 ? rounds_.start : fresh;
  Work work;
  if (rounds_.start != 0) {
    // The start is propagated like any change and then subtracted from the pending changes.
    sweep(fragment, partial, changes, work);
    for (Place p = 0; p < inner; ++p)
      partial.pending[p] += fresh - (partial.per_arc[p] > 0 ? rounds_.start : fresh);
  }
  empty_queue(partial);
  choose(fragment, partial);
  const bool sends_first = rounds_.passes == 1 || should_send_now(fragment, partial);
  if (rounds_.start != 0 && sends_first) return work;
  const Work more = spread(fragment, partial, changes);
  return {.edges = work.edges + more.edges, .vertices = work.vertices + more.vertices};
}

Work PiePageRank::inceval(const Fragment& fragment, Partial& partial,
                          std::span<Update<double>> updates, Changes& changes) const {
  Work work;
  partial.outside = 0;
  for (const auto& [place, value] : updates) {
    if (!fragment.is_inner(place)) {
      // The home of a vertex that is cut has added this change; the copy propagates it along its arcs.
      pass_on(fragment, partial, changes, place, value, work);
    } else if (counts(partial.pending[place] += value, tolerance_) && !partial.much) {
      enqueue(partial, place);
    }
  }
  const Work more = spread(fragment, partial, changes);
  work.vertices += more.vertices;
  work.edges += more.edges;
  partial.decay.sent(partial.outside, partial.passes);
  return work;
}

double PiePageRank::Decay::share_of_pass() const {
  if (now_.passes > 1) return 1;
  if (before_.sent <= 0 || last_.passes + now_.passes == 0) return 0;
  return std::pow(now_.sent / before_.sent, 1.0 / (last_.passes + now_.passes));
}

/// The part of the changes that does not cancel shrinks per pass by the share that vertices keep. Lockstep removes
/// that part completely, and is worth its waiting time only if the remaining changes decay much faster. A fragment
/// that makes several passes per round works on its own changes.
bool PiePageRank::cancels(const Partial& partial) const {
  constexpr double kSooner = 2.5;
  if (rounds_.start <= 0) return false;
  const double kept = 1 - (1 - damping_) / rounds_.start;
  return partial.decay.share_of_pass() <= std::pow(kept, kSooner);
}

Residual PiePageRank::moved(Partial& partial) const {
  const Residual moved = std::exchange(partial.moved, {});
  return {moved.sum * rounds_.unit, moved.most * rounds_.unit};
}

double PiePageRank::parameter(const Fragment& fragment, Partial& partial, Place place) const {
  return std::exchange(fragment.is_inner(place) ? partial.added[place] : partial.pending[place],
                       0.0);
}

namespace {

/// Counts of vertices that pass rank on: with arcs, and the shares of their arcs that lead to such vertices.
struct PassingShare {
  double passing = 0;
  double kept = 0;

  template <class Passes>
  void add(std::span<const VertexId> targets, const Passes& passes) {
    if (targets.empty()) return;
    passing += 1;
    kept += static_cast<double>(std::count_if(targets.begin(), targets.end(), passes)) /
            static_cast<double>(targets.size());
  }
  [[nodiscard]] double mean_score(double damping) const {
    return passing > 0 ? (1 - damping) / (1 - damping * kept / passing) : 0;
  }
};

/// Starts from the mean score, of which tolerances are shares.
PiePageRank started_at(std::uint64_t vertices, double mean, PageRankParameters options,
                       unsigned threads) {
  // Measured on kron, road networks and grids, two to sixteen nodes, in memory and over every network profile: a
  // tenth needs the fewest visits or nearly so, and never much more time or messages than another share.
  constexpr double kEnough = 0.1;
  const auto count = static_cast<double>(vertices);
  PageRankRounds rounds{.start = mean,
                        .enough = kEnough,
                        .unit = mean > 0 ? 1 / (mean * count) : 1,
                        .threads = threads};
  const RankChange bounded = PageRank::change_of(options.tolerance_of, vertices);
  const double tolerance = options.tolerance.value_or(PageRank::kTolerance);
  if (bounded == RankChange::Each && options.tolerance) {
    options.tolerance = tolerance * (1 - options.damping);  // times the smallest possible score
  } else if (bounded == RankChange::Mean) {
    options.tolerance = tolerance * mean;
  } else if (bounded == RankChange::Sum && tolerance * mean > 0) {
    rounds.rest = tolerance * mean;
    options.tolerance = PageRank::kEachOfSum * rounds.rest;
  }
  return PiePageRank(options, rounds);
}

}  // namespace

PiePageRank quick_pagerank(const Graph& graph, const PageRankParameters& options,
                           unsigned threads) {
  return started_at(graph.vertex_count(), mean_score(graph, options.damping), options, threads);
}

PiePageRank quick_pagerank(Group& group, const GraphPart& part, const PageRankParameters& options,
                           unsigned threads) {
  PassingShare share;
  if (!part.totals.directed) {
    // Every end of an edge has an arc back.
    for (std::uint32_t v = 0; v < part.size(); ++v)
      share.add(part.list(v), [](VertexId) { return true; });
  } else {
    const Halo halo(group, part.ranges, {part.lists.targets.span()});
    std::vector<bool> passes(halo.indices());
    for (std::uint32_t v = 0; v < part.size(); ++v) passes[v] = part.degree(v) > 0;
    halo.publish<std::uint8_t>(
        group, 0, part.size(), [&](std::uint32_t v) { return passes[v]; },
        [](std::uint32_t) { return std::uint8_t{1}; },
        [&](std::uint32_t index, std::uint8_t) { passes[index] = true; });
    for (std::uint32_t v = 0; v < part.size(); ++v)
      share.add(part.list(v), [&](VertexId to) { return passes[halo.index(to)]; });
  }
  PassingShare all;
  for (const PassingShare& each : group.share(share)) {
    all.passing += each.passing;
    all.kept += each.kept;
  }
  return started_at(part.totals.vertices, all.mean_score(options.damping), options, threads);
}

double mean_score(const Graph& graph, double damping) {
  PassingShare share;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    share.add(graph.neighbors(v), [&](VertexId to) { return graph.degree(to) > 0; });
  return share.mean_score(damping);
}

}  // namespace leeway::pie
