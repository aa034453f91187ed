#include "runtime/pie/predictor.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#ifdef LEEWAY_HAS_DLIB
#include <dlib/random_forest.h>
#endif

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/median.h"
#include "runtime/pie/virtual_worker.h"

namespace leeway::pie {

namespace {

class ForestForecaster final : public Forecaster {
 public:
  explicit ForestForecaster(const ForestOptions& options) : options_(options) {
    if (options_.forecast && !options_.earlier.empty()) train(options_.earlier);
  }

  std::optional<double> predict(const VirtualWorker& worker) override {
    if (!forest_.trained()) return std::nullopt;
    const Stopwatch watch;
    double found = forest_.predict(features_of(worker));
    if (options_.calibrate) found = calibration_.of(found);
    cost_.predicting_seconds += watch.elapsed_seconds();
    ++cost_.predictions;
    return found;
  }

  void begins(const VirtualWorker& worker) override {
    const bool learns = options_.forecast && (!forest_.trained() || calibrating());
    if (learns || options_.keep_log) current_ = features_of(worker);
  }

  void took(const VirtualWorker&, double seconds) override {
    if (current_.empty() || seconds <= 0) return;
    if (calibrating()) calibration_.seen(forest_.predict(current_), seconds);
    const bool learns = options_.forecast && !forest_.trained();
    if (learns || options_.keep_log) rounds_.push_back({std::move(current_), seconds});
    current_.clear();
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
    const Stopwatch watch;
    forest_.train(samples);
    cost_.training_seconds += watch.elapsed_seconds();
    cost_.trained_on = std::min(samples.size(), kMostSamples);
  }

  [[nodiscard]] RoundFeatures features_of(const VirtualWorker& worker) {
    const Fragment& fragment = worker.fragment();
    RoundFeatures& fixed = of_fragment_[fragment.id()];
    if (fixed.empty()) fixed = fragment_features(fragment, worker.border_count());
    updated_.clear();
    worker.each_update([this](VertexId vertex) { updated_.push_back(vertex); });
    RoundFeatures features = fixed;
    add_messages(features, updated_, options_.vertices, options_.embedding);
    return features;
  }

  const ForestOptions& options_;
  RoundPredictor forest_;
  Calibration calibration_;
  ForecastCost cost_;
  RoundFeatures current_;
  std::vector<RoundSample> rounds_;
  std::vector<VertexId> updated_;
  std::map<PartId, RoundFeatures> of_fragment_;
};

}  // namespace

std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options) {
  return std::make_unique<ForestForecaster>(options);
}

#ifdef LEEWAY_HAS_DLIB

Status check_forest() { return {}; }

namespace {

constexpr std::size_t kTrees = 10;
constexpr std::size_t kFewSamples = 30;
using Extractor = dlib::dense_feature_extractor;
using FeatureColumn = Extractor::sample_type;

FeatureColumn column_of(const RoundFeatures& features) {
  FeatureColumn column(static_cast<long>(features.size()));
  for (std::size_t i = 0; i < features.size(); ++i) column(static_cast<long>(i)) = features[i];
  return column;
}

}  // namespace

struct RoundPredictor::Forest {
  dlib::random_forest_regression_function<Extractor> function;
};

void RoundPredictor::train(std::span<const RoundSample> samples) {
  LEEWAY_CHECK(!samples.empty());
  const std::size_t count = std::min(samples.size(), kMostSamples);
  std::vector<FeatureColumn> columns;
  std::vector<double> reciprocals;
  for (std::size_t i = 0; i < count; ++i) {
    const RoundSample& sample = samples[i * samples.size() / count];
    LEEWAY_CHECK(sample.seconds > 0);
    columns.push_back(column_of(sample.features));
    reciprocals.push_back(1 / sample.seconds);
  }
  dlib::random_forest_regression_trainer<Extractor> trainer;
  trainer.set_num_trees(kTrees);
  trainer.set_seed("leeway");
  trainer.set_feature_subsampling_fraction(1.0 / 3);
  trainer.set_min_samples_per_leaf(count < kFewSamples ? 1 : 3);
  forest_ = std::make_unique<Forest>();
  forest_->function = trainer.train(columns, reciprocals);
}

double RoundPredictor::predict(const RoundFeatures& features) const {
  LEEWAY_CHECK(trained());
  return 1 / forest_->function(column_of(features));
}

#else

Status check_forest() {
  return fail(environment_error(
      "--predictor", "this build has no random forest, because dlib was not installed",
      "run ./dev build, which installs libdlib-dev, or give --predictor mean"));
}

struct RoundPredictor::Forest {};

void RoundPredictor::train(std::span<const RoundSample>) {
  LEEWAY_CHECK(check_forest().has_value());
}

double RoundPredictor::predict(const RoundFeatures&) const {
  LEEWAY_CHECK(trained());
  return 0;
}

