// Predicts how long a worker's next round of IncEval takes (AAP §6): a forest of ten regression trees over
// seven numbers of the fragment and its messages, and an embedding Z of the vertices that these speak of.
// Beside it the plain mean of all rounds before. Errors are relative: a forest learns logarithms of times.
//
// One thread's own while it trains; any thread may predict afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "leeway/runtime/pie/fragment.h"

namespace leeway::pie {

/// L: how many places Z has by default.
inline constexpr std::uint32_t kEmbedding = 300;

/// X_j: x1 to x7, then Z.
using RoundFeatures = std::vector<double>;

/// x1 to x6: the fragment's number, vertices, border vertices, arcs, share of border vertices, density.
[[nodiscard]] RoundFeatures fragment_features(const Fragment& fragment, std::uint64_t border);
/// Adds x7, how many vertices messages speak of, and Z: how many of them lie in each of `length` equal
/// stretches of [0, vertices).
void add_messages(RoundFeatures& features, std::span<const VertexId> spoken_of,
                  std::uint32_t vertices, std::uint32_t length = kEmbedding);

struct RoundSample {
  RoundFeatures features;
  double seconds = 0;
};

class RoundPredictor {
 public:
  RoundPredictor();
  ~RoundPredictor();
  RoundPredictor(RoundPredictor&&) noexcept;
  RoundPredictor& operator=(RoundPredictor&&) noexcept;

  /// Requires samples, all of one length, with times above 0 (checked).
  void train(std::span<const RoundSample> samples);
  [[nodiscard]] bool trained() const { return forest_ != nullptr; }
  [[nodiscard]] double predict(const RoundFeatures& features) const;

 private:
  struct Forest;
  std::unique_ptr<Forest> forest_;
};

/// Keeps predictions to a run's own scale (AAP §6.2, SSSP and CC): the first round's true time over what was
/// predicted for it multiplies all that follow.
class Calibration {
 public:
  [[nodiscard]] bool set() const { return ratio_ > 0; }
  void first(double predicted, double true_seconds) {
    if (predicted > 0) ratio_ = true_seconds / predicted;
  }
  [[nodiscard]] double of(double predicted) const { return set() ? ratio_ * predicted : predicted; }

 private:
  double ratio_ = 0;
};

/// Equation (6): the mean of squared errors relative to the true times.
[[nodiscard]] double mean_squared_relative_error(std::span<const double> truth,
                                                 std::span<const double> predicted);

}  // namespace leeway::pie
