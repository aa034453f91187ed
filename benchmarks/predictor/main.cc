// leeway-predictor: logs the rounds of PIE queries, trains a random forest on them, and predicts round times by it while a query
// runs under aap (AAP §6).
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/applicability.h"
#include "app/engines.h"
#include "app/graph_argument.h"
#include "app/guarded.h"
#include "app/output.h"
#include "app/run_options.h"
#include "app/source.h"
#include "base/format.h"
#include "benchmarks/predictor/predictor.h"
#include "datasets/byte_stream.h"
#include "leeway/pie.h"

namespace leeway::pie {

namespace {

constexpr const char* kUsage = R"(leeway-predictor log PROGRAM GRAPH --out FILE [SETTING...]
leeway-predictor train LOG... [--out FILE] [--test LOG,...] [--threads N]
leeway-predictor run PROGRAM GRAPH [--forest FILE] [SETTING...]

log:   runs a query of a program on the pie engine, and writes features and time of each round.
train: trains a random forest on such logs. All must be of one program; of a program whose rounds depend on the query, such as
       sssp, give logs of several queries. Cross-validation chooses how much the trees are pruned. Prints mean squared relative
       errors (MSRE) of the forest and of the mean of earlier rounds; always predicting 0 has the error 1.
run:   runs a query under aap, which predicts round times by the forest of a file (a log is trained on first). Without --forest
       each node trains a forest on its first rounds.

SETTING: a flag of leeway run, such as --workers 16, --nodes 2, --fabric sim, --source NAME.
--json prints JSON. --force replaces files that this program did not write.
)";

struct PredictorCall {
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<const app::Setting*, std::string>> settings;
  std::string out, forest;
  std::vector<std::string> tests;
  std::string threads;
  bool json = false, force = false, help = false;
};

/// Reads the words of the command line.
class WordReader {
 public:
  explicit WordReader(std::vector<std::string> words) : words_(std::move(words)) {}

  Result<PredictorCall> read() {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "-h" || word == "--help") {
        call_.help = true;
      } else if (word.starts_with("--")) {
        LEEWAY_TRY(read_flag(word.substr(2)));
      } else if (call_.command.empty()) {
        call_.command = word;
      } else {
        call_.arguments.push_back(word);
      }
    }
    return std::move(call_);
  }

 private:
  Status read_flag(std::string name) {
    std::optional<std::string> value;
    if (const std::size_t equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "json" || name == "force") {
      (name == "json" ? call_.json : call_.force) = true;
      return {};
    }
    const app::Setting* const setting = app::find_setting(name);
    const bool own = name == "out" || name == "forest" || name == "test" ||
                     (name == "threads" && call_.command == "train");
    if (!own && (setting == nullptr || (setting->group & app::kRunGroups) == 0)) {
      return fail(input_error("--" + name, "there is no such flag",
                              "leeway-predictor --help and leeway run --help list the flags"));
    }
    const bool is_switch = !own && setting->value.empty();
    if (is_switch && !value) value = "true";
    if (!value) {
      if (at_ + 1 == words_.size())
        return fail(input_error("--" + name, "its value is missing", "give one after the flag"));
      value = words_[++at_];
    }
    if (!own) {
      call_.settings.emplace_back(setting, *value);
    } else if (name == "test") {
      call_.tests.clear();
      for (const std::string_view log : split(*value, ',')) {
        if (!log.empty()) call_.tests.emplace_back(log);
      }
    } else {
      (name == "out" ? call_.out : name == "forest" ? call_.forest : call_.threads) = *value;
    }
    return {};
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  PredictorCall call_;
};

/// Whether predictions are scaled to the query, because rounds depend on it (AAP §6.2).
bool calibrates(std::string_view program) {
  return program == "sssp" || program == "bfs" || program == "cc";
}

/// A query that is ready to run.
struct OpenedQuery {
  app::CommandOptions options;
  app::ProgramCall call;
  Graph graph;
};

