// The predictor of round times (AAP §6): features, embedding, forest, cross-validation, files and calibration.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.h"
#include "benchmarks/predictor/predictor.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using namespace leeway::pie;
using leeway::testing::random_graph;

namespace {

/// Rounds whose times depend on fragment, messages and one interval of Z, over three orders of magnitude, and are
/// disturbed by factors up to `noise`. Other features are random.
RoundLog made_log(std::uint64_t seed, std::uint32_t queries, std::uint32_t rounds, double noise) {
  RoundLog log{.program = "sssp", .vertices = 1000, .embedding = 4};
  Random random(seed, 1);
  for (std::uint32_t query = 0; query < queries; ++query) {
    log.queries.push_back(log.samples.size());
    for (std::uint32_t round = 0; round < rounds; ++round) {
      RoundSample sample;
      for (std::uint32_t i = 0; i < kScalarFeatures + log.embedding; ++i)
        sample.features.push_back(static_cast<double>(random.below(1000)));
      sample.features[0] = static_cast<double>(random.below(8));
      sample.features[kScalarFeatures + 2] = static_cast<double>(random.below(2));
      const double slow = sample.features[kScalarFeatures + 2] > 0 ? 100 : 1;
      sample.seconds = 1e-7 * (1 + sample.features[0]) * (50 + sample.features[6]) * slow *
                       std::pow(noise, random.unit());
      sample.at = round;
      log.samples.push_back(std::move(sample));
    }
  }
  return log;
}

TrainedModel trained(const RoundLog& log, unsigned threads = 1) {
  auto model = train_model(log, threads, "log");
  REQUIRE(model.has_value());
  return std::move(*model);
}

}  // namespace

TEST_CASE("messages are embedded by ranges of vertex ids, as in the paper's example") {
  // Ids 3, 87, 26, 47, 33 of 100, in four ranges; ours begin at 0.
  RoundFeatures features;
  const std::vector<VertexId> ids = {VertexId(2), VertexId(86), VertexId(25), VertexId(46),
                                     VertexId(32)};
  add_messages(features, ids, {.matter = 3, .backlog = 7}, 100, 4);
  CHECK(features == RoundFeatures{5, 3, 7, 1, 3, 0, 1});
  // Every third update of a larger buffer.
  RoundFeatures sampled;
  add_messages(sampled, ids, {.matter = 3, .backlog = 7, .weight = 3}, 100, 4);
  CHECK(sampled == RoundFeatures{15, 9, 7, 3, 9, 0, 3});
}

TEST_CASE("vertices are numbered by breadth-first search") {
  const Graph graph = generate("grid2d:3x3", {}).value();
  CHECK(breadth_first_numbers(graph) == std::vector<std::uint32_t>{0, 1, 3, 2, 4, 6, 5, 7, 8});
  // Each component from its smallest vertex.
  const Graph apart = random_graph(5, 300, 200, false);
  const std::vector<std::uint32_t> numbers = breadth_first_numbers(apart);
  std::vector<std::uint32_t> sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == i);
}

TEST_CASE("relative errors weight short and long rounds equally") {
  const std::vector<double> truth = {100, 500, 1200};
  const std::vector<double> predicted = {80, 600, 800};
  CHECK(mean_squared_relative_error(truth, predicted) == Approx((0.04 + 0.04 + 1.0 / 9) / 3));
  CHECK(mean_squared_relative_error(truth, std::vector<double>{0, 0, 0}) == 1);
}

TEST_CASE("a leaf's estimate has the least mean squared relative error") {
  const std::vector<double> row = {1};
  const std::vector<std::span<const double>> rows(4, row);
  const std::vector<double> seconds = {1, 1, 1, 1000};
  const TrainingTable table(rows, seconds);
  // Every bootstrap sample has targets 1 and 1000 only, so the estimate is between the optimum of all 1 and the mean.
  const std::vector<std::uint32_t> first_three = {0, 1, 2};
  CHECK(RegressionForest(table, first_three, 0, 1).predict(row) == 1);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3};
  const double estimate = RegressionForest(table, all, 0, 1).predict(row);
  CHECK(estimate > 1);
  CHECK(estimate < 1.01);
}

