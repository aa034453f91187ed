// The predictor of round times (AAP §6): features, embedding, forest and calibration.
#include <catch2/catch.hpp>

#include "base/random.h"
#include "runtime/pie/predictor.h"

using namespace leeway;
using namespace leeway::pie;

TEST_CASE("messages are embedded by ranges of vertex ids, as in the paper's example") {
  // Ids 3, 87, 26, 47, 33 of 100, in four ranges; ours begin at 0.
  RoundFeatures features;
  const std::vector<VertexId> ids = {VertexId(2), VertexId(86), VertexId(25), VertexId(46),
                                     VertexId(32)};
  add_messages(features, ids, 100, 4);
  CHECK(features == RoundFeatures{5, 1, 3, 0, 1});
}

TEST_CASE("relative errors weight short and long rounds equally") {
  const std::vector<double> truth = {100, 500, 1200};
  const std::vector<double> predicted = {80, 600, 800};
  CHECK(mean_squared_relative_error(truth, predicted) == Approx((0.04 + 0.04 + 1.0 / 9) / 3));
}

TEST_CASE("a forest predicts round times far better than their mean") {
  Random random(3, 1);
  std::vector<RoundSample> samples;
  for (int i = 0; i < 400; ++i) {
    const double messages = static_cast<double>(1 + random.below(1000));
    const double fragment = static_cast<double>(random.below(8));
    samples.push_back({{fragment, messages, random.unit()}, 1e-6 * messages * (1 + fragment)});
  }
  RoundPredictor predictor;
  predictor.train(std::span(samples).first(300));
  std::vector<double> truth, found, mean;
  double sum = 0;
  for (int i = 0; i < 300; ++i) sum += samples[static_cast<std::size_t>(i)].seconds;
  for (std::size_t i = 300; i < samples.size(); ++i) {
    truth.push_back(samples[i].seconds);
    found.push_back(predictor.predict(samples[i].features));
    mean.push_back(sum / 300);
  }
  CHECK(mean_squared_relative_error(truth, found) < mean_squared_relative_error(truth, mean) / 10);
}

TEST_CASE("the first measured times calibrate later predictions, despite an outlier") {
  Calibration calibration;
  CHECK(calibration.of(3) == 3);
  calibration.seen(1e-9, 5);
  CHECK(calibration.of(3) == 3);
  for (int round = 1; round < 15; ++round) calibration.seen(2, 5);
  CHECK(calibration.of(4) == 10);
  calibration.seen(1, 1);
  CHECK(calibration.of(4) == 10);
}
