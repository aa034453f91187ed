#include "benchmarks/predictor/predictor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/parallel.h"
#include "runtime/pie/virtual_worker.h"

namespace leeway::pie {

std::vector<std::uint32_t> breadth_first_numbers(const Graph& graph) {
  constexpr std::uint32_t kUnvisited = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(graph.vertex_count(), kUnvisited);
  std::vector<VertexId> queue;
  queue.reserve(graph.vertex_count());
  std::size_t head = 0;
  const auto visit = [&](VertexId vertex) {
    if (number[vertex.index()] != kUnvisited) return;
    number[vertex.index()] = static_cast<std::uint32_t>(queue.size());
    queue.push_back(vertex);
  };
  for (VertexId root(0); root.value() < graph.vertex_count(); root = root.next()) {
    for (visit(root); head < queue.size(); ++head) {
      for (const VertexId to : graph.neighbors(queue[head])) visit(to);
    }
  }
  return number;
}

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
                  const RoundInput& input, std::uint32_t vertices, std::uint32_t length) {
  LEEWAY_CHECK(length > 0U);
  features.push_back(static_cast<double>(updated.size()) * input.weight);
  features.push_back(input.matter * input.weight);
  features.push_back(input.backlog);
  const std::size_t z = features.size();
  features.resize(z + length, 0);
  const std::uint32_t interval = std::max(1U, (vertices + length - 1) / length);
  for (const VertexId vertex : updated) features[z + vertex.value() / interval] += input.weight;
}

namespace {

/// The squared error relative to the true time.
double squared_error(double predicted, double true_seconds) {
  const double error = (true_seconds - predicted) / true_seconds;
  return error * error;
}

}  // namespace

double mean_squared_relative_error(std::span<const double> truth,
                                   std::span<const double> predicted) {
  LEEWAY_CHECK(truth.size() == predicted.size());
  double sum = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) sum += squared_error(predicted[i], truth[i]);
  return truth.empty() ? 0 : sum / static_cast<double>(truth.size());
}

void Calibration::seen(double predicted, double true_seconds) {
  const double ratio = std::min(predicted / true_seconds, kMostRatio);
  first_ += ratio;
  second_ += ratio * ratio;
}

std::span<const RoundSample> RoundLog::query(std::size_t index) const {
  const std::size_t end = index + 1 < queries.size() ? queries[index + 1] : samples.size();
  return std::span(samples).subspan(queries[index], end - queries[index]);
}

namespace {

/// Rows and targets of samples, for training.
struct TrainingRows {
  std::vector<std::span<const double>> rows;
  std::vector<double> seconds;

  void add(const RoundSample& sample) {
    rows.emplace_back(sample.features);
    seconds.push_back(sample.seconds);
  }
  [[nodiscard]] std::vector<std::uint32_t> all() const {
    std::vector<std::uint32_t> indices(rows.size());
    std::iota(indices.begin(), indices.end(), 0U);
    return indices;
  }
};

/// At most `most` samples of a log, at equal distances, and the query of each.
std::pair<TrainingRows, std::vector<std::uint32_t>> thinned(const RoundLog& log, std::size_t most) {
  const std::size_t count = std::min(most, log.samples.size());
  std::pair<TrainingRows, std::vector<std::uint32_t>> result;
  std::size_t query = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * log.samples.size() / count;
    while (query + 1 < log.queries.size() && log.queries[query + 1] <= at) ++query;
    result.first.add(log.samples[at]);
    result.second.push_back(static_cast<std::uint32_t>(query));
  }
  return result;
}

CrossValidation validation_of(const RoundLog& log, unsigned threads) {
  constexpr std::uint32_t kFolds = 10;
  auto [rows, fold_of] = thinned(log, kMostValidated);
  const bool by_query = log.queries.size() > 1;
  for (std::uint32_t i = 0; i < fold_of.size(); ++i)
    fold_of[i] = (by_query ? fold_of[i] : i) % kFolds;
  const auto folds = static_cast<std::uint32_t>(
      std::min<std::size_t>(by_query ? log.queries.size() : fold_of.size(), kFolds));
  return cross_validate(TrainingTable(rows.rows, rows.seconds), rows.rows, fold_of, folds, threads);
}

}  // namespace

