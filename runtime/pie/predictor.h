// Predictors of a worker's next round time of IncEval (AAP §6): RoundPredictor is a forest of ten regression trees
// over seven features of the fragment and its messages and the message embedding Z; forest_forecaster uses it for a
// node's workers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/pie_program.h"
#include "leeway/result.h"
#include "runtime/pie/fragment.h"

namespace leeway::pie {

/// L: the default length of Z.
inline constexpr std::uint32_t kEmbedding = 300;

/// x1 to x6: the fragment's number, vertices, border vertices, arcs, share of border vertices, density.
[[nodiscard]] RoundFeatures fragment_features(const Fragment& fragment, std::uint64_t border);
/// Adds x7, the number of vertices that messages update, and Z: the number of them in each of `length` equal
/// intervals of [0, vertices).
void add_messages(RoundFeatures& features, std::span<const VertexId> updated,
                  std::uint32_t vertices, std::uint32_t length = kEmbedding);

/// The largest number of samples on which a forest is trained.
inline constexpr std::size_t kMostSamples = 512;

/// The random forest. The error measure is equation (6): an estimate that is too high has an unbounded error, one
/// that is too low at most 1. The trees therefore learn reciprocals of times, whose mean in a leaf nearly minimizes
/// (6). Not thread-safe during `train`; afterwards any thread may predict.
class RoundPredictor {
 public:
  RoundPredictor();
  ~RoundPredictor();
  RoundPredictor(RoundPredictor&&) noexcept;
  RoundPredictor& operator=(RoundPredictor&&) noexcept;

  /// Of more than `kMostSamples` samples, an equidistant subset is used, because training must end within a few
  /// rounds. Requires samples, all of one length, with times above 0 (checked).
  void train(std::span<const RoundSample> samples);
  [[nodiscard]] bool trained() const { return forest_ != nullptr; }
  [[nodiscard]] double predict(const RoundFeatures& features) const;

 private:
  struct Forest;
  std::unique_ptr<Forest> forest_;
};

/// Scales predictions to a run (AAP §6.2, SSSP and CC): the ratio of true to predicted times, measured in the first
/// rounds, multiplies all later predictions. The paper uses the first round only; if rounds differ by orders of
/// magnitude, one ratio is unreliable, so this is the median of fifteen.
class Calibration {
 public:
  [[nodiscard]] bool set() const { return ratios_.size() == kRounds; }
  /// Adds a measurement; without effect once the scale is set.
  void seen(double predicted, double true_seconds);
  [[nodiscard]] double of(double predicted) const { return set() ? ratio_ * predicted : predicted; }

 private:
  static constexpr std::size_t kRounds = 15;

  std::vector<double> ratios_;
  double ratio_ = 1;
};

/// Equation (6): the mean of squared errors relative to the true times.
[[nodiscard]] double mean_squared_relative_error(std::span<const double> truth,
                                                 std::span<const double> predicted);

/// An Environment error if this build has no random forest, because dlib was not there.
[[nodiscard]] Status check_forest();

/// Options of the forecaster by random forest. It is trained before the run on logs of earlier runs, for programs
/// whose rounds depend on the query, or in the run on a node's first rounds (AAP §6.2). Logs are text files, a round
/// on each line.
struct ForestOptions {
  std::uint32_t vertices = 0;            ///< of the graph
  std::uint32_t embedding = kEmbedding;  ///< L; for `earlier` samples, theirs
  std::uint32_t train_after = 64;        ///< rounds of a node's workers before training
  bool calibrate = false;  ///< scale predictions by the run's first rounds (Calibration)
  bool forecast = true;    ///< false: only keep a log
  bool keep_log = false;
  std::vector<RoundSample>
      earlier;  ///< samples to train on before the run; empty: train in the run
};

/// Makes the forecaster of one node. The options must outlive it.
[[nodiscard]] std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options);

/// One line for each round: seconds, x1 to x7, L, and the non-zero entries of Z as index:count.
[[nodiscard]] std::string round_log_text(const std::vector<RoundSample>& samples);
/// Parses round_log_text. `name`: the text's name in errors. All samples must have Z of the same length.
Result<std::vector<RoundSample>> parse_round_log(std::string_view text, const std::string& name);

}  // namespace leeway::pie
