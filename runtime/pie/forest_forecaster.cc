#include "leeway/runtime/pie/forest_forecaster.h"
#include "leeway/runtime/pie/virtual_worker.h"

#include <algorithm>

#include "leeway/base/clock.h"

namespace leeway::pie {

namespace {

class ForestForecaster final : public Forecaster {
 public:
  explicit ForestForecaster(const ForestOptions& options) : options_(options) {
    if (options_.forecast && !options_.earlier.empty()) train(options_.earlier);
  }

  std::optional<double> predict(const VirtualWorker& worker) override {
    if (!forest_.trained()) return std::nullopt;
    const SteadyClock clock;
    const Instant started = clock.now();
    double found = forest_.predict(features_of(worker));
    if (options_.calibrate) found = calibration_.of(found);
    cost_.predicting_seconds += seconds(clock.now() - started);
    ++cost_.predictions;
    return found;
  }

  void begins(const VirtualWorker& worker) override {
    const bool learns = options_.forecast && (!forest_.trained() || calibrating());
    if (learns || options_.keep_log) under_way_ = features_of(worker);
  }

  void took(const VirtualWorker&, double seconds) override {
    if (under_way_.empty() || seconds <= 0) return;
    if (calibrating()) calibration_.seen(forest_.predict(under_way_), seconds);
    const bool learns = options_.forecast && !forest_.trained();
    if (learns || options_.keep_log) rounds_.push_back({std::move(under_way_), seconds});
    under_way_.clear();
    if (!learns || rounds_.size() < options_.train_after) return;
    train(rounds_);
    if (!options_.keep_log) rounds_.clear();
  }

  [[nodiscard]] ForecastCost cost() const override { return cost_; }
  [[nodiscard]] std::vector<RoundSample> take_log() override {
    return options_.keep_log ? std::move(rounds_) : std::vector<RoundSample>();
  }

 private:
  [[nodiscard]] bool calibrating() const {
    return options_.calibrate && forest_.trained() && !calibration_.set();
  }

  void train(std::span<const RoundSample> samples) {
    const SteadyClock clock;
    const Instant started = clock.now();
    forest_.train(samples);
    cost_.training_seconds += seconds(clock.now() - started);
    cost_.trained_on = std::min(samples.size(), kMostSamples);
  }

  [[nodiscard]] RoundFeatures features_of(const VirtualWorker& worker) {
    const Fragment& fragment = worker.fragment();
    RoundFeatures& fixed = of_fragment_[fragment.id()];
    if (fixed.empty()) fixed = fragment_features(fragment, worker.border_count());
    spoken_of_.clear();
    worker.each_update([this](VertexId vertex) { spoken_of_.push_back(vertex); });
    RoundFeatures features = fixed;
    add_messages(features, spoken_of_, options_.vertices, options_.embedding);
    return features;
  }

  const ForestOptions& options_;
  RoundPredictor forest_;
  Calibration calibration_;
  ForecastCost cost_;
  RoundFeatures under_way_;
  std::vector<RoundSample> rounds_;
  std::vector<VertexId> spoken_of_;
  std::map<PartId, RoundFeatures> of_fragment_;
};

}  // namespace

std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options) {
  return std::make_unique<ForestForecaster>(options);
}

}  // namespace leeway::pie