Result<TrainedModel> train_model(const RoundLog& log, unsigned threads, const std::string& name) {
  if (log.samples.size() < 2) {
    return fail(input_error(
        name, format("it has {} rounds of IncEval; training needs 2 or more", log.samples.size()),
        "log a query that runs longer, or give more workers"));
  }
  const Stopwatch watch;
  TrainedModel trained;
  trained.validation = validation_of(log, thread_count(threads));
  const PruningStep& chosen = trained.validation.steps[trained.validation.chosen];
  const TrainingRows rows = thinned(log, kMostSamples).first;
  const TrainingTable table(rows.rows, rows.seconds);
  ForestModel& model = trained.model;
  model.program = log.program;
  model.vertices = log.vertices;
  model.embedding = log.embedding;
  model.rounds = rows.rows.size();
  model.queries = log.queries.size();
  model.pruning = chosen.cost;
  model.validated = chosen.error;
  model.forest =
      RegressionForest(table, rows.all(), chosen.cost, thread_count(threads)).pruned(chosen.cost);
  model.training_seconds = watch.elapsed_seconds();
  return trained;
}

RegressionForest train_in_run(std::span<const RoundSample> samples) {
  constexpr double kPruning = 1e-3;
  const std::size_t count = std::min(samples.size(), kMostInRun);
  TrainingRows rows;
  for (std::size_t i = 0; i < count; ++i) rows.add(samples[i * samples.size() / count]);
  return RegressionForest(TrainingTable(rows.rows, rows.seconds), rows.all(), kPruning, 1)
      .pruned(kPruning);
}

ForecastErrors forecast_errors(const ForestModel& model, const RoundLog& log, bool calibrate) {
  LEEWAY_CHECK(model.embedding == log.embedding);
  std::vector<double> truth, forest, mean;
  for (std::size_t query = 0; query < log.queries.size(); ++query) {
    Calibration calibration;
    double sum = 0, count = 0;
    for (const RoundSample& sample : log.query(query)) {
      const double raw = model.forest.predict(sample.features);
      if (count > 0) {
        truth.push_back(sample.seconds);
        forest.push_back(calibrate ? calibration.of(raw) : raw);
        mean.push_back(sum / count);
      }
      calibration.seen(raw, sample.seconds);
      sum += sample.seconds;
      count += 1;
    }
  }
  return {truth.size(), mean_squared_relative_error(truth, forest),
          mean_squared_relative_error(truth, mean)};
}

namespace {

class ForestForecaster final : public Forecaster {
 public:
  explicit ForestForecaster(const ForestOptions& options)
      : options_(options), train_at_(options.train_after) {
    if (options_.model) forest_ = &options_.model->forest;
  }

  std::optional<double> predict(const VirtualWorker& worker) override {
    if (forest_ == nullptr) return std::nullopt;
    const Stopwatch watch;
    const double raw = forest_->predict(features_of(worker));
    const double found = options_.calibrate ? calibration_.of(raw) : raw;
    latest_[worker.fragment().id()] = {raw, found};
    cost_.predicting_seconds += watch.elapsed_seconds();
    ++cost_.predictions;
    return found;
  }

  void begins(const VirtualWorker& worker) override {
    current_.clear();
    if (learns() || options_.keep_log) current_ = features_of(worker);
  }

  void took(const VirtualWorker& worker, double seconds, double at) override {
    if (seconds <= 0) return;
    score(worker.fragment().id(), seconds);
    if (current_.empty()) return;
    const bool learnt = learns();
    rounds_.push_back({std::move(current_), seconds, at});
    current_.clear();
    if (!learnt || rounds_.size() < train_at_) return;
    train();
    train_at_ *= 2;
    if (!learns() && !options_.keep_log) rounds_.clear();
  }

  [[nodiscard]] ForecastCost cost() const override { return cost_; }
  [[nodiscard]] std::vector<RoundSample> take_log() override {
    return options_.keep_log ? std::move(rounds_) : std::vector<RoundSample>();
  }

 private:
  struct LatestForecast {
    double raw = 0;
    double scaled = 0;
  };

  /// Without a model, trains on the rounds so far, again whenever their number has doubled.
  [[nodiscard]] bool learns() const {
    return options_.forecast && !options_.model && train_at_ <= kMostInRun;
  }

  /// Adds the errors of the worker's latest prediction and of the mean of earlier rounds.
  void score(PartId worker, double seconds) {
    if (const auto latest = latest_.find(worker); latest != latest_.end()) {
      if (earlier_rounds_ > 0) {
        ++cost_.scored;
        cost_.forecast_error += squared_error(latest->second.scaled, seconds);
        cost_.mean_error +=
            squared_error(earlier_seconds_ / static_cast<double>(earlier_rounds_), seconds);
      }
      calibration_.seen(latest->second.raw, seconds);
      latest_.erase(latest);
    }
    earlier_seconds_ += seconds;
    ++earlier_rounds_;
  }

