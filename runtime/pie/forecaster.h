// Who says what a worker's next round will take (AAP §6): asked by the engine when a worker with messages may
// run, told afterwards what the round took. Without one a worker's own rounds are its estimate. One node's,
// one thread's own.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace leeway::pie {

class VirtualWorker;

/// X_j: x1 to x7, then Z.
using RoundFeatures = std::vector<double>;

struct RoundSample {
  RoundFeatures features;
  double seconds = 0;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.features, self.seconds);
  }
};

/// What forecasting took of this machine; under sim too, where it is charged something else.
struct ForecastCost {
  std::uint64_t predictions = 0;
  std::uint64_t trained_on = 0;   ///< rounds; 0: no forest has been trained
  double predicting_seconds = 0;  ///< features and forest
  double training_seconds = 0;

  void add(const ForecastCost& other) {
    predictions += other.predictions;
    trained_on += other.trained_on;
    predicting_seconds += other.predicting_seconds;
    training_seconds += other.training_seconds;
  }
};

class Forecaster {
 public:
  virtual ~Forecaster() = default;
  /// Seconds that IncEval would take with what is in the buffer; nothing if it cannot tell yet.
  [[nodiscard]] virtual std::optional<double> predict(const VirtualWorker& worker) = 0;
  /// A round of IncEval begins, with what is in the buffer.
  virtual void begins(const VirtualWorker& worker) = 0;
  virtual void took(const VirtualWorker& worker, double seconds) = 0;
  [[nodiscard]] virtual ForecastCost cost() const = 0;
  /// All rounds, if they were to be kept.
  [[nodiscard]] virtual std::vector<RoundSample> take_log() = 0;
};

}  // namespace leeway::pie