TEST_CASE("a forest predicts unseen rounds far better than their mean and better than 0") {
  const TrainedModel model = trained(made_log(3, 5, 300, 1.2));
  const ForecastErrors errors = forecast_errors(model.model, made_log(4, 1, 300, 1.2), false);
  CHECK(errors.rounds == 299);
  CHECK(errors.forest < 0.3);
  CHECK(errors.forest < errors.mean / 100);
  CHECK(model.model.rounds == 1500);
  CHECK(model.model.queries == 5);
}

TEST_CASE("rounds that nothing distinguishes are predicted better than by 0, with any noise") {
  RoundLog log = made_log(5, 4, 200, 1);
  Random random(5, 2);
  for (RoundSample& sample : log.samples) sample.seconds = std::pow(10, -7 + 4 * random.unit());
  RoundLog unseen = made_log(6, 1, 400, 1);
  for (RoundSample& sample : unseen.samples) sample.seconds = std::pow(10, -7 + 4 * random.unit());
  const ForecastErrors errors = forecast_errors(trained(log).model, unseen, false);
  CHECK(errors.forest < 1);
  CHECK(errors.mean > 1);
}

TEST_CASE("cross-validation prunes noise and keeps what can be learnt") {
  const CrossValidation noisy = trained(made_log(7, 10, 60, 1000)).validation;
  const CrossValidation clean = trained(made_log(7, 10, 60, 1)).validation;
  CHECK(noisy.folds == 10);
  CHECK(noisy.chosen > clean.chosen);
  for (const CrossValidation* each : {&noisy, &clean}) {
    for (std::size_t i = 1; i < each->steps.size(); ++i) {
      CHECK(each->steps[i].cost > each->steps[i - 1].cost);
      CHECK(each->steps[i].leaves <= each->steps[i - 1].leaves);
    }
    for (const PruningStep& step : each->steps)
      CHECK(each->steps[each->chosen].error <= 1.01 * step.error);
  }
}

TEST_CASE("folds are queries, and of a single query every tenth round") {
  CHECK(trained(made_log(8, 3, 40, 1.1)).validation.folds == 3);
  CHECK(trained(made_log(8, 14, 40, 1.1)).validation.folds == 10);
  CHECK(trained(made_log(8, 1, 40, 1.1)).validation.folds == 10);
  CHECK(trained(made_log(8, 1, 2, 1.1)).validation.folds == 2);
  CHECK_FALSE(train_model(made_log(8, 1, 1, 1.1), 1, "short.log").has_value());
}

TEST_CASE("a model does not depend on the number of threads") {
  const RoundLog log = made_log(9, 2, 200, 2);
  CHECK(model_text(trained(log, 1).model) == model_text(trained(log, 3).model));
}

TEST_CASE("a model and a log are read as they were written") {
  const RoundLog log = made_log(10, 2, 50, 2);
  const auto read = parse_round_log(round_log_text(log), "log");
  REQUIRE(read.has_value());
  CHECK(round_log_text(*read) == round_log_text(log));
  const ForestModel model = trained(log).model;
  const auto again = parse_model(model_text(model), "forest");
  REQUIRE(again.has_value());
  CHECK(model_text(*again) == model_text(model));
  for (const RoundSample& sample : log.samples)
    CHECK(again->forest.predict(sample.features) == model.forest.predict(sample.features));
}

TEST_CASE("every truncated model or log is an error") {
  const RoundLog log = made_log(11, 1, 12, 2);
  const std::string model = model_text(trained(log).model);
  for (std::size_t length = 0; length < model.size(); ++length)
    CHECK_FALSE(parse_model(std::string_view(model).substr(0, length), "forest").has_value());
  const std::string text = round_log_text(log);
  for (std::size_t length = 0; length < text.size(); ++length) {
    // A log may end after any line.
    const bool whole = length > 0 && text[length - 1] == '\n';
    CHECK(parse_round_log(std::string_view(text).substr(0, length), "log").has_value() == whole);
  }
}