  void train() {
    const Stopwatch watch;
    own_ = train_in_run(rounds_);
    forest_ = &own_;
    cost_.training_seconds += watch.elapsed_seconds();
    cost_.trained_on = std::min(rounds_.size(), kMostInRun);
  }

  [[nodiscard]] RoundFeatures features_of(const VirtualWorker& worker) {
    const Fragment& fragment = worker.fragment();
    RoundFeatures& fixed = of_fragment_[fragment.id()];
    if (fixed.empty()) fixed = fragment_features(fragment, worker.border_count());
    updated_.clear();
    const std::size_t step = (worker.pending() + kMostUpdates - 1) / kMostUpdates;
    const std::uint64_t matter = worker.sample_updates(
        std::max<std::size_t>(step, 1),
        [this](VertexId vertex) { updated_.emplace_back(options_.numbers[vertex.index()]); });
    RoundFeatures features = fixed;
    const RoundInput input{.matter = static_cast<double>(matter),
                           .backlog = worker.backlog(),
                           .weight = static_cast<double>(std::max<std::size_t>(step, 1))};
    add_messages(features, updated_, input, static_cast<std::uint32_t>(options_.numbers.size()),
                 options_.embedding);
    return features;
  }

  const ForestOptions& options_;
  std::size_t train_at_;                      // rounds before the next training
  const RegressionForest* forest_ = nullptr;  // the model's, or own_
  RegressionForest own_;
  Calibration calibration_;
  ForecastCost cost_;
  std::map<PartId, LatestForecast> latest_;
  double earlier_seconds_ = 0;
  std::uint64_t earlier_rounds_ = 0;
  RoundFeatures current_;
  std::vector<RoundSample> rounds_;
  std::vector<VertexId> updated_;
  std::map<PartId, RoundFeatures> of_fragment_;
};

}  // namespace

std::unique_ptr<Forecaster> forest_forecaster(const ForestOptions& options) {
  return std::make_unique<ForestForecaster>(options);
}

namespace {

constexpr std::string_view kLogHead = "# leeway rounds 2 ";
constexpr std::string_view kModelHead = "# leeway forest 1 ";
constexpr std::uint32_t kLongest = 100'000;  // Z

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
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value);
    return true;
  }
  [[nodiscard]] bool name(std::string& value) {
    skip();
    const std::size_t end = std::min(left_.find(' '), left_.size());
    value = left_.substr(0, end);
    left_.remove_prefix(end);
    return !value.empty();
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

/// "PROGRAM VERTICES L" at the front of `words`.
template <class Described>
bool parse_head(Words& words, Described& into) {
  return words.name(into.program) && words.number(into.vertices) && words.number(into.embedding) &&
         into.embedding > 0 && into.embedding <= kLongest;
}

bool parse_round(std::string_view line, std::uint32_t length, RoundSample& sample) {
  Words words(line);
  if (!words.number(sample.seconds) || !(sample.seconds > 0) || !words.number(sample.at))
    return false;
  sample.features.resize(kScalarFeatures);
  for (double& value : sample.features) {
    if (!words.number(value)) return false;
  }
  sample.features.resize(kScalarFeatures + length, 0);
  while (!words.over()) {
    std::uint32_t place = 0;
    double count = 0;
    if (!words.number(place) || place >= length || !words.mark(':') || !words.number(count))
      return false;
    sample.features[kScalarFeatures + place] = count;
  }
  return true;
}

Error wrong_line(const std::string& name, std::size_t line, std::string what,
                 std::string_view writer) {
  return input_error(format("{}:{}", name, line), std::move(what),
                     format("give a file that {} has written", writer));
}
constexpr std::string_view kLogWriter = "leeway run --round-log";
constexpr std::string_view kModelWriter = "leeway train-predictor";

/// Opens the next query of `log` by the line at its head.
Status begin_query(RoundLog& log, std::string_view line, const std::string& name,
                   std::size_t number) {
  Words words(line.substr(kLogHead.size()));
  RoundLog head;
  if (!parse_head(words, head))
    return fail(wrong_line(name, number, "this line does not begin a log of rounds", kLogWriter));
  if (!log.program.empty() && head.program != log.program)
    return fail(wrong_line(
        name, number,
        format("the rounds are of {}, and those before of {}", head.program, log.program),
        kLogWriter));
  if (!log.program.empty() && head.embedding != log.embedding)
    return fail(wrong_line(
        name, number,
        format("the rounds have L = {}, and those before L = {}", head.embedding, log.embedding),
        kLogWriter));
  log.program = head.program;
  log.vertices = head.vertices;
  log.embedding = head.embedding;
  log.queries.push_back(log.samples.size());
  return {};
}

}  // namespace

