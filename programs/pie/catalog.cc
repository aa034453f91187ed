#include "programs/pie/catalog.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <variant>

#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "programs/pie/components.h"
#include "programs/pie/filtering.h"
#include "programs/pie/pagerank.h"
#include "programs/pie/paths.h"
#include "programs/vertex/catalog.h"
#include "runtime/cluster/group.h"
#include "runtime/pie/predictor.h"
#include "snapshot/source.h"

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
/// Collective, but not for a process that replaces a lost one: that reads the model itself.
Result<pie::ForestModel> shared_model(std::string_view program, const Graph& graph,
                                      const RunOptions& options) {
  const ClusterOptions& cluster = options.cluster;
  if (cluster.job == nullptr || cluster.job->node_count() == 1 || cluster.job->is_replacement())
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

/// Options of the forecaster. Reads the model before any work, so that an invalid file is an error before the run.
Result<pie::ForestOptions> forest_options(std::string_view program, const Graph& graph,
                                          const RunOptions& options) {
  pie::ForestOptions forest;
  forest.calibrate = pie::calibrates(program);
  forest.forecast = options.pie.forest;
  forest.keep_log = options.pie.keep_round_log;
  if (!forest.forecast && !forest.keep_log) return forest;
  forest.numbers = pie::breadth_first_numbers(graph);
  if (options.pie.training_log.empty()) return forest;
  LEEWAY_ASSIGN(forest.model, shared_model(program, graph, options));
  forest.embedding = forest.model->embedding;
  return forest;
}

/// Runs the program and converts its values. `name`: of the program.
template <class P, class Show>
Result<ProgramResult> answered(std::string_view name, const Graph& graph, const P& program,
                               const RunOptions& options, Show&& show) {
  RunOptions session = session_options(options);
  LEEWAY_ASSIGN(const pie::ForestOptions forest, forest_options(name, graph, options));
  if (forest.forecast || forest.keep_log)
    session.pie.forecaster = [&forest] { return pie::forest_forecaster(forest); };
  LEEWAY_ASSIGN(auto answer, pie::run_pie(graph, program, session));
  if (forest.model) {
    auto history = std::make_shared<pie::RoundHistory>(*answer.record.rounds);
    pie::ForecastCost& cost = history->nodes.front().forecasts;
    cost.trained_on = forest.model->rounds;
    cost.training_seconds = forest.model->training_seconds;
    answer.record.rounds = std::move(history);
  }
  return ProgramResult{show(std::move(answer.values)), std::move(answer.record), {}};
}

/// The same on a graph in parts: the values of the part's range.
template <class P, class Show>
Result<ProgramResult> answered(GraphPart& part, const P& program, const RunOptions& options,
                               Show&& show) {
  LEEWAY_ASSIGN(auto answer, pie::run_pie(part, program, session_options(options)));
  return ProgramResult{show(std::move(answer.values)), std::move(answer.record), {}};
}

std::vector<std::uint64_t> counts_of(const std::vector<std::uint32_t>& values) {
  return {values.begin(), values.end()};
}

ProgramValues distances(std::vector<double> values) { return {std::move(values), Shown::Distance}; }

ProgramValues depths_of(const std::vector<std::uint32_t>& values) {
  std::vector<std::uint64_t> depths = counts_of(values);
  for (std::uint64_t& depth : depths) {
    if (depth == pie::PieBfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return {std::move(depths), Shown::Depth};
}

ProgramValues labels(const std::vector<std::uint32_t>& values) {
  return {counts_of(values), Shown::Vertex};
}

std::uint64_t a_round(const GraphTotals& graph, const RunOptions& options) {
  return pie::arcs_a_round(graph, std::max(options.pie.workers, options.cluster.nodes));
}

Result<ProgramResult> run_sssp_pie(const Graph& graph, const ProgramParameters& parameters,
                                   const RunOptions& options) {
  return answered("sssp", graph, pie::PieSssp(graph, parameters.source, a_round(graph, options)),
                  options, distances);
}
Result<ProgramResult> run_sssp_part(GraphPart& part, const ProgramParameters& parameters,
                                    const RunOptions& options) {
  LEEWAY_ASSIGN(const double weights,
                sum_of_parts(options.cluster, sum_of(part.lists.weights.span())));
  const pie::PieSssp program(part.totals, weights, parameters.source,
                             a_round(part.totals, options));
  return answered(part, program, options, distances);
}

Result<ProgramResult> run_bfs_pie(const Graph& graph, const ProgramParameters& parameters,
                                  const RunOptions& options) {
  return answered("bfs", graph, pie::PieBfs(graph, parameters.source, a_round(graph, options)),
                  options, depths_of);
}
Result<ProgramResult> run_bfs_part(GraphPart& part, const ProgramParameters& parameters,
                                   const RunOptions& options) {
  const pie::PieBfs program(part.totals, 0, parameters.source, a_round(part.totals, options));
  return answered(part, program, options, depths_of);
}

Result<ProgramResult> run_cc_pie(const Graph& graph, const ProgramParameters&,
                                 const RunOptions& options) {
  return answered("cc", graph, pie::PieComponents(), options, labels);
}
Result<ProgramResult> run_cc_part(GraphPart& part, const ProgramParameters&,
                                  const RunOptions& options) {
  return answered(part, pie::PieComponents(), options, labels);
}

Result<ProgramResult> run_pagerank_pie(const Graph& graph, const ProgramParameters& parameters,
                                       const RunOptions& options) {
  const pie::PiePageRank program =
      pie::quick_pagerank(graph, parameters.pagerank(), options.vertex.threads);
  return answered("pagerank", graph, program, options, [](std::vector<double> values) {
    scale_to_one(values, sum_of(values));
    return ProgramValues{std::move(values), Shown::Real};
  });
}
Result<ProgramResult> run_pagerank_part(GraphPart& part, const ProgramParameters& parameters,
                                        const RunOptions& options) {
  pie::PiePageRank program;
  LEEWAY_TRY(with_group(options.cluster, [&](Group& group) -> Status {
    program = pie::quick_pagerank(group, part, parameters.pagerank(), options.vertex.threads);
    return {};
  }));
  LEEWAY_ASSIGN(ProgramResult run, answered(part, program, options, [](std::vector<double> values) {
                  return ProgramValues{std::move(values), Shown::Real};
                }));
  auto& ranks = std::get<std::vector<double>>(run.values.by_vertex);
  LEEWAY_ASSIGN(const double sum, sum_of_parts(options.cluster, sum_of(ranks)));
  scale_to_one(ranks, sum);
  return run;
}

Result<ProgramResult> run_cf(const Graph& graph, const ProgramParameters& parameters,
                             const RunOptions& options) {
  RunOptions bounded = options;
  if (!bounded.vertex.staleness) bounded.vertex.staleness = 0;  // fragments' descents need a bound
  const pie::Filtering program(graph, filtering_options(parameters, options));
  std::vector<std::pair<std::string, double>> figures;
  LEEWAY_ASSIGN(ProgramResult run, answered("cf", graph, program, bounded,
                                            [&](const std::vector<pie::Factor>& factors) {
                                              figures = rating_errors(graph, program, factors);
                                              return factor_values(factors);
                                            }));
  for (const auto& [name, error] : figures) {
    if (std::isfinite(error)) continue;
    return fail(input_error("--rate",
                            format("the descent diverged: with {} a pass overshoots, and the "
                                   "factors are not finite any more",
                                   parameters.rate),
                            "give a smaller --rate, or a smaller --staleness"));
  }
  run.figures = std::move(figures);
  return run;
}

/// The needs of a fragment as those of a local graph: readers are reversed lists.
template <class P>
ProgramMemory memory_of() {
  const pie::FragmentNeeds needs = P::needs();
  return {.needs = {.reads = needs.lists,
                    .weights = needs.weights,
                    .readers = needs.back == pie::Back::All},
          .value_bytes = sizeof(typename P::Value)};
}

/// The program that a vertex program computes too.
template <class P>
ProgramInfo on_fragments(std::string_view name, decltype(ProgramInfo::run) run,
                         decltype(ProgramInfo::run_part) run_part, bool splits_rounds = false) {
  ProgramInfo program = *find_vertex_program(name);
  program.engine = "pie";
  program.selects = false;
  program.run = run;
  program.run_part = run_part;
  program.splits_rounds = splits_rounds;
  program.memory = memory_of<P>;
  return program;
}

}  // namespace

std::span<const ProgramInfo> pie_programs() {
  static const std::array kPrograms = {
      ProgramInfo{
          .name = "cf",
          .engine = "pie",
          .summary = "factors whose products estimate ratings, trained on nine tenths of them",
          .result = "eight numbers",
          .checks_rounds = true,
          .admit = admit_cf,
          .run = run_cf,
          .verify = verify_cf},
      on_fragments<pie::PiePageRank>("pagerank", run_pagerank_pie, run_pagerank_part, true),
      on_fragments<pie::PieSssp>("sssp", run_sssp_pie, run_sssp_part),
      on_fragments<pie::PieBfs>("bfs", run_bfs_pie, run_bfs_part),
      on_fragments<pie::PieComponents>("cc", run_cc_pie, run_cc_part)};
  return kPrograms;
}

const ProgramInfo* find_pie_program(std::string_view name) {
  const auto all = pie_programs();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ProgramInfo& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

template <class P>
Result<pie::ConditionReport> checked(const Graph& graph, const P& program,
                                     const RunOptions& options, const pie::CheckOptions& how) {
  const pie::FragmentNeeds needs = pie::with_cut(program.needs(), options.pie);
  std::shared_ptr<const Partition> partition = options.divided;
  if (!partition) {
    PartitionOptions into = options.partition;
    into.parts = options.pie.workers;
    LEEWAY_ASSIGN(Partition made, partition_graph(graph, into));
    partition = std::make_shared<Partition>(std::move(made));
  }
  LEEWAY_ASSIGN(const auto fragments, pie::Fragmentation::make(graph, *partition, needs));
  return pie::check_conditions(fragments, program, how);
}

}  // namespace

std::vector<std::string_view> pie_program_names() {
  std::vector<std::string_view> names;
  for (const ProgramInfo& program : pie_programs()) names.push_back(program.name);
  return names;
}

Result<pie::ConditionReport> check_pie_program(std::string_view name, const Graph& graph,
                                               const ProgramParameters& parameters,
                                               const RunOptions& options,
                                               const pie::CheckOptions& how) {
  if (name == "sssp")
    return checked(graph, pie::PieSssp(graph, parameters.source, a_round(graph, options)), options,
                   how);
  if (name == "bfs")
    return checked(graph, pie::PieBfs(graph, parameters.source, a_round(graph, options)), options,
                   how);
  if (name == "cc") return checked(graph, pie::PieComponents(), options, how);
  if (name == "cf")
    return checked(graph, pie::Filtering(graph, filtering_options(parameters, options)), options,
                   how);
  LEEWAY_CHECK(name == "pagerank");
  return checked(graph, pie::quick_pagerank(graph, parameters.pagerank()), options, how);
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