TEST_CASE("wrong models are errors that name the line") {
  const std::string head = "# leeway forest 1 sssp 10 4 8 1 0.001 0.5\n";
  std::string trees;
  for (int tree = 0; tree < 9; ++tree) trees += "tree 1\nleaf 1 1\n";
  const auto error = [&](const std::string& last) {
    const auto model = parse_model(head + trees + last, "f");
    return model ? std::string("none") : model.error().to_string();
  };
  CHECK(error("tree 3\nsplit 12 0.5\nleaf 1 1\nleaf 2 4\n") == "none");
  using Catch::Matchers::Contains;
  CHECK_THAT(error("tree 3\nsplit 13 0.5\nleaf 1 1\nleaf 2 4\n"), Contains("f:21"));
  for (const char* wrong :
       {"tree 3\nsplit 1 nan\nleaf 1 1\nleaf 2 4\n", "tree 3\nsplit 1 inf\nleaf 1 1\nleaf 2 4\n",
        "tree 3\nsplit 1 1\nleaf nan 1\nleaf 2 4\n", "tree 3\nsplit 1 1\nleaf 0 1\nleaf 2 4\n",
        "tree 3\nsplit 1 1\nleaf 1 -1\nleaf 2 4\n", "tree 3\nleaf 1 1\nleaf 1 1\nleaf 2 4\n",
        "tree 2\nsplit 1 1\nleaf 1 1\n", "tree 3\nsplit 1 1\nsplit 1 1\nleaf 1 1\n", "tree 0\n",
        "tree 1\nleaf 1 1\nleaf 1 1\n", "tree 1\nleaf 1 1 1\n", "tree\n", "oak 1\nleaf 1 1\n"}) {
    INFO(wrong);
    CHECK_THAT(error(wrong), Contains("f:2"));
  }
  for (const char* wrong :
       {"", "# leeway forest 2 sssp 10 4 8 1 0.001 0.5\n",
        "# leeway forest 1 sssp 10 0 8 1 0.001 0.5\n", "# leeway forest 1 sssp 10 4 8 1 0.001\n",
        "# leeway forest 1 sssp 10 4 8 1 0.001 nan\n"}) {
    const auto model = parse_model(wrong + trees + "tree 1\nleaf 1 1\n", "f");
    REQUIRE_FALSE(model.has_value());
    CHECK_THAT(model.error().to_string(), Contains("f:1"));
  }
}

TEST_CASE("logs of another program or another L are not joined") {
  RoundLog log = made_log(12, 2, 10, 2);
  CHECK(append_log(log, made_log(13, 1, 10, 2), "more").has_value());
  CHECK(log.queries == std::vector<std::size_t>{0, 10, 20});
  RoundLog other = made_log(13, 1, 10, 2);
  other.program = "cc";
  CHECK_FALSE(append_log(log, other, "more").has_value());
  CHECK_FALSE(parse_round_log(round_log_text(log) + round_log_text(other), "both").has_value());
  RoundLog longer{.program = "sssp", .vertices = 1000, .embedding = 5, .queries = {0}};
  longer.samples.push_back({RoundFeatures(kScalarFeatures + 5, 1), 1, 1});
  CHECK_FALSE(append_log(log, longer, "more").has_value());
  CHECK_FALSE(parse_round_log(round_log_text(log) + round_log_text(longer), "both").has_value());
  CHECK(log.samples.size() == 30);
}

TEST_CASE("calibration scales predictions to a faster or slower machine, despite an outlier") {
  Calibration calibration;
  CHECK(calibration.of(3) == 3);
  for (int round = 0; round < 100; ++round) calibration.seen(2, 5);
  CHECK(calibration.of(2) == Approx(5).epsilon(0.2));
  calibration.seen(1, 1e-9);
  CHECK(calibration.of(2) > 2);
  Calibration faster;
  for (int round = 0; round < 100; ++round) faster.seen(2, 1);
  CHECK(faster.of(2) == Approx(1).epsilon(0.05));
}
