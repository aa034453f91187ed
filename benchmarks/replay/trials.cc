#include "leeway/benchmarks/replay/trials.h"

#include <algorithm>
#include <array>
#include <set>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::replay {

namespace {

constexpr std::array kGraphBenchmarks = {
    Benchmark{"CD", "cdlp", true}, Benchmark{"CC", "cc", true}, Benchmark{"GC", "coloring", true},
    Benchmark{"NP", "paths"},      Benchmark{"PR", "pagerank"}, Benchmark{"SSSP", "sssp"},
};
constexpr std::array kPdeBenchmarks = {Benchmark{"HS", "heat"}, Benchmark{"WS", "wave"}};

/// Beyond this a run counts as one that does not converge, as ASPIRE gave runs up.
constexpr std::uint32_t kMostIterations = 2000;

const Benchmark& benchmark_named(std::string_view name) {
  for (const auto& all : {graph_benchmarks(), pde_benchmarks()}) {
    for (const Benchmark& benchmark : all) {
      if (benchmark.paper == name) return benchmark;
    }
  }
  LEEWAY_CHECK(false, name);
  return kPdeBenchmarks.front();
}

TrialResult summary(const RunRecord& record) {
  TrialResult result;
  result.seconds = record.phases.compute;
  result.iterations = record.iterations();
  result.converged = record.converged();
  const AccessCounts accesses = record.accesses();
  result.remote_uses = accesses.remote();
  result.blocked = record.blocked_fetches();
  result.refreshes = record.refreshes();
  result.messages = record.messages();
  result.bytes = record.bytes();
  result.by_staleness.assign(accesses.stale_by_age.begin(), accesses.stale_by_age.end());
  // A value that a miss has just fetched is current.
  result.by_staleness[0] = accesses.remote() - accesses.stale_hits;
  result.digest = record.digest;
  return result;
}

}  // namespace

std::span<const Benchmark> graph_benchmarks() { return kGraphBenchmarks; }
std::span<const Benchmark> pde_benchmarks() { return kPdeBenchmarks; }

Trial Trials::trial(std::string_view benchmark, std::string_view input, std::string mode) const {
  Trial trial;
  trial.benchmark = benchmark;
  trial.input = input;
  trial.mode = std::move(mode);
  trial.nodes = settings_.nodes;
  return trial;
}

Result<const TrialResult*> Trials::run(const Trial& trial) {
  if (const auto found = results_.find(trial); found != results_.end()) return &found->second;
  say_(format("{} on {}, {}, {} nodes", trial.benchmark, trial.input,
              trial.bsp ? "BSP" : trial.mode, trial.nodes));
  LEEWAY_ASSIGN(TrialResult result, measure(trial));
  return &results_.emplace(trial, std::move(result)).first->second;
}

Result<TrialResult> Trials::measure(const Trial& trial) {
  const Benchmark& benchmark = benchmark_named(trial.benchmark);
  const ProgramInfo* program = find_vertex_program(benchmark.program);
  LEEWAY_CHECK(program != nullptr);
  LEEWAY_ASSIGN(const Graph* graph, shelf_.graph(input_named(trial.input), benchmark.both_ways));
  ProgramSettings settings;
  if (program->source) settings.source = reference::busiest(*graph);
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = trial.nodes;
  options.cluster.network = settings_.network;
  options.cluster.cost = settings_.cost;
  options.cluster.seed = settings_.seed;
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(trial.mode));
  // As the paper's DO-WORK: every vertex in every sweep, one fetch at a time, one compute thread.
  options.engine.scheduler = trial.bsp ? Scheduler::Bsp : Scheduler::DoWork;
  options.engine.visit = Visit::All;
  options.engine.order = WorkOrder::Owner;
  options.engine.lookahead = 0;
  options.engine.replicate = trial.replicate;
  options.engine.most_iterations = kMostIterations;
  options.engine.cost = settings_.cost;
  LEEWAY_ASSIGN(options.divided,
                shelf_.division(input_named(trial.input), benchmark.both_ways, trial.nodes));
  LEEWAY_TRY(admit(*program, *graph, settings, options));
  LEEWAY_ASSIGN(const ProgramRun run, program->run(*graph, settings, options));
  return summary(run.record);
}

std::vector<std::string_view> Trials::shown(std::span<const InputKind> kinds) const {
  std::vector<std::string_view> names;
  for (const Input& input : inputs()) {
    if (std::find(kinds.begin(), kinds.end(), input.kind) == kinds.end()) continue;
    names.push_back(input.name);
    if (shelf_.single()) break;
  }
  return names;
}

Figure Trials::blank(std::string name, std::string title) const {
  Figure figure;
  figure.name = std::move(name);
  figure.title = std::move(title);
  const CostModel& cost = settings_.cost;
  figure.configuration = {
      {"nodes", format("{} virtual, METIS partition", settings_.nodes)},
      {"network", settings_.network.name},
      {"cost model",
       format("fetch {} ps, store {} ps, edge {} ps, vertex {} ps, byte {} ps", cost.fetch_ps,
              cost.store_ps, cost.edge_ps, cost.vertex_ps, cost.byte_ps)},
      {"seed", std::to_string(settings_.seed)},
  };
  figure.notes = {
      "times are virtual: simulated, not measured",
      "smaller graphs of the same kind stand in for the paper's; the configuration names them"};
  return figure;
}

void Trials::add_raw(std::span<const Trial> trials, Figure& figure) {
  figure.raw.columns = {"benchmark", "input",    "mode",       "nodes",       "replicated",
                        "converged", "seconds",  "iterations", "remote_uses", "blocked",
                        "refreshes", "messages", "bytes",      "digest"};
  std::set<std::string_view> named;
  for (const Trial& trial : trials) {
    const auto found = results_.find(trial);
    if (found == results_.end()) continue;
    const TrialResult& result = found->second;
    figure.raw.rows.push_back({std::string(trial.benchmark), std::string(trial.input),
                               trial.bsp ? "bsp" : trial.mode, std::to_string(trial.nodes),
                               trial.replicate ? "yes" : "no", result.converged ? "yes" : "no",
                               format("{:.9f}", result.seconds), std::to_string(result.iterations),
                               std::to_string(result.remote_uses), std::to_string(result.blocked),
                               std::to_string(result.refreshes), std::to_string(result.messages),
                               std::to_string(result.bytes), format("x{:016x}", result.digest)});
    if (!named.insert(trial.input).second) continue;
    const Input& input = input_named(trial.input);
    const auto graph = shelf_.graph(input, benchmark_named(trial.benchmark).both_ways);
    if (!graph) continue;
    figure.configuration.emplace_back(
        trial.input,
        format("{}: {} vertices, {} arcs", shelf_.source(input),
               format_count((*graph)->vertex_count()), format_count((*graph)->arc_count())));
  }
}

}  // namespace leeway::replay