Result<OpenedQuery> open_query(const PredictorCall& words) {
  if (words.arguments.size() != 2)
    return fail(input_error(words.command, "it takes a program and a graph",
                            format("leeway-predictor {} sssp kron:12", words.command)));
  OpenedQuery query;
  app::CommandOptions& options = query.options;
  options.quiet = true;
  const auto set = [&](const char* name, const std::string& value) {
    return app::apply_setting(*app::find_setting(name), value, "--" + std::string(name), options);
  };
  LEEWAY_TRY(set("graph", words.arguments[1]));
  LEEWAY_TRY(set("engine", "pie"));
  LEEWAY_TRY(set("scheduler", "aap"));
  for (const auto& [setting, value] : words.settings)
    LEEWAY_TRY(app::apply_setting(*setting, value, "--" + std::string(setting->name), options));
  LEEWAY_TRY(app::settle(options));
  LEEWAY_ASSIGN(const Program* const program, app::program_called(words.arguments[0]));
  LEEWAY_ASSIGN(const app::Request decided, app::decide_run(*program, options, nullptr));
  app::choose_what_is_read(decided, options);
  app::report_warnings(options);
  LEEWAY_TRY(app::check_requested(decided, options, nullptr));
  if (decided.engine != EngineName::Pie)
    return fail(
        input_error("--engine", "only the pie engine predicts round times", "leave the flag out"));
  LEEWAY_ASSIGN(query.call, app::call_of(decided, options, nullptr));
  LEEWAY_ASSIGN(query.graph, app::open_graph(*options.graph, options));
  LEEWAY_TRY(app::find_source(query.graph, options, query.call));
  LEEWAY_TRY(admit(*query.call.program, decided.engine, query.graph, query.call.parameters,
                   query.call.options));
  LEEWAY_TRY(app::settle_division(*options.graph, query.graph, query.call.options));
  return query;
}

/// Runs the query with forecasters of these options.
Result<Record> run_query(OpenedQuery& query, const ForestOptions& forest) {
  query.call.options.pie.forecaster = [&forest] { return forest_forecaster(forest); };
  LEEWAY_ASSIGN(ProgramResult result,
                query.call.run->run(query.graph, query.call.parameters, query.call.options));
  return std::move(result.record);
}

Status keeps(const PredictorCall& words, const std::vector<std::string>& inputs) {
  if (words.out.empty()) return {};
  if (!words.force) LEEWAY_TRY(app::check_keeps(inputs, {{"--out", words.out}}));
  LEEWAY_TRY(may_replace(words.out));
  return {};
}

void print(const PredictorCall& words, const app::Facts& facts, const std::string& before = {}) {
  std::string text = facts.show(words.json);
  if (!words.json && !before.empty()) text = before + "\n" + text;
  std::fputs(text.c_str(), stdout);
}

Result<int> log_rounds(const PredictorCall& words) {
  if (words.out.empty())
    return fail(input_error("log", "--out FILE is missing", "name the file for the log"));
  LEEWAY_TRY(keeps(words, {words.arguments.size() > 1 ? words.arguments[1] : ""}));
  LEEWAY_ASSIGN(OpenedQuery query, open_query(words));
  const ForestOptions forest{.forecast = false,
                             .keep_log = true,
                             .model = {},
                             .numbers = breadth_first_numbers(query.graph)};
  LEEWAY_ASSIGN(const Record record, run_query(query, forest));
  RoundLog log{.program = std::string(query.call.program->name),
               .vertices = query.graph.vertex_count(),
               .embedding = kEmbedding,
               .samples = record.rounds->round_log(),
               .queries = {0}};
  if (!log.samples.empty())
    log.embedding =
        static_cast<std::uint32_t>(log.samples.front().features.size()) - kScalarFeatures;
  LEEWAY_TRY(write_file(words.out, round_log_text(log)));
  app::Facts facts;
  facts.text("program", "program", log.program);
  facts.count("rounds", "rounds logged", log.samples.size());
  facts.text("out", "written to", words.out);
  print(words, facts);
  return 0;
}

