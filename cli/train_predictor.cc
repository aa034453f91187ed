// `leeway train-predictor`: trains the predictor of round times on logs of earlier queries and tests it on others.

#include <string>
#include <vector>

#include "app/output.h"
#include "base/format.h"
#include "cli/command.h"
#include "datasets/byte_stream.h"
#include "runtime/pie/predictor.h"

namespace leeway::cli {

namespace {

/// Reads and joins logs.
Result<pie::RoundLog> read_logs(const std::vector<std::string>& paths) {
  pie::RoundLog log;
  for (const std::string& path : paths) {
    LEEWAY_ASSIGN(const std::string text, pie::read_predictor_file(path));
    LEEWAY_ASSIGN(pie::RoundLog more, pie::parse_round_log(text, path));
    LEEWAY_TRY(pie::append_log(log, std::move(more), path));
  }
  return log;
}

std::string pruning_table(const pie::CrossValidation& validation) {
  std::vector<std::vector<std::string>> rows = {{"pruning", "leaves", "MSRE", ""}};
  for (std::size_t i = 0; i < validation.steps.size(); ++i) {
    const pie::PruningStep& step = validation.steps[i];
    rows.push_back({format("{}", step.cost), format("{:.0f}", step.leaves),
                    format("{:.4f}", step.error), i == validation.chosen ? "chosen" : ""});
  }
  return table(rows);
}

std::string pruning_json(const pie::CrossValidation& validation) {
  JsonWriter json;
  json.array(validation.steps, [&](const pie::PruningStep& step) {
    json.object([&] {
      json.member("cost", step.cost).member("leaves", step.leaves).member("msre", step.error);
    });
  });
  return std::move(json).text();
}

void add_errors(const pie::ForecastErrors& errors, const char* key, const char* label,
                Facts& facts) {
  facts.text(std::string(key) + "_rounds", label, format("{} rounds", errors.rounds));
  facts.real(std::string(key) + "_msre", "  MSRE", errors.forest);
  facts.real(std::string(key) + "_msre_of_mean", "  MSRE of the mean of earlier rounds",
             errors.mean);
}

}  // namespace

Result<int> run_train_predictor(const Invocation& invocation) {
  const CommandOptions& options = invocation.options;
  const std::string out = options.out.value_or("");
  std::vector<std::string> inputs = invocation.arguments;
  inputs.insert(inputs.end(), options.test_logs.begin(), options.test_logs.end());
  if (!options.force) LEEWAY_TRY(check_keeps(inputs, {{"--out", out}}));
  if (!out.empty()) LEEWAY_TRY(may_replace(out));
  LEEWAY_ASSIGN(const pie::RoundLog log, read_logs(invocation.arguments));
  LEEWAY_ASSIGN(const pie::RoundLog tests, read_logs(options.test_logs));
  if (!tests.program.empty() &&
      (tests.program != log.program || tests.embedding != log.embedding)) {
    return fail(input_error("--test",
                            format("its rounds are of {} with L = {}, and those to train on of {} "
                                   "with L = {}",
                                   tests.program, tests.embedding, log.program, log.embedding),
                            "give logs of one program with one L"));
  }
  LEEWAY_ASSIGN(const pie::TrainedModel trained,
                pie::train_model(log, options.load.threads, invocation.argument(0)));
  const pie::ForestModel& model = trained.model;
  if (!out.empty()) LEEWAY_TRY(write_file(out, pie::model_text(model)));
  const EngineRun* const row = find_run(model.program, EngineName::Pie);
  const bool calibrate = row != nullptr && row->calibrates;
  Facts facts;
  facts.text("program", "program", model.program);
  facts.count("queries", "queries", model.queries);
  facts.count("rounds", "rounds trained on", model.rounds);
  facts.real("training_seconds", "training seconds", model.training_seconds);
  facts.count("leaves", "leaves of the ten trees", model.forest.leaves());
  facts.count("folds", "folds of the cross-validation", trained.validation.folds);
  facts.real("validated_msre", "  MSRE", model.validated);
  facts.real("msre_of_mean", "  MSRE of the mean of earlier rounds",
             pie::forecast_errors(model, log, calibrate).mean);
  facts.raw("pruning", pruning_json(trained.validation));
  if (!tests.program.empty())
    add_errors(pie::forecast_errors(model, tests, calibrate), "test", "test on other queries",
               facts);
  std::string text = facts.show(options.json);
  if (!options.json) text = pruning_table(trained.validation) + "\n" + text;
  LEEWAY_TRY(print_message({{"--out", out}}, text));
  return 0;
}

}  // namespace leeway::cli
