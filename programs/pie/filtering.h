// Collaborative filtering by mini-batch stochastic gradient descent (AAP §5.2). Users and items carry factor
// vectors whose products estimate ratings; nine ratings of ten train them, the tenth tests them. A round
// is a pass over a fragment's training ratings. An item's factor is kept by its home; copies send what
// their round changed of it, the home takes the weighted sum and sends the factor with its timestamp.
//
// A worker goes on by itself until its loss hardly falls any more, so it needs a bound of staleness: under
// SSP, or AAP with a bound. Until a home's factor comes that has its last changes in it, a copy is pulled the
// same way again; each round of staleness is one more overshoot for an item that many fragments rate. So the
// command's default is a bound of 0, which learns on every network profile as rounds in step do; a larger one
// is faster on slow networks where items have few raters.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/graph.h"
#include "leeway/pie_program.h"
#include "programs/vertex/catalog.h"

namespace leeway::pie {

inline constexpr std::size_t kFactors = 8;
using Factor = std::array<float, kFactors>;

struct FilteringOptions {
  float rate = 0.02F;         ///< of descent
  float regulariser = 0.05F;  ///< lambda
  std::uint32_t most_rounds = 100;
  std::uint32_t rounds_before = 0;  ///< of those: have run before a restart
  double least_gain = 0.002;  ///< share of the loss that a round must save, or the worker rests
  std::uint64_t seed = 1;
  /// Is told of each round's loss by the fragment that ran it, on that fragment's node; for studies.
  std::function<void(PartId, double)> watch;
};

class Filtering {
 public:
  /// From a copy: where its round pulled the factor, times how much, to be summed. From the home: the factor,
  /// the newest of which counts.
  struct Value {
    Factor factor{};
    std::uint32_t time = 0;
    float pull = 0;  ///< how much, of all rounds in it; 0: a factor
  };
  using Result = Factor;
  static constexpr bool kAlwaysRests = true;  // after `most_rounds`

  struct Partial {
    std::vector<Factor> factor;       // by place
    std::vector<Factor> before;       // by copy: as it was when the round began
    std::vector<float> pull;          // by copy: of this round's ratings
    std::vector<std::uint32_t> time;  // by place: of the factor
    std::uint32_t rounds = 0;
    std::uint32_t idle_rounds = 0;  // rounds in a row that gained too little
    double loss = 0;                // of the last round
  };

  /// Requires a bipartite graph whose weights are ratings.
  Filtering(const Graph& ratings, const FilteringOptions& options);

  [[nodiscard]] FragmentNeeds needs() const { return {.lists = Reads::Out, .weights = true}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Border; }
  static void aggregate(Value& kept, const Value& come);
  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const;
  /// A descent goes on from any factors that one has come to; what was on its way is lost like a few ratings of a pass.
  Work peval_from(const Fragment& fragment, Partial& partial, std::span<const Factor> saved,
                  Changes& changes) const;
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const;
  [[nodiscard]] Value parameter(const Fragment& fragment, Partial& partial, Place place) const;
  [[nodiscard]] Result result(const Fragment&, const Partial& partial, Place inner) const {
    return partial.factor[inner];
  }
  /// Of this run.
  [[nodiscard]] std::uint32_t passes(const Partial& partial) const {
    return partial.rounds - options_.rounds_before;
  }
  [[nodiscard]] bool unfinished(const Partial& partial) const {
    return partial.rounds < options_.most_rounds && partial.idle_rounds < 3;
  }

  /// What ratings are divided by before they are learned from.
  [[nodiscard]] double spread() const { return spread_; }
  /// The root of the mean squared error of estimates, of the ratings that train or of those that test.
  [[nodiscard]] double rmse(const Graph& ratings, std::span<const Factor> factors, bool test) const;
  /// How many ratings train, or how many test.
  [[nodiscard]] std::uint64_t count(const Graph& ratings, bool test) const;
  /// The same descent by one thread on the whole graph, for so many passes: what a run is held against.
  [[nodiscard]] std::vector<Factor> descend(const Graph& ratings, std::uint32_t passes) const;

 private:
  [[nodiscard]] Factor first_factor(VertexId vertex) const;
  [[nodiscard]] bool tests(VertexId user, VertexId item) const;
  [[nodiscard]] float pull_of(const Factor& other) const;
  [[nodiscard]] static float moved_by(float pull);
  [[nodiscard]] float step(Factor& user, Factor& item, float rating) const;
  /// Runs the first round, from the factors that are there.
  Work begin(const Fragment& fragment, Partial& partial, Changes& changes) const;
  Work descend(const Fragment& fragment, Partial& partial, Changes& changes) const;

  FilteringOptions options_;
  std::uint32_t users_;
  float middle_ = 0;  // of all ratings, in spreads
  float spread_ =
      1;  // what ratings are divided by, so that a scale of -10 to 10 does not overshoot
};

}  // namespace leeway::pie

namespace leeway {

// Collaborative filtering in the form in which the command runs programs: what it needs of its input, how its
// factors are shown, measured and held against one thread's descent.

/// Refuses what are no ratings.
Status admit_cf(const Graph& graph, const ProgramSettings& settings);
[[nodiscard]] pie::FilteringOptions filtering_options(const ProgramSettings& settings,
                                                      const ProgramOptions& options);
[[nodiscard]] ProgramValues factor_values(const std::vector<pie::Factor>& factors);
/// RMSE of the ratings that trained, and of those that test.
[[nodiscard]] std::vector<std::pair<std::string, double>> rating_errors(
    const Graph& ratings, const pie::Filtering& program, const std::vector<pie::Factor>& factors);
/// The error of unseen ratings is to be at most a tenth above that of one thread's descent.
Result<std::string> verify_cf(const Graph& graph, const ProgramSettings& settings,
                              const ProgramOptions& options, const ProgramValues& values);

}  // namespace leeway
