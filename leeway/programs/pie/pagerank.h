// PageRank by accumulation (AAP §5.3, after Maiter): every vertex has a score P_v and a change x_v that is
// still to be added to it and passed on. A round adds and passes on within the fragment until no change
// there exceeds the tolerance; what reached copies travels. Each change is added once, so the order of
// rounds and messages does not matter.
//
// Scores solve P = d A P + (1 - d); scaled so that they sum to 1 they are the textbook's ranks with the rank
// of vertices without arcs spread evenly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/runtime/pie/program.h"

namespace leeway::pie {

class PageRank {
 public:
  using Value = double;  // of a copy: what was passed on to it; of an inner vertex: what it added
  using Result = double;

  struct Partial {
    std::vector<double> score;    // P_v, by inner place
    std::vector<double> pending;  // x_v, by place; of copies: what is to travel
    std::vector<double> added;    // by inner place, of a vertex cut: what copies have not heard of
    std::vector<std::uint32_t> queue,
        later;                         // inner places with pending changes; empty between rounds
    std::vector<std::uint8_t> queued;  // by inner place
  };

  explicit PageRank(double damping = 0.85, double tolerance = 1e-9)
      : damping_(damping), tolerance_(tolerance) {}

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(double& kept, const double& come) { kept += come; }

  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<double>> updates,
               Changes& changes) const;
  [[nodiscard]] double parameter(const Fragment& fragment, Partial& partial, Place place) const;
  [[nodiscard]] double result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.score[inner] + partial.pending[inner];
  }

 private:
  Work spread(const Fragment& fragment, Partial& partial, Changes& changes) const;
  void pass_on(const Fragment& fragment, Partial& partial, Changes& changes, Place place,
               double change, Work& work) const;
  void want(Partial& partial, Place place) const;

  double damping_;
  double tolerance_;
};

/// Scores as shares that sum to 1.
void scale_to_shares(std::span<double> scores);

}  // namespace leeway::pie
