#include "benchmarks/replay/aspire_trials.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/replay/laboratory.h"
#include "programs/reference/kernels.h"
#include "programs/vertex/catalog.h"

namespace leeway::replay {

namespace {

constexpr std::array kGraphBenchmarks = {
    Benchmark{"CD", "cdlp", true}, Benchmark{"CC", "cc", true}, Benchmark{"GC", "coloring", true},
    Benchmark{"NP", "paths"},      Benchmark{"PR", "pagerank"}, Benchmark{"SSSP", "sssp"},
};
constexpr std::array kPdeBenchmarks = {Benchmark{"HS", "heat"}, Benchmark{"WS", "wave"}};

/// Runs with more iterations count as not converging, as in ASPIRE.
constexpr std::uint32_t kMostIterations = 2000;
constexpr std::uint32_t kAspireNodes = 16;  // ASPIRE's cluster

const Benchmark& benchmark_named(std::string_view name) {
  for (const auto& all : {graph_benchmarks(), pde_benchmarks()}) {
    for (const Benchmark& benchmark : all) {
      if (benchmark.paper == name) return benchmark;
    }
  }
  LEEWAY_CHECK(false, name);
  return kPdeBenchmarks.front();
}

}  // namespace

TrialResult trial_result(const Record& record) {
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
  // A value fetched by a miss is current.
  result.by_staleness[0] = accesses.remote() - accesses.stale_hits;
  result.digest = record.digest;
  return result;
}

EngineOptions engine_of_aspire(Scheduler scheduler) {
  EngineOptions engine;
  engine.scheduler = scheduler;
  engine.visit = Visit::All;
  engine.order = WorkOrder::Owner;
  engine.lookahead = 0;
  engine.replicate = false;
  return engine;
}

std::span<const Benchmark> graph_benchmarks() { return kGraphBenchmarks; }
std::span<const Benchmark> pde_benchmarks() { return kPdeBenchmarks; }

Trials::Trials(Laboratory& lab) : lab_(lab), network_(lab.network("infiniband")) {}

Trial Trials::trial(std::string_view benchmark, std::string_view input, std::string mode) const {
  return {.benchmark = benchmark,
          .input = input,
          .mode = std::move(mode),
          .nodes = lab_.nodes(kAspireNodes)};
}

GraphRequest Trials::request(const Trial& trial) const {
  const Input& input = input_named(trial.input);
  const bool matrix = input.kind == InputKind::Matrix;
  return {lab_.settings().graph.value_or(place_of(input.file, input.spec)),
          !matrix && benchmark_named(trial.benchmark).both_ways, !matrix};
}

Result<const TrialResult*> Trials::run(const Trial& trial) {
  requested_.push_back(trial);
  if (const auto found = results_.find(trial); found != results_.end()) return &found->second;
  lab_.announce(format("{} on {}, {}, {} nodes", trial.benchmark, trial.input,
                       trial.bsp ? "BSP" : trial.mode, trial.nodes));
  LEEWAY_ASSIGN(TrialResult result, measure(trial));
  return &results_.emplace(trial, std::move(result)).first->second;
}

Result<TrialResult> Trials::measure(const Trial& trial) {
  const ProgramInfo* program = find_vertex_program(benchmark_named(trial.benchmark).program);
  LEEWAY_CHECK(program != nullptr);
  LEEWAY_ASSIGN(const Graph* graph, lab_.inputs().graph(request(trial)));
  ProgramParameters parameters;
  if (program->source) parameters.source = reference::busiest(*graph);
  RunOptions options;
  options.cluster = lab_.cluster(trial.nodes, network_);
  options.cluster.cost = CostModel::tardis();
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(trial.mode));
  options.vertex = engine_of_aspire(trial.bsp ? Scheduler::Bsp : Scheduler::DoWork);
  options.vertex.replicate = trial.replicate;
  options.vertex.cache = lab_.settings().cache;
  options.vertex.most_iterations = kMostIterations;
  LEEWAY_ASSIGN(options.divided,
                lab_.inputs().division(request(trial), trial.nodes, BalanceBy::Vertices));
  LEEWAY_TRY(admit(*program, *graph, parameters, options));
  LEEWAY_ASSIGN(const ProgramResult run, program->run(*graph, parameters, options));
  return trial_result(run.record);
}