std::string round_log_text(const RoundLog& log) {
  std::string text;
  for (std::size_t query = 0; query < log.queries.size(); ++query) {
    text += format("{}{} {} {} : seconds, end, x1 to x9, place:count of Z\n", kLogHead, log.program,
                   log.vertices, log.embedding);
    for (const RoundSample& sample : log.query(query)) {
      text += format("{} {}", sample.seconds, sample.at);
      for (std::size_t i = 0; i < sample.features.size(); ++i) {
        if (i < kScalarFeatures) {
          text += format(" {}", sample.features[i]);
        } else if (sample.features[i] != 0) {
          text += format(" {}:{}", i - kScalarFeatures, sample.features[i]);
        }
      }
      text += '\n';
    }
  }
  return text;
}

Result<std::string> read_predictor_file(const std::string& path) {
  std::error_code none;
  std::ifstream file;
  std::string text;
  // Opening a folder succeeds, but reading it throws.
  if (!std::filesystem::is_directory(path, none)) {
    file.open(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (!file.is_open() || file.bad()) {
    return fail(input_error(path, "it is not a readable log of rounds or trained forest",
                            "name a file written by leeway run --round-log or leeway "
                            "train-predictor"));
  }
  return text;
}

bool is_round_log(std::string_view text) { return text.starts_with(kLogHead); }

Result<RoundLog> parse_round_log(std::string_view text, const std::string& name) {
  if (!is_round_log(text))
    return fail(wrong_line(name, 1, "the file is not a log of rounds", kLogWriter));
  RoundLog log;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == text.npos)
      return fail(wrong_line(name, number, "the file ends within a line", kLogWriter));
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (line.starts_with(kLogHead)) {
      LEEWAY_TRY(begin_query(log, line, name, number));
      continue;
    }
    RoundSample sample;
    if (!parse_round(line, log.embedding, sample))
      return fail(wrong_line(name, number, "this line is not a round", kLogWriter));
    log.samples.push_back(std::move(sample));
  }
  for (std::size_t query = 0; query < log.queries.size(); ++query) {
    const auto begin = log.samples.begin() + static_cast<std::ptrdiff_t>(log.queries[query]);
    std::stable_sort(begin, begin + static_cast<std::ptrdiff_t>(log.query(query).size()),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  }
  return log;
}

Status append_log(RoundLog& log, RoundLog more, const std::string& name) {
  if (log.program.empty()) {
    log = std::move(more);
    return {};
  }
  const auto differs = [&](std::string what) {
    return fail(input_error(name, std::move(what), "give logs of one program with one L"));
  };
  if (more.program != log.program)
    return differs(format("its rounds are of {}, and those of the logs before of {}", more.program,
                          log.program));
  if (more.embedding != log.embedding)
    return differs(format("its rounds have L = {}, and those of the logs before L = {}",
                          more.embedding, log.embedding));
  for (const std::size_t begin : more.queries) log.queries.push_back(log.samples.size() + begin);
  for (RoundSample& sample : more.samples) log.samples.push_back(std::move(sample));
  return {};
}

std::string model_text(const ForestModel& model) {
  return format("{}{} {} {} {} {} {} {}\n{}", kModelHead, model.program, model.vertices,
                model.embedding, model.rounds, model.queries, model.pruning, model.validated,
                model.forest.text());
}

Result<ForestModel> parse_model(std::string_view text, const std::string& name) {
  if (!text.starts_with(kModelHead))
    return fail(wrong_line(name, 1, "the file is neither a log of rounds nor a trained forest",
                           "leeway run --round-log or leeway train-predictor"));
  const std::size_t end = std::min(text.find('\n'), text.size());
  Words words(text.substr(kModelHead.size(), end - kModelHead.size()));
  ForestModel model;
  if (!parse_head(words, model) || !words.number(model.rounds) || !words.number(model.queries) ||
      !words.number(model.pruning) || !words.number(model.validated) || !words.over() ||
      model.rounds == 0)
    return fail(wrong_line(name, 1, "this line does not describe a trained forest", kModelWriter));
  std::size_t line = 2;
  const std::string_view trees = text.substr(std::min(end + 1, text.size()));
  if (trees.empty() || trees.back() != '\n')
    return fail(wrong_line(name, line, "the file ends before the last tree", kModelWriter));
  const std::string wrong = model.forest.parse(trees, kScalarFeatures + model.embedding, line);
  if (!wrong.empty()) return fail(wrong_line(name, line, wrong, kModelWriter));
  return model;
}

}  // namespace leeway::pie
