// PageRank as a vertex program, and the options of PageRank that all engines share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "datasets/graph.h"
#include "leeway/vertex.h"

namespace leeway {

/// The type of shared values.
enum class Precision : std::uint8_t { Double, Single };

/// What a tolerance bounds.
enum class RankChange : std::uint8_t {
  Auto,  ///< Sum, but Each on graphs so small that the difference costs no time
  Sum,   ///< the sum of all changes of an iteration, as of NetworkX, NetworKit and GAPBS
  Each,  ///< each vertex's change, as a share of its rank
  Mean,  ///< each vertex's change, as a share of the mean rank: one epsilon for all, as in ASPIRE's Algorithm 1
};

/// How the random surfer chooses.
enum class SurferWalk : std::uint8_t {
  Uniform,   ///< among all arcs of a vertex, and all vertices at a restart
  Personal,  ///< restarts by given shares
  Weighted,  ///< the same, and arcs by their weights
};

/// A vertex of a biased walk, or of a run that continues.
struct SurferRow {
  double strength = 0;  ///< sum of the weights of its arcs, or their number
  double restart = 0;   ///< its share of restarts; 1 in the mean
  double rank = 0;      ///< to begin with; 0: the share of restarts
  bool starts = false;  ///< reads a vertex whose arcs have changed
};

struct PageRankParameters {
  double damping = 0.85;  ///< damping factor: share of rank that follows arcs
  /// Changes up to this do not count. Default: 1e-8 for the vertex engine, 1e-6 with single precision; 0: every change counts.
  std::optional<double> tolerance;
  RankChange tolerance_of = RankChange::Auto;
  /// Keep the sum of all ranks at 1 in sweeps in place, too. False: solve the equation without the rank of vertices
  /// without arcs, as ASPIRE's Algorithm 1; on sparse graphs that takes several times the sweeps.
  bool rescale = true;
};

/// Divides ranks by `sum`, the sum over all vertices. Zeros stay zeros.
inline void scale_to_one(std::span<double> ranks, double sum) {
  if (sum <= 0) return;
  for (double& rank : ranks) rank /= sum;
}

/// PageRank (Page et al., 1999) by pulling: a vertex's shared value is the rank that each of its arcs carries.
///
/// Textbook definition: rank(v) = (1 - d)/n + d (sum over arcs u→v of rank(u)/outdegree(u) + D/n), where D is the
/// rank of vertices without arcs; ranks sum to 1. Parallel arcs count once each, loops count.
///
/// Every vertex gets the same base from the others, ((1 - d) S + d D)/n, where S is the sum of all ranks. Under bsp S and
/// D are those of the superstep, S is 1, and this is the textbook's iteration from the uniform start: LDBC Graphalytics'
/// PR. Sweeps in place add S and D up as they go, and all nodes take a new base from the sums of the same vote. Any base
/// leads to the textbook's ranks up to a factor, which scaling to a sum of 1 removes; but with a constant one the factor
/// converges only like the share of rank that flows on.
///
/// A run ends when the ranks move by at most `tolerance` in all, 1e-8 by default. Under Each, and by default on small
/// graphs, it ends when none moves by more than `tolerance` times itself: then the largest relative error is below 1e-6.
/// With a fixed number of iterations and any scheduler but bsp, values are used as soon as they are available, so the
/// result is closer to the limit than the textbook's after equally many iterations.
///
/// Real: of the shared values and of an update; sums over all vertices are always of doubles.
///
/// kWalk: the surfer's walk may be biased. The rank that restarts and that of vertices without arcs are divided by given shares
/// (personalised: Haveliwala, 2002), and under Weighted an arc carries rank in proportion to its weight. The JobGraph then has
/// SurferRows.
///
/// kContinues: the run begins with the ranks before some changes of the graph, which SurferRows have, and visits the readers of changed
/// vertices first. Its base is constant, that of the old ranks, so that vertices far from the changes stay as they are.
template <class Real, SurferWalk kWalk = SurferWalk::Uniform, bool kContinues = false>
class PageRankOf {
  static constexpr bool kBiased = kWalk != SurferWalk::Uniform || kContinues;

 public:
  using Value = Real;
  static constexpr bool kMovesOn = false;

  static constexpr bool kDegrees = !kBiased;
  static constexpr bool kWeights = kWalk == SurferWalk::Weighted;
  static constexpr double kTolerance = sizeof(Real) < sizeof(double) ? 1e-6 : 1e-8;  ///< default
  /// Under Sum, vertices of the mean rank that move by less than this share of the tolerance store nothing.
  static constexpr double kEachOfSum = 0.25;

  PageRankOf(const GraphTotals& graph, const PageRankParameters& options)
      : damping_(options.damping),
        tolerance_(options.tolerance.value_or(kTolerance)),
        change_(change_of(options.tolerance_of, graph.vertices)),
        rescale_(options.rescale),
        count_(std::max(1.0, static_cast<double>(graph.vertices))),
        least_move_(tolerance_ / count_ * (change_ == RankChange::Sum ? kEachOfSum : 1)),
        base_((1 - damping_) / count_),
        kept_(rescale_ ? 1 - damping_ : 0) {}
  /// `dangling`: the rank of vertices without arcs before the changes.
  PageRankOf(const GraphTotals& graph, const PageRankParameters& options, double dangling)
    requires kContinues
      : PageRankOf(graph, options) {
    base_ = (1 - damping_ + damping_ * dangling) / count_;
  }