std::vector<std::string_view> Trials::shown(std::span<const InputKind> kinds) const {
  std::vector<std::string_view> names;
  for (const Input& input : inputs()) {
    if (std::find(kinds.begin(), kinds.end(), input.kind) == kinds.end()) continue;
    names.push_back(input.name);
    if (lab_.settings().graph) break;
  }
  return names;
}

Figure Trials::blank() {
  requested_.clear();
  Figure figure;
  figure.configuration = {
      {"nodes", format("{} virtual, METIS partition", lab_.nodes(kAspireNodes))},
      {"network", network_.name},
      {"caches", caches_of(lab_.settings().cache)},
      {"cost model", prices_of(CostModel::tardis())},
      {"seed", std::to_string(lab_.settings().seed)},
  };
  figure.notes = {
      "times are virtual: simulated, not measured",
      "smaller graphs of the same kind replace the paper's; the configuration names them"};
  for (const auto& all : {graph_benchmarks(), pde_benchmarks()}) {
    for (const Benchmark& benchmark : all)
      figure.abbreviations.emplace_back(
          benchmark.paper,
          format("{}: {}", benchmark.program, find_vertex_program(benchmark.program)->summary));
  }
  return figure;
}

void Trials::add_raw(Figure& figure) {
  Rows rows(figure,
            {raw("benchmark"), raw("input"), raw("mode"), raw("nodes"), raw("replicated"),
             raw("converged"), raw("seconds", ".9f"), raw("iterations"), raw("remote_uses"),
             raw("blocked"), raw("refreshes"), raw("messages"), raw("bytes"), raw("digest")});
  std::set<std::string_view> named;
  for (const Trial& trial : requested_) {
    const TrialResult& result = results_.at(trial);
    rows.add({trial.benchmark, trial.input, trial.bsp ? "bsp" : trial.mode, trial.nodes,
              trial.replicate, result.converged, result.seconds, result.iterations,
              result.remote_uses, result.blocked, result.refreshes, result.messages, result.bytes,
              format("x{:016x}", result.digest)});
    if (!named.insert(trial.input).second) continue;
    const auto graph = lab_.inputs().graph(request(trial));
    if (!graph) continue;
    figure.configuration.emplace_back(
        trial.input,
        format("{}: {} vertices, {} arcs", file_name(request(trial).place),
               format_count((*graph)->vertex_count()), format_count((*graph)->arc_count())));
  }
}

std::string caches_of(const CacheBound& cache) {
  const std::string_view how = cache.eviction == Eviction::Lru ? "lru" : "clock";
  if (cache.objects > 0) return format("of {} copies, {}", format_count(cache.objects), how);
  if (cache.percent > 0) return format("of {}% of what a node reads, {}", cache.percent, how);
  return "of a fixed size, large enough for all that a node reads, as the paper's";
}

std::string prices_of(const CostModel& cost) {
  return format("fetch {} ps, store {} ps, edge {} ps, vertex {} ps, byte {} ps", cost.fetch_ps,
                cost.store_ps, cost.edge_ps, cost.vertex_ps, cost.byte_ps);
}

std::vector<BenchmarkCase> one_input_each() {
  std::vector<BenchmarkCase> cases;
  for (const Benchmark& benchmark : graph_benchmarks()) cases.push_back({benchmark.paper, "Pokec"});
  for (const Benchmark& benchmark : pde_benchmarks())
    cases.push_back({benchmark.paper, "AtmosModl"});
  return cases;
}

FigureCell seconds_cell(const TrialResult& result) {
  return cell_if(result.converged, result.seconds);
}

double time_ratio(const TrialResult& of, const TrialResult& to) {
  return of.converged && to.converged ? of.seconds / to.seconds
                                      : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace leeway::replay
