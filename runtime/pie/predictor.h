// Predicts how long a worker's next round of IncEval takes (AAP §6): a forest of ten regression trees over
// seven numbers of the fragment and its messages, and an embedding Z of the vertices that these speak of.
// Beside it the plain mean of all rounds before. What counts is equation (6), which punishes estimates that
// are too high without bound and those that are too low by 1 at most; so the trees learn reciprocals of
// times, whose mean, in a leaf, is nearly what makes (6) least.
//
// One thread's own while it trains; any thread may predict afterwards.
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

/// L: how many places Z has by default.
inline constexpr std::uint32_t kEmbedding = 300;

/// x1 to x6: the fragment's number, vertices, border vertices, arcs, share of border vertices, density.
[[nodiscard]] RoundFeatures fragment_features(const Fragment& fragment, std::uint64_t border);
/// Adds x7, how many vertices messages speak of, and Z: how many of them lie in each of `length` equal
/// stretches of [0, vertices).
void add_messages(RoundFeatures& features, std::span<const VertexId> spoken_of,
                  std::uint32_t vertices, std::uint32_t length = kEmbedding);

/// How many samples a forest is trained on at most.
inline constexpr std::size_t kMostSamples = 512;

class RoundPredictor {
 public:
  RoundPredictor();
  ~RoundPredictor();
  RoundPredictor(RoundPredictor&&) noexcept;
  RoundPredictor& operator=(RoundPredictor&&) noexcept;

  /// Of more than `kMostSamples` so many are taken at equal distances, for training has to be over within
  /// a few rounds. Requires samples, all of one length, with times above 0 (checked).
  void train(std::span<const RoundSample> samples);
  [[nodiscard]] bool trained() const { return forest_ != nullptr; }
  [[nodiscard]] double predict(const RoundFeatures& features) const;

 private:
  struct Forest;
  std::unique_ptr<Forest> forest_;
};

/// Keeps predictions to a run's own scale (AAP §6.2, SSSP and CC): true times over predicted ones, of the first
/// rounds, multiply all that follow. The paper takes the first round alone; where rounds differ by orders
/// of magnitude one of them says little, so this is the median of fifteen.
class Calibration {
 public:
  [[nodiscard]] bool set() const { return ratios_.size() == kRounds; }
  /// Once it is set this changes nothing.
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

// Forecasts by a random forest: trained before the run on earlier runs' logs, for programs whose rounds depend
// on the query, or within it on a node's first rounds (AAP §6.2). Logs are files of text, a round a line.
struct ForestOptions {
  std::uint32_t vertices = 0;            ///< of the graph
  std::uint32_t embedding = kEmbedding;  ///< L; that of `earlier` where there are some
  std::uint32_t train_after = 64;        ///< so many rounds of a node's workers
  bool calibrate = false;                ///< to the run's own scale, by its first rounds
  bool forecast = true;                  ///< else only a log is kept
  bool keep_log = false;
  std::vector<RoundSample> earlier;  ///< trained on instead
};

/// Each node makes its own of these options, which outlive it.
[[nodiscard]] std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options);

/// One line a round: seconds, x1 to x7, L, and the places of Z that are not 0 as place:count.
[[nodiscard]] std::string round_log_text(const std::vector<RoundSample>& samples);
/// `name` is what errors call the text. All samples have Z of one length.
Result<std::vector<RoundSample>> parse_round_log(std::string_view text, const std::string& name);

}  // namespace leeway::pie