#endif

RoundPredictor::RoundPredictor() = default;
RoundPredictor::~RoundPredictor() = default;
RoundPredictor::RoundPredictor(RoundPredictor&&) noexcept = default;
RoundPredictor& RoundPredictor::operator=(RoundPredictor&&) noexcept = default;

RoundFeatures fragment_features(const Fragment& fragment, std::uint64_t border) {
  const double vertices = fragment.vertex_count();
  const auto edges = static_cast<double>(fragment.arc_count());
  const auto at_border = static_cast<double>(border);
  return {static_cast<double>(fragment.id().value()),
          vertices,
          at_border,
          edges,
          vertices > 0 ? at_border / vertices : 0,
          vertices > 1 ? edges / (vertices * (vertices - 1)) : 0};
}

void add_messages(RoundFeatures& features, std::span<const VertexId> updated,
                  std::uint32_t vertices, std::uint32_t length) {
  LEEWAY_CHECK(length > 0U);
  features.push_back(static_cast<double>(updated.size()));
  const std::size_t z = features.size();
  features.resize(z + length, 0);
  const std::uint32_t interval = std::max(1U, (vertices + length - 1) / length);
  for (const VertexId vertex : updated) ++features[z + vertex.value() / interval];
}

void Calibration::seen(double predicted, double true_seconds) {
  if (set() || predicted <= 0) return;
  ratios_.push_back(true_seconds / predicted);
  if (!set()) return;
  ratio_ = median(ratios_);
}

double mean_squared_relative_error(std::span<const double> truth,
                                   std::span<const double> predicted) {
  LEEWAY_CHECK(truth.size() == predicted.size());
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = (truth[i] - predicted[i]) / truth[i];
    sum += error * error;
  }
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

namespace {

// Logs of rounds as text.
constexpr std::string_view kHead = "# leeway rounds 1";
constexpr std::size_t kNumbers = 7;  // x1 to x7
constexpr std::uint64_t kLongest = 100'000;

/// Reads the words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : left_(line) {}

  /// False if there is no further word, or it is not a number.
  template <class T>
  [[nodiscard]] bool number(T& value) {
    skip();
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc()) return false;
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return true;
  }
  [[nodiscard]] bool mark(char expected) {
    if (left_.empty() || left_.front() != expected) return false;
    left_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool over() {
    skip();
    return left_.empty();
  }

 private:
  void skip() {
    while (!left_.empty() && left_.front() == ' ') left_.remove_prefix(1);
  }
  std::string_view left_;
};

bool parse_line(std::string_view line, RoundSample& sample) {
  Words words(line);
  if (!words.number(sample.seconds) || !(sample.seconds > 0)) return false;
  sample.features.resize(kNumbers);
  for (double& value : sample.features) {
    if (!words.number(value)) return false;
  }
  std::uint64_t length = 0;
  if (!words.number(length) || length == 0 || length > kLongest) return false;
  sample.features.resize(kNumbers + length, 0);
  while (!words.over()) {
    std::uint64_t place = 0;
    double count = 0;
    if (!words.number(place) || place >= length || !words.mark(':') || !words.number(count))
      return false;
    sample.features[kNumbers + place] = count;
  }
  return true;
}

}  // namespace

std::string round_log_text(const std::vector<RoundSample>& samples) {
  std::string text(kHead);
  text += ": seconds, x1 to x7, L, place:count of Z\n";
  for (const RoundSample& sample : samples) {
    text += format("{}", sample.seconds);
    for (std::size_t i = 0; i < kNumbers; ++i) text += format(" {}", sample.features[i]);
    text += format(" {}", sample.features.size() - kNumbers);
    for (std::size_t i = kNumbers; i < sample.features.size(); ++i) {
      if (sample.features[i] != 0) text += format(" {}:{}", i - kNumbers, sample.features[i]);
    }
    text += '\n';
  }
  return text;
}

Result<std::vector<RoundSample>> parse_round_log(std::string_view text, const std::string& name) {
  const auto wrong = [&](std::size_t line, const char* what) {
    return fail(input_error(format("{}:{}", name, line), what,
                            "give a file that leeway run --round-log has written"));
  };
  if (!text.starts_with(kHead)) return wrong(1, "the file is not a log of rounds");
  std::vector<RoundSample> samples;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (++number == 1 || line.empty()) continue;
    RoundSample sample;
    if (!parse_line(line, sample)) return wrong(number, "this line is not a round");
    if (!samples.empty() && sample.features.size() != samples.front().features.size())
      return wrong(number, "this round's Z has another length than the first round's");
    samples.push_back(std::move(sample));
  }
  if (samples.empty()) return wrong(1, "the log has no rounds to learn from");
  return samples;
}

}  // namespace leeway::pie
