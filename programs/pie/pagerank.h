// PageRank by accumulation (AAP §5.3, after Maiter): every vertex has a score P_v and a change x_v that is
// still to be added to it and passed on. A round adds and passes on within the fragment until no change
// there exceeds the tolerance, for so many passes, or until enough has gone to copies; what reached those
// travels. Each change is added once, so the order of rounds and messages does not matter.
//
// Where much has changed, a pass adds all changes at once and pulls the next along lists turned round; where
// little has, it visits those that messages and changes speak of.
//
// The paper starts from scores of 0 and changes of 1 - d. Since every change is added once, any scores will
// do if the changes are what these lack. From the mean score changes go up and down and cancel out as a
// whole, and die away much faster.
//
// How far the answer may be off: what is not passed on is at most `tolerance` of each vertex at its home, and
// `tolerance` of all its copies together (each leaves at most its share by the number of fragments). So the
// scores found solve the equation below but for |r_v| <= 2 tolerance, and since P = (1 - d) (I - d A)^-1 1, every
// score is within 2 tolerance / (1 - d) of itself; ranks scaled to a sum of 1, within twice that. By default
// that is 2.7e-8 for d = 0.85, and at most 2.4e-7 for any d, where the command's check allows 1e-6. Pacing
// (runtime/pie/virtual_worker.h) changes when changes travel, not which: at the end none is kept.
//
// Scores solve P = d A P + (1 - d); scaled so that they sum to 1 they are the textbook's ranks with the rank
// of vertices without arcs spread evenly.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/graph.h"
#include "leeway/pie_program.h"
#include "programs/vertex/pagerank.h"
#include "runtime/cluster/record.h"

namespace leeway::pie {

/// How its rounds go.
struct PageRankRounds {
  std::uint32_t passes = 0;  ///< how many a round makes at most; 0: until the fragment rests
  double start = 0;          ///< P_v to begin with, of those that have arcs
  double enough =
      0;  ///< a round ends once what went to copies is this share of what is left; 0: never
  double unit = 1;  ///< about what a score of 1 is as a rank, for the residual
};

class PiePageRank {
 public:
  using Value = double;  // of a copy: what was passed on to it; of an inner vertex: what it added
  using Result = double;

  /// How fast what goes to copies dies away.
  class Decay {
   public:
    void sent(double amount, std::uint32_t passes) {
      before_ = last_;
      last_ = now_;
      now_ = {amount, passes};
    }
    /// By which share a pass reduces it, of the last two rounds; 0 if these are not known yet.
    [[nodiscard]] double share_of_pass() const;

   private:
    struct Round {
      double sent = 0;
      std::uint32_t passes = 0;
    };
    Round before_, last_, now_;
  };

  struct Partial {
    std::vector<double> score;    // P_v, by inner place
    std::vector<double> pending;  // x_v, by place; of copies: what is to travel
    std::vector<double> added;    // by inner place, of a vertex cut: what copies have not heard of
    std::vector<std::uint32_t> queue,
        later;                         // inner places with pending changes for the next pass
    std::vector<std::uint8_t> queued;  // by inner place
    std::vector<double> per_arc;       // by inner place: d / N_v, or 0
    std::vector<double> share;  // by place: what goes along each arc of a pass; copies have none
    bool much = false;          // so much has changed that no queue is kept
    double outside = 0;         // what has gone to copies in this round
    std::uint32_t passes = 0;   // of this round
    Decay decay;
    Residual moved;  // since the last round, of scores
  };

  /// A change that is not greater than the tolerance is not passed on. Default: what the bound above asks for. Least: what
  /// no longer alters a score of 1 - d, the least there is.
  explicit PiePageRank(const PageRankOptions& options = {}, const PageRankRounds& rounds = {});

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out, .back = Back::All}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(double& kept, const double& come) { kept += come; }
  [[nodiscard]] static double magnitude(double change) { return std::abs(change); }
  [[nodiscard]] bool cancels(const Partial& partial) const;

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  /// From any scores: changes are what these lack.
  Work peval_from(const Fragment& fragment, Partial& partial, std::span<const double> scores,
                  Changes& changes) const;
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<double>> updates,
               Changes& changes) const;
  [[nodiscard]] double parameter(const Fragment& fragment, Partial& partial, Place place) const;
  [[nodiscard]] double result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.score[inner] + partial.pending[inner];
  }
  [[nodiscard]] Residual moved(Partial& partial) const;
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return partial.much || !partial.later.empty();
  }

 private:
  /// Everything empty, and what each vertex passes on along an arc.
  void prepare(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work spread(const Fragment& fragment, Partial& partial, Changes& changes) const;
  void sweep(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  void visit_queue(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  [[nodiscard]] bool is_much(const Fragment& fragment, std::uint64_t arcs) const;
  [[nodiscard]] bool had_better_tell(const Fragment& fragment, const Partial& partial) const;
  void want_all(Partial& partial, std::uint32_t inner) const;
  void choose(const Fragment& fragment, Partial& partial) const;
  [[nodiscard]] static bool outgrown(const Fragment& fragment, const Partial& partial);
  static void empty_queue(Partial& partial);
  static void add(Partial& partial, Changes& changes, Place place, double change);
  void pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
               double change, Work& work) const;
  static void want(Partial& partial, Place place);

  [[nodiscard]] static bool counts(double change, double tolerance) {
    return std::abs(change) > tolerance;
  }

  double damping_;
  double tolerance_;
  PageRankRounds rounds_;
};

/// From the mean score, with rounds that end when others should hear of them: what the command runs.
[[nodiscard]] PiePageRank quick_pagerank(const Graph& graph, const PageRankOptions& options);

/// What the scores of all vertices that have arcs would be if they were alike.
[[nodiscard]] double mean_score(const Graph& graph, double damping);

}  // namespace leeway::pie
