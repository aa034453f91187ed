#include "leeway/runtime/pie/predictor.h"

#include <dlib/random_forest.h>

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"

namespace leeway::pie {

namespace {

constexpr std::size_t kTrees = 10;
constexpr std::size_t kFewSamples = 30;
using Extractor = dlib::dense_feature_extractor;
using Column = Extractor::sample_type;

Column column_of(const RoundFeatures& features) {
  Column column(static_cast<long>(features.size()));
  for (std::size_t i = 0; i < features.size(); ++i) column(static_cast<long>(i)) = features[i];
  return column;
}

}  // namespace

struct RoundPredictor::Forest {
  dlib::random_forest_regression_function<Extractor> function;
};

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

void add_messages(RoundFeatures& features, std::span<const VertexId> spoken_of,
                  std::uint32_t vertices, std::uint32_t length) {
  LEEWAY_CHECK(length > 0U);
  features.push_back(static_cast<double>(spoken_of.size()));
  const std::size_t z = features.size();
  features.resize(z + length, 0);
  const std::uint32_t interval = std::max(1U, (vertices + length - 1) / length);
  for (const VertexId vertex : spoken_of) ++features[z + vertex.value() / interval];
}

void RoundPredictor::train(std::span<const RoundSample> samples) {
  LEEWAY_CHECK(!samples.empty());
  const std::size_t count = std::min(samples.size(), kMostSamples);
  std::vector<Column> columns;
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

void Calibration::seen(double predicted, double true_seconds) {
  if (set() || predicted <= 0) return;
  ratios_.push_back(true_seconds / predicted);
  if (!set()) return;
  std::vector<double> sorted = ratios_;
  std::nth_element(sorted.begin(), sorted.begin() + kRounds / 2, sorted.end());
  ratio_ = sorted[kRounds / 2];
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

}  // namespace leeway::pie