/// Reads and joins logs.
Result<RoundLog> read_logs(const std::vector<std::string>& paths) {
  RoundLog log;
  for (const std::string& path : paths) {
    LEEWAY_ASSIGN(const std::string text, read_predictor_file(path));
    LEEWAY_ASSIGN(RoundLog more, parse_round_log(text, path));
    LEEWAY_TRY(append_log(log, std::move(more), path));
  }
  return log;
}

std::string pruning_table(const CrossValidation& validation) {
  std::vector<std::vector<std::string>> rows = {{"pruning", "leaves", "MSRE", ""}};
  for (std::size_t i = 0; i < validation.steps.size(); ++i) {
    const PruningStep& step = validation.steps[i];
    rows.push_back({format("{}", step.cost), format("{:.0f}", step.leaves),
                    format("{:.4f}", step.error), i == validation.chosen ? "chosen" : ""});
  }
  return app::table(rows);
}

std::string pruning_json(const CrossValidation& validation) {
  JsonWriter json;
  json.array(validation.steps, [&](const PruningStep& step) {
    json.object([&] {
      json.member("cost", step.cost).member("leaves", step.leaves).member("msre", step.error);
    });
  });
  return std::move(json).text();
}

void add_errors(const ForecastErrors& errors, app::Facts& facts) {
  facts.text("test_rounds", "test on other queries", format("{} rounds", errors.rounds));
  facts.real("test_msre", "  MSRE", errors.forest);
  facts.real("test_msre_of_mean", "  MSRE of the mean of earlier rounds", errors.mean);
}

Result<int> train(const PredictorCall& words) {
  if (words.arguments.empty())
    return fail(
        input_error("train", "LOG is missing", "give files that leeway-predictor log wrote"));
  if (!words.settings.empty())
    return fail(input_error("--" + std::string(words.settings.front().first->name),
                            "train runs nothing", "leave it out"));
  std::vector<std::string> inputs = words.arguments;
  inputs.insert(inputs.end(), words.tests.begin(), words.tests.end());
  LEEWAY_TRY(keeps(words, inputs));
  app::CommandOptions options;
  if (!words.threads.empty())
    LEEWAY_TRY(
        app::apply_setting(*app::find_setting("threads"), words.threads, "--threads", options));
  LEEWAY_ASSIGN(const RoundLog log, read_logs(words.arguments));
  LEEWAY_ASSIGN(const RoundLog tests, read_logs(words.tests));
  if (!tests.program.empty() &&
      (tests.program != log.program || tests.embedding != log.embedding)) {
    return fail(input_error("--test",
                            format("its rounds are of {} with L = {}, and those to train on of {} "
                                   "with L = {}",
                                   tests.program, tests.embedding, log.program, log.embedding),
                            "give logs of one program with one L"));
  }
  LEEWAY_ASSIGN(const TrainedModel trained,
                train_model(log, options.load.threads, words.arguments.front()));
  const ForestModel& model = trained.model;
  if (!words.out.empty()) LEEWAY_TRY(write_file(words.out, model_text(model)));
  const bool calibrate = calibrates(model.program);
  app::Facts facts;
  facts.text("program", "program", model.program);
  facts.count("queries", "queries", model.queries);
  facts.count("rounds", "rounds trained on", model.rounds);
  facts.real("training_seconds", "training seconds", model.training_seconds);
  facts.count("leaves", "leaves of the ten trees", model.forest.leaves());
  facts.count("folds", "folds of the cross-validation", trained.validation.folds);
  facts.real("validated_msre", "  MSRE", model.validated);
  facts.real("msre_of_mean", "  MSRE of the mean of earlier rounds",
             forecast_errors(model, log, calibrate).mean);
  facts.raw("pruning", pruning_json(trained.validation));
  if (!tests.program.empty()) add_errors(forecast_errors(model, tests, calibrate), facts);
  print(words, facts, pruning_table(trained.validation));
  return 0;
}

