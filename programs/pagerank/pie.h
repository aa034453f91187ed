// PageRank by accumulation (AAP §5.3, after Maiter). Every vertex has a score P_v and a pending change x_v. A round
// adds pending changes to scores and propagates them within the fragment until no change there exceeds the tolerance,
// for a number of passes, or until enough has been propagated to copies; changes at copies are sent. Each change is
// added exactly once, so the order of rounds and messages does not matter.
//
// If much has changed, a pass adds all changes and pulls the next ones along reversed lists. If little has changed,
// it visits the queued vertices only.
//
// A single fragment sends nothing. Its passes then compute every score from the present ones, on several threads, until a pass
// moves them by little in all, as the vertex program does.
//
// The paper starts from scores of 0 and changes of 1 - d. Because every change is added once, any initial scores are
// valid if the changes are their residuals. Starting from the mean score, changes are positive and negative and
// cancel out, so they decay much faster.
//
// Error bound: the changes that are not propagated are at most `tolerance` for each vertex at its home and
// `tolerance` for all its copies together (each keeps at most tolerance / number of fragments). The scores found
// therefore solve the equation below up to |r_v| <= 2 tolerance. Since P = (1 - d) (I - d A)^-1 1, the relative error
// of every score is at most 2 tolerance / (1 - d), and that of ranks scaled to a sum of 1 at most twice that. With
// the default tolerance this is 2.7e-8 for d = 0.85, and at most 2.4e-7 for any d; the command's verification allows
// 1e-6. Pacing (runtime/pie/virtual_worker.h) delays changes, but drops none.
//
// Scores solve P = d A P + (1 - d). Scaled to a sum of 1 they are the textbook's ranks, with the rank of vertices
// without arcs spread evenly.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph.h"
#include "leeway/pie_program.h"
#include "programs/pagerank/vertex.h"
#include "runtime/cluster/record.h"

namespace leeway {
class Group;
struct GraphPart;
}  // namespace leeway

namespace leeway::pie {

/// The extent of a round.
struct PageRankRounds {
  std::uint32_t passes = 0;  ///< maximum passes per round; 0: until no change exceeds the tolerance
  double start = 0;          ///< initial P_v of vertices that have arcs
  /// A round ends once the changes at copies are this share of the remaining ones; 0: never.
  double enough = 0;
  double unit = 1;  ///< rank that corresponds to a score of 1, for the residual
  /// The fragment rests while its pending changes, or in a single fragment the moves of a pass, are at most this much for each
  /// vertex on average; 0: it rests when no change exceeds the tolerance.
  double rest = 0;
  unsigned threads = 1;  ///< of a single fragment
};

class PiePageRank {
 public:
  /// The change propagated to a copy, or the change added to the score of an inner vertex.
  using Value = double;
  using Result = double;

  /// The rate at which the changes sent to copies decay.
  class Decay {
   public:
    void sent(double amount, std::uint32_t passes) {
      before_ = last_;
      last_ = now_;
      now_ = {amount, passes};
    }
    /// The factor by which a pass reduces them, over the last two rounds; 0 if there are no two rounds yet.
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
    std::vector<double> pending;  // x_v, by place; for copies: to be sent
    std::vector<double> added;    // by inner place, vertex cut only: not yet sent to copies
    /// Inner places with pending changes: of this pass, and of the next one.
    std::vector<std::uint32_t> queue, later;
    std::vector<std::uint8_t> queued;  // by inner place
    std::vector<double> per_arc;       // by inner place: d / N_v, or 0
    std::vector<double> share;         // by place: change per arc in a pass; copies have none
    bool much = false;                 // too much has changed for a queue
    double outside = 0;                // sum of changes at copies in this round
    std::uint32_t passes = 0;          // passes in this round
    Decay decay;
    Residual moved;  // changes of scores since the last round
  };

  /// A change that is not greater than the tolerance is not propagated. Default: the bound above. Minimum: the least
  /// change that alters a score of 1 - d, the smallest possible score.
  explicit PiePageRank(const PageRankParameters& options = {}, const PageRankRounds& rounds = {});

  [[nodiscard]] static FragmentNeeds needs() { return {.lists = Reads::Out, .back = Back::All}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(double& kept, const double& come) { kept += come; }
  [[nodiscard]] static double magnitude(double change) { return std::abs(change); }
  [[nodiscard]] bool cancels(const Partial& partial) const;

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  /// Starts from any scores; the pending changes are their residuals.
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
  /// A sweep visits all arcs.
  [[nodiscard]] double backlog(const Fragment& fragment, const Partial& partial) const {
    return partial.much ? static_cast<double>(fragment.arc_count())
                        : static_cast<double>(partial.later.size());
  }
  [[nodiscard]] bool matters(const Partial& partial, const Update<double>& update) const {
    return counts(partial.pending[update.place] + update.value, tolerance_);
  }

 private:
  /// Clears all values and computes the share of each arc.
  void prepare(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work spread(const Fragment& fragment, Partial& partial, Changes& changes) const;
  void sweep(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  [[nodiscard]] Work settle(const Fragment& fragment, Partial& partial) const;
  [[nodiscard]] bool is_alone(const Fragment& fragment) const {
    return fragment.fragment_count() == 1 && rounds_.rest > 0;
  }
  [[nodiscard]] bool rests(const Fragment& fragment, double pending) const {
    return pending <= rounds_.rest * fragment.inner_count();
  }
  void visit_queue(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  /// `changed`: vertices with changes above the tolerance, and their arcs; `pending`: sum of all changes.
  void choose_by(const Fragment& fragment, Partial& partial, std::uint64_t changed,
                 double pending) const;
  [[nodiscard]] bool is_much(const Fragment& fragment, std::uint64_t arcs) const;
  [[nodiscard]] bool should_send_now(const Fragment& fragment, const Partial& partial) const;
  void enqueue_all(Partial& partial, std::uint32_t inner) const;
  void choose(const Fragment& fragment, Partial& partial) const;
  [[nodiscard]] static bool outgrown(const Fragment& fragment, const Partial& partial);
  static void empty_queue(Partial& partial);
  static void add(Partial& partial, Changes& changes, Place place, double change);
  void pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
               double change, Work& work) const;
  static void enqueue(Partial& partial, Place place);

  [[nodiscard]] static bool counts(double change, double tolerance) {
    return std::abs(change) > tolerance;
  }

  double damping_;
  double tolerance_;
  PageRankRounds rounds_;
};

/// Starts from the mean score, with rounds that end when their changes should be sent. The command runs this variant.
/// `threads`: of a single fragment.
[[nodiscard]] PiePageRank quick_pagerank(const Graph& graph, const PageRankParameters& options,
                                         unsigned threads = 1);
/// The same for a graph in parts. Collective.
[[nodiscard]] PiePageRank quick_pagerank(Group& group, const GraphPart& part,
                                         const PageRankParameters& options, unsigned threads = 1);

/// The score of all vertices that have arcs, if it were equal for all.
[[nodiscard]] double mean_score(const Graph& graph, double damping);

/// Begins with given scores, such as those before changes of the graph; the pending changes are their residuals.
class ContinuedPiePageRank : public PiePageRank {
 public:
  /// `scores`: by vertex. Borrowed.
  ContinuedPiePageRank(const PiePageRank& program, std::span<const double> scores)
      : PiePageRank(program), scores_(scores) {}

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    std::vector<double> found;
    for (Place p = 0; p < fragment.vertex_count(); ++p)
      found.push_back(scores_[fragment.vertex(p).index()]);
    return peval_from(fragment, partial, found, changes);
  }

 private:
  std::span<const double> scores_;
};

}  // namespace leeway::pie
