// Collaborative filtering by mini-batch stochastic gradient descent (AAP §5.2). Users and items have factor vectors
// whose products estimate ratings; nine tenths of the ratings train them, one tenth tests them. A round is a pass
// over a fragment's training ratings. An item's home stores its factor; copies send the changes of their round, and
// the home applies the weighted sum and sends the factor with its timestamp.
//
// A worker continues until its loss hardly decreases, so it needs a bound on staleness: SSP, or AAP with a bound.
// Until a copy receives a factor that contains its last changes, it moves in the same direction again, and every
// round of staleness overshoots further for items that many fragments rate. The command's default bound is therefore
// 0, which learns as synchronous rounds do on every network profile. A larger bound is faster on slow networks if
// items have few raters.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "datasets/graph.h"
#include "leeway/pie_program.h"

namespace leeway::pie {

inline constexpr std::size_t kFactors = 8;
using Factor = std::array<float, kFactors>;

struct FilteringParameters {
  float rate = 0.02F;         ///< learning rate
  float regulariser = 0.05F;  ///< lambda
  std::uint32_t most_rounds = 100;
  std::uint32_t rounds_before = 0;  ///< rounds before a restart
  double least_gain =
      0.002;  ///< minimum relative decrease of the loss, else the worker becomes inactive
  std::uint64_t seed = 1;
  /// Called with each round's loss on the node of the fragment; for experiments.
  std::function<void(PartId, double)> watch;
};

class Filtering {
 public:
  /// From a copy: the weighted sum of the directions in which its round moved the factor. From the home: the factor;
  /// the newest counts.
  struct Value {
    Factor factor{};
    std::uint32_t time = 0;
    float pull = 0;  ///< weight of all rounds in it; 0: a factor
  };
  using Result = Factor;
  static constexpr bool kAlwaysRests = true;  // after `most_rounds`

  struct Partial {
    std::vector<Factor> factor;       // by place
    std::vector<Factor> before;       // by copy: at the start of the round
    std::vector<float> pull;          // by copy: weight of this round's ratings
    std::vector<std::uint32_t> time;  // by place: timestamp of the factor
    std::uint32_t rounds = 0;
    std::uint32_t idle_rounds = 0;  // successive rounds with too little gain
    double loss = 0;                // loss, last round
  };

  /// Requires a bipartite graph whose weights are ratings.
  Filtering(const Graph& ratings, const FilteringParameters& options);

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out, .weights = true}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Border; }
  static void aggregate(Value& kept, const Value& come);
  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  /// Continues from any factors. Messages in transit are lost, with the effect of a few ratings of one pass.
  Work peval_from(const Fragment& fragment, Partial& partial, std::span<const Factor> saved,
                  Changes& changes) const;
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const;
  [[nodiscard]] Value parameter(const Fragment& fragment, Partial& partial, Place place) const;
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.factor[inner];
  }
  /// Passes of this run, without those before a restart.
  [[nodiscard]] std::uint32_t passes(const Partial& partial) const {
    return partial.rounds - options_.rounds_before;
  }
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return partial.rounds < options_.most_rounds && partial.idle_rounds < 3;
  }

  /// Ratings are divided by this value before training.
  [[nodiscard]] double spread() const { return spread_; }
  /// Root mean squared error over the training or the test ratings.
  [[nodiscard]] double rmse(const Graph& ratings, std::span<const Factor> factors, bool test) const;
  /// Number of training or test ratings.
  [[nodiscard]] std::uint64_t count(const Graph& ratings, bool test) const;
  /// The same descent on one thread over the whole graph, for `passes` passes; the reference of the verification.
  [[nodiscard]] std::vector<Factor> descend(const Graph& ratings, std::uint32_t passes) const;

 private:
  [[nodiscard]] Factor first_factor(VertexId vertex) const;
  [[nodiscard]] bool tests(VertexId user, VertexId item) const;
  [[nodiscard]] float pull_of(const Factor& other) const;
  [[nodiscard]] static float moved_by(float pull);
  [[nodiscard]] float step(Factor& user, Factor& item, float rating) const;
  /// Runs the first round from the present factors.
  Work begin(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work descend(const Fragment& fragment, Partial& partial, Changes& changes) const;

  FilteringParameters options_;
  std::uint32_t users_;
  float middle_ = 0;  // mean of all ratings, in units of the spread
  float spread_ = 1;
};

}  // namespace leeway::pie