/// The trained forest of a file, or one trained on a log of rounds.
Result<ForestModel> read_model(const std::string& path, const OpenedQuery& query) {
  LEEWAY_ASSIGN(const std::string text, read_predictor_file(path));
  ForestModel model;
  if (is_round_log(text)) {
    LEEWAY_ASSIGN(const RoundLog log, parse_round_log(text, path));
    LEEWAY_ASSIGN(TrainedModel trained, train_model(log, 0, path));
    model = std::move(trained.model);
  } else {
    LEEWAY_ASSIGN(model, parse_model(text, path));
  }
  const std::string_view program = query.call.program->name;
  if (model.program != program) {
    return fail(input_error(path,
                            format("it predicts rounds of {}, not of {}", model.program, program),
                            format("log rounds of {} and train a forest on them", program)));
  }
  if (model.vertices != query.graph.vertex_count())
    std::fprintf(stderr, "%s: it was trained on a graph of %u vertices, and this one has %u\n",
                 path.c_str(), model.vertices, query.graph.vertex_count());
  return model;
}

Result<int> run(const PredictorCall& words) {
  if (!words.out.empty() || !words.tests.empty())
    return fail(
        input_error(words.out.empty() ? "--test" : "--out", "run writes no file", "leave it out"));
  LEEWAY_ASSIGN(OpenedQuery query, open_query(words));
  if (query.call.options.vertex.scheduler != Scheduler::Aap)
    return fail(input_error("--scheduler", "only aap uses predictions", "leave the flag out"));
  ForestOptions forest;
  forest.calibrate = calibrates(query.call.program->name);
  forest.numbers = breadth_first_numbers(query.graph);
  if (!words.forest.empty()) {
    LEEWAY_ASSIGN(forest.model, read_model(words.forest, query));
    forest.embedding = forest.model->embedding;
  }
  LEEWAY_ASSIGN(const Record record, run_query(query, forest));
  ForecastCost cost = record.rounds->forecasts();
  if (forest.model) {
    cost.trained_on = forest.model->rounds;
    cost.training_seconds = forest.model->training_seconds;
  }
  app::Facts facts;
  facts.text("program", "program", query.call.program->name);
  facts.count("iterations", "rounds of the slowest worker", record.iterations());
  facts.flag("converged", "converged", record.converged());
  facts.real("compute_seconds", "compute seconds", record.phases.compute);
  facts.count("trained_on", "rounds trained on", cost.trained_on);
  facts.real("training_seconds", "training seconds", cost.training_seconds);
  facts.count("predictions", "predictions", cost.predictions);
  const auto predictions = static_cast<double>(std::max<std::uint64_t>(1, cost.predictions));
  facts.real("prediction_seconds", "  seconds of one", cost.predicting_seconds / predictions);
  facts.count("scored", "rounds scored", cost.scored);
  if (cost.scored > 0) {
    const auto scored = static_cast<double>(cost.scored);
    facts.real("msre", "  MSRE", cost.forecast_error / scored);
    facts.real("msre_of_mean", "  MSRE of the mean of earlier rounds", cost.mean_error / scored);
  }
  print(words, facts);
  return 0;
}

Result<int> invoke(int argc, char** argv) {
  LEEWAY_ASSIGN(const PredictorCall words,
                WordReader(std::vector<std::string>(argv + 1, argv + argc)).read());
  if (words.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  protect_files("leeway-predictor", words.force);
  return app::guarded([&]() -> Result<int> {
    if (words.command == "log") return log_rounds(words);
    if (words.command == "train") return train(words);
    if (words.command == "run") return run(words);
    return fail(input_error("leeway-predictor",
                            words.command.empty() ? "the command is missing"
                                                  : format("there is no '{}'", words.command),
                            "give log, train or run; --help explains them"));
  });
}

}  // namespace

}  // namespace leeway::pie

int main(int argc, char** argv) {
  const leeway::Result<int> code = leeway::pie::invoke(argc, argv);
  if (code) return *code;
  std::fprintf(stderr, "%s\n", code.error().to_string().c_str());
  return code.error().exit_code();
}