  /// What the tolerance bounds on a graph of this size.
  [[nodiscard]] static RankChange change_of(RankChange given, std::uint64_t vertices) {
    if (given != RankChange::Auto) return given;
    return vertices <= kSmall ? RankChange::Each : RankChange::Sum;
  }

  void settle(const LocalGraph& here) {
    const auto add = [&](double strength) {
      out_.push_back({.per_arc = static_cast<Real>(strength > 0 ? 1 / strength : 1),
                      .arcs = strength > 0 ? static_cast<Real>(strength) : Real{-1}});
    };
    if constexpr (kBiased) {
      rows_ = here.template records<SurferRow>();
      for (const SurferRow& row : rows_) add(row.strength);
    } else {
      out_.reserve(here.degrees().size());
      for (const std::uint32_t degree : here.degrees()) add(degree);
    }
  }
  [[nodiscard]] Real init(const LocalVertex& v) const {
    if constexpr (kBiased) {
      if (const double rank = rows_[v.local].rank; rank > 0)
        return share(v.local, static_cast<Real>(rank));
    }
    return share(v.local, static_cast<Real>(restart(v.local) / count_));
  }
  [[nodiscard]] bool starts(const LocalVertex& v, Real) const
    requires kContinues
  {
    return rows_[v.local].starts;
  }
  [[nodiscard]] Real update(const Vertex<Real>& vertex) const {
    StrandSum<Real> sum;
    if constexpr (kWeights) {
      vertex.each(
          [&](Real carried, double weight) { sum.add(carried * static_cast<Real>(weight)); });
    } else {
      vertex.each([&](Real carried) { sum.add(carried); });
    }
    return share(vertex.local(),
                 static_cast<Real>(base_ * restart(vertex.local()) + damping_ * sum.total()));
  }
  [[nodiscard]] bool changed(const LocalVertex& v, Real old, Real now) const {
    if (change_ == RankChange::Each) return std::abs(now - old) > tolerance_ * now;
    return moved(v, old, now) > least_move_;
  }
  [[nodiscard]] double moved(const LocalVertex& v, Real old, Real now) const {
    return double{std::abs(now - old)} * std::abs(out_[v.local].arcs);
  }
  [[nodiscard]] std::optional<double> resting_move() const {
    if (change_ != RankChange::Sum || tolerance_ <= 0) return std::nullopt;
    return tolerance_ / count_;
  }
  /// The rank, not yet scaled to a sum of 1.
  [[nodiscard]] double result(const Vertex<Real>& vertex) const {
    return double{vertex.value()} * std::abs(out_[vertex.local()].arcs);
  }

  /// (1 - d) S + d D, or D alone, in units of 2^-60, so that the order of summation does not matter.
  [[nodiscard]] std::uint64_t gather(const LocalVertex& v, Real value) const
    requires(!kContinues)
  {
    const double arcs = out_[v.local].arcs;
    const double spread = value * std::max(-arcs, arcs * kept_);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(spread * kUnit + 0.5));
  }
  /// Changes of the base far below the tolerance do not count, nor those by rounding: they would change every vertex.
  bool gathered(std::uint64_t sum) {
    const double gathered = static_cast<double>(sum) / kUnit;
    const double base = (rescale_ ? gathered : 1 - damping_ + damping_ * gathered) / count_;
    if (std::abs(base - base_) <= std::max(tolerance_ * kEachOfSum, kRounding) * base_)
      return false;
    base_ = base;
    return true;
  }
  [[nodiscard]] bool gathers_in_place() const { return rescale_; }

 private:
  /// Up to this number of vertices, a sweep takes a millisecond.
  static constexpr std::uint64_t kSmall = 100'000;
  static constexpr double kRounding = 1e-13;
  static constexpr double kUnit = 1152921504606846976.0;

  struct OutArcs {
    /// The share of a vertex's rank that an arc carries; 1 without arcs: no vertex reads it.
    Real per_arc;
    Real arcs;  ///< -1: none
  };

  [[nodiscard]] double restart(std::uint32_t local) const {
    if constexpr (kBiased) return rows_[local].restart;
    return 1;
  }
  [[nodiscard]] Real share(std::uint32_t local, Real rank) const {
    return rank * out_[local].per_arc;
  }

  double damping_;
  double tolerance_;
  RankChange change_;
  bool rescale_;
  double count_;
  double least_move_;  // that counts as a change of a rank, unless under Each
  double base_;
  double kept_;  // the share of the rank of a vertex with arcs that counts in the sum over all
  std::vector<OutArcs> out_;         // by place
  std::span<const SurferRow> rows_;  // by place; of a biased walk
};

using PageRank = PageRankOf<double>;

}  // namespace leeway
