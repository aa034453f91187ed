// PageRank by accumulation (AAP §5.3, after Maiter): every vertex has a score P_v and a change x_v that is
// still to be added to it and passed on. A round adds and passes on within the fragment until no change
// there exceeds the tolerance, or for so many passes; what reached copies travels. Each change is added
// once, so the order of rounds and messages does not matter.
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
// (runtime/pie/outbox.h) changes when changes travel, not which: at the end none is kept.
//
// Scores solve P = d A P + (1 - d); scaled so that they sum to 1 they are the textbook's ranks with the rank
// of vertices without arcs spread evenly.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/runtime/pie/program.h"

namespace leeway::pie {

struct PageRankOptions {
  double damping = 0.85;
  double tolerance = 1e-9;   ///< a change that is no greater is not passed on
  std::uint32_t passes = 0;  ///< how many a round makes at most; 0: until the fragment rests
  double start = 0;          ///< P_v to begin with, of those that have arcs
};

class PageRank {
 public:
  using Value = double;  // of a copy: what was passed on to it; of an inner vertex: what it added
  using Result = double;

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
  };

  explicit PageRank(double damping = 0.85, double tolerance = 1e-9)
      : options_{.damping = damping, .tolerance = tolerance} {}
  explicit PageRank(const PageRankOptions& options) : options_(options) {}

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out, .back = Back::All}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(double& kept, const double& come) { kept += come; }
  [[nodiscard]] static double magnitude(double change) { return std::abs(change); }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<double>> updates,
               Changes& changes) const;
  [[nodiscard]] double parameter(const Fragment& fragment, Partial& partial, Place place) const;
  [[nodiscard]] double result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.score[inner] + partial.pending[inner];
  }
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return partial.much || !partial.later.empty();
  }

 private:
  Work spread(const Fragment& fragment, Partial& partial, Changes& changes) const;
  void sweep(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  void visit_queue(const Fragment& fragment, Partial& partial, Changes& changes, Work& work) const;
  [[nodiscard]] bool is_much(const Fragment& fragment, std::uint64_t arcs) const;
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

  PageRankOptions options_;
};

/// What the scores of all vertices that have arcs would be if they were alike.
[[nodiscard]] double mean_score(const Graph& graph, double damping);

/// Scores as shares that sum to 1.
void scale_to_shares(std::span<double> scores);

}  // namespace leeway::pie
