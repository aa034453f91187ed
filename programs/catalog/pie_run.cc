#include "programs/catalog/pie_run.h"

#include <memory>
#include <span>
#include <string>

#include "base/format.h"
#include "base/log.h"
#include "runtime/cluster/group.h"

namespace leeway {

namespace {

/// The trained forest of a file, or one trained on a log of rounds.
Result<pie::ForestModel> read_model(std::string_view program, const Graph& graph,
                                    const RunOptions& options) {
  const std::string& path = options.pie.training_log;
  LEEWAY_ASSIGN(const std::string text, pie::read_predictor_file(path));
  pie::ForestModel model;
  if (pie::is_round_log(text)) {
    LEEWAY_ASSIGN(const pie::RoundLog log, pie::parse_round_log(text, path));
    LEEWAY_ASSIGN(pie::TrainedModel trained, pie::train_model(log, 0, path));
    model = std::move(trained.model);
  } else {
    LEEWAY_ASSIGN(model, pie::parse_model(text, path));
  }
  if (model.program != program) {
    return fail(input_error(path,
                            format("it predicts rounds of {}, not of {}", model.program, program),
                            format("log rounds of {} and train a forest on them", program)));
  }
  if (model.vertices != graph.vertex_count()) {
    log_warning("{}: it was trained on a graph of {} vertices, and this one has {}", path,
                model.vertices, graph.vertex_count());
  }
  return model;
}

/// Node 0 reads or trains the model and sends it to the other processes. An error of node 0 ends it for all.
/// Collective.
Result<pie::ForestModel> shared_model(std::string_view program, const Graph& graph,
                                      const RunOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  if (cluster.job == nullptr || cluster.job->node_count() == 1)
    return read_model(program, graph, options);
  Result<pie::ForestModel> model = pie::ForestModel{};
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    const bool reads = group.self() == NodeId(0);
    if (reads) model = read_model(program, graph, options);
    Status agreed = group.agree(model ? Status{} : fail(model.error()));
    if (!agreed) return agreed;
    const std::string text = reads ? pie::model_text(*model) : std::string();
    const auto sent = group.broadcast_bytes(std::as_bytes(std::span(text)), NodeId(0));
    if (!reads)
      model = pie::parse_model({reinterpret_cast<const char*>(sent.data()), sent.size()},
                               "the forest of node 0");
    return {};
  }));
  return model;
}

}  // namespace

Result<pie::ForestOptions> forest_options(const Program& program, const Graph& graph,
                                          const RunOptions& options) {
  pie::ForestOptions forest;
  forest.calibrate = program.on(EngineName::Pie)->calibrates;
  forest.forecast = options.pie.forest;
  forest.keep_log = options.pie.keep_round_log;
  if (!forest.forecast && !forest.keep_log) return forest;
  forest.numbers = pie::breadth_first_numbers(graph);
  if (options.pie.training_log.empty()) return forest;
  LEEWAY_ASSIGN(forest.model, shared_model(program.name, graph, options));
  forest.embedding = forest.model->embedding;
  return forest;
}

void add_forecast_cost(const pie::ForestModel& model, Record& record) {
  auto history = std::make_shared<pie::RoundHistory>(*record.rounds);
  pie::ForecastCost& cost = history->nodes.front().forecasts;
  cost.trained_on = model.rounds;
  cost.training_seconds = model.training_seconds;
  record.rounds = std::move(history);
}

Result<pie::Fragmentation> checked_fragments(const Graph& graph, const pie::FragmentNeeds& needs,
                                             const RunOptions& options) {
  std::shared_ptr<const Partition> partition = options.divided;
  if (!partition) {
    PartitionOptions into = options.partition;
    into.parts = options.pie.workers;
    LEEWAY_ASSIGN(Partition made, partition_graph(graph, into));
    partition = std::make_shared<Partition>(std::move(made));
  }
  return pie::Fragmentation::make(graph, *partition, pie::with_cut(needs, options.pie));
}

RunOptions session_options(const RunOptions& options) {
  RunOptions session = options;
  session.pie.schedule = schedule_of(options.vertex);
  session.pie.rate_window = options.vertex.aap.rate_window;
  session.pie.keep_rounds = true;
  session.pie.threads = options.vertex.threads;
  session.pie.stop = options.vertex.stop;
  session.pie.patience = options.vertex.patience;
  session.pie.most_rounds = options.vertex.most_iterations;
  return session;
}

}  // namespace leeway
