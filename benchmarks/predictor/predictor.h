// Predictors of a worker's next round time of IncEval (AAP §6): features of a round, logs of rounds, the model that is
// trained on them (a random forest, forest.h) with its file, and forest_forecaster, which uses a model for a node's
// workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "benchmarks/predictor/forest.h"
#include "datasets/graph.h"
#include "leeway/pie_program.h"
#include "runtime/pie/fragment.h"

namespace leeway::pie {

/// L: the default length of Z.
inline constexpr std::uint32_t kEmbedding = 300;
/// The number of features before Z: x1 to x7 of the paper, and two of our own. IncEval is bounded here: a round visits
/// nothing for an update that brings nothing new, and may leave work to the next one. Neither can be seen in x1 to x7
/// and Z.
inline constexpr std::uint32_t kScalarFeatures = 9;

/// Vertex numbers in breadth-first order, by vertex (AAP Exp-5): close vertices fall into the same interval of Z.
[[nodiscard]] std::vector<std::uint32_t> breadth_first_numbers(const Graph& graph);

/// x1 to x6: the fragment's number, vertices, border vertices, arcs, share of border vertices, density.
[[nodiscard]] RoundFeatures fragment_features(const Fragment& fragment, std::uint64_t border);
/// What the round does with its messages.
struct RoundInput {
  double matter = 0;   ///< x8: updates that cause work
  double backlog = 0;  ///< x9: work left by earlier rounds
  double weight = 1;   ///< number of updates that each given one counts as
};
/// Updates of which the features of a round are computed at most; of more, every k-th is counted k times, so that a
/// prediction does not take long.
inline constexpr std::size_t kMostUpdates = 512;
/// Adds x7, the number of vertices that messages update, x8 and x9, and Z: the number of the vertices in each of
/// `length` equal intervals of [0, vertices).
void add_messages(RoundFeatures& features, std::span<const VertexId> updated,
                  const RoundInput& input, std::uint32_t vertices,
                  std::uint32_t length = kEmbedding);

/// Equation (6): the mean of squared errors relative to the true times.
[[nodiscard]] double mean_squared_relative_error(std::span<const double> truth,
                                                 std::span<const double> predicted);

/// Scales predictions to a run (AAP §6.2, SSSP and CC): multiplies them by the factor c with the least squared relative
/// error over the run's rounds so far, sum((1 - c p/t)^2), plus kPrior rounds on which the predictions were exact. The
/// paper takes the ratio of the first round alone; if rounds of equal features differ by orders of magnitude, one
/// ratio is unreliable. For the same reason p/t counts as at most kMostRatio.
class Calibration {
 public:
  void seen(double predicted, double true_seconds);
  [[nodiscard]] double of(double predicted) const { return first_ / second_ * predicted; }

 private:
  static constexpr double kPrior = 4;
  static constexpr double kMostRatio = 4;

  double first_ = kPrior;   // sum of p/t
  double second_ = kPrior;  // sum of (p/t)^2
};

/// Measured rounds of one program, of one or more queries.
struct RoundLog {
  std::string program;
  std::uint32_t vertices = 0;   ///< of the graph
  std::uint32_t embedding = 0;  ///< L
  std::vector<RoundSample> samples;
  std::vector<std::size_t> queries;  ///< the first sample of each query

  [[nodiscard]] std::span<const RoundSample> query(std::size_t index) const;
};

/// The content of a log or model file.
Result<std::string> read_predictor_file(const std::string& path);
/// The log of one query: a line with program, vertices and L, then a line for each round: seconds, end, x1 to x9, and
/// the non-zero entries of Z as index:count. Texts of several queries may be concatenated.
[[nodiscard]] std::string round_log_text(const RoundLog& log);
/// Parses round_log_text. `name`: the text's name in errors. Sorts the rounds of a query by their ends.
Result<RoundLog> parse_round_log(std::string_view text, const std::string& name);
[[nodiscard]] bool is_round_log(std::string_view text);
/// Appends the queries of `more`; an error if program or L differ. `name`: of `more`, in the error.
Status append_log(RoundLog& log, RoundLog more, const std::string& name);

/// A trained forest, and what it was trained on. Immutable while runs use it.
struct ForestModel {
  std::string program;
  std::uint32_t vertices = 0;   ///< of the graph
  std::uint32_t embedding = 0;  ///< L
  std::uint64_t rounds = 0;
  std::uint64_t queries = 0;
  double pruning = 0;           ///< cost of a leaf
  double validated = 0;         ///< mean squared relative error by cross-validation
  double training_seconds = 0;  ///< not in the file
  RegressionForest forest;
};

/// A text file: a line with what the model was trained on, then the trees.
[[nodiscard]] std::string model_text(const ForestModel& model);
/// Parses model_text; an error names the line that is wrong. `name`: the text's name in errors.
Result<ForestModel> parse_model(std::string_view text, const std::string& name);

/// Rounds of a log on which a forest is trained at most: of a longer one, rounds at equal distances.
inline constexpr std::size_t kMostSamples = 30'000;
/// Rounds of a log on which pruning is chosen at most.
inline constexpr std::size_t kMostValidated = 10'000;

struct TrainedModel {
  ForestModel model;
  CrossValidation validation;
};

/// Trains a forest on a log; the pruning is the one that cross-validation chooses. Its folds are queries, at most ten
/// groups, so that the error is that on unseen queries; of a single query, every tenth round. `threads` as in
/// thread_count; the model does not depend on it. An error if the log has fewer than two rounds.
Result<TrainedModel> train_model(const RoundLog& log, unsigned threads, const std::string& name);

/// Rounds on which a forest is trained within a run at most.
inline constexpr std::size_t kMostInRun = 512;
/// Trains a forest on the first rounds of a run, of many on kMostInRun at equal distances. They are too few to choose the
/// pruning by cross-validation, and the next round must not wait for it, so it is fixed. Requires samples.
[[nodiscard]] RegressionForest train_in_run(std::span<const RoundSample> samples);

/// Mean squared relative errors on one or more queries; always predicting 0 has the error 1.
struct ForecastErrors {
  std::uint64_t rounds = 0;
  double forest = 0;
  double mean = 0;  ///< of the mean of all previous rounds of the query, without PEval
};
/// Predicts the rounds of every query but its first, in the order of their ends. `calibrate`: by the query's earlier
/// rounds. Requires a log with the model's L.
[[nodiscard]] ForecastErrors forecast_errors(const ForestModel& model, const RoundLog& log,
                                             bool calibrate);

/// Options of the forecaster.
struct ForestOptions {
  std::uint32_t embedding = kEmbedding;  ///< L; with a model, the model's
  std::uint32_t train_after = 64;  ///< without a model: rounds of a node before the first training
  bool calibrate = false;
  bool forecast = true;  ///< false: only keep a log
  bool keep_log = false;
  std::optional<ForestModel> model;    ///< empty: each node trains a forest on its own rounds
  std::vector<std::uint32_t> numbers;  ///< of the vertices, for Z
};

/// Makes the forecaster of one node. The options must outlive it.
[[nodiscard]] std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options);

}  // namespace leeway::pie
