#include "benchmarks/replay/aspire.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/replay/laboratory.h"
#include "programs/catalog/program.h"
#include "programs/catalog/vertex_run.h"
#include "programs/paths/vertex.h"
#include "programs/reference/kernels.h"

namespace leeway::replay {

namespace {

constexpr std::array kGraphBenchmarks = {
    Benchmark{"CD", "cdlp", true}, Benchmark{"CC", "cc", true}, Benchmark{"GC", "coloring", true},
    Benchmark{"NP", "paths"},      Benchmark{"PR", "pagerank"}, Benchmark{"SSSP", "sssp"},
};
constexpr std::array kPdeBenchmarks = {Benchmark{"HS", "heat"}, Benchmark{"WS", "wave"}};

/// Runs with more iterations count as not converging, as in ASPIRE.
constexpr std::uint32_t kMostIterations = 2000;
/// The same for the further readings of Stale-n, of which some fetch all values in every sweep, and for NP as a bare sum,
/// which with the detection of cycles needs 7.
constexpr std::uint32_t kMostOfReadings = 150;
constexpr std::uint32_t kAspireNodes = 16;    // ASPIRE's cluster
constexpr std::size_t kStalenessColumns = 5;  // columns of the raw numbers: 0 to 4 versions old

constexpr AspirePrices kPrices = {.fetch_ns = CostModel::tardis().fetch_ps / 1000.0,
                                  .miss_us = 500,
                                  .handler_us = 80,
                                  .pagerank = 1e-3,
                                  .equations = 1e-1};

constexpr Benchmark kBareSumBenchmark = {kBareSum, "paths"};

const Benchmark& benchmark_named(std::string_view name) {
  if (name == kBareSum) return kBareSumBenchmark;
  for (const auto& all : {graph_benchmarks(), pde_benchmarks()}) {
    for (const Benchmark& benchmark : all) {
      if (benchmark.paper == name) return benchmark;
    }
  }
  LEEWAY_CHECK(false, name);
  return kPdeBenchmarks.front();
}

}  // namespace

const AspirePrices& aspire_prices() { return kPrices; }

NetworkProfile aspire_network(double scale) {
  NetworkProfile network = parse_profile("infiniband").value();
  network.name = format("infiniband, {} us of processor time per frame at each end, scaled",
                        kPrices.handler_us);
  const auto handler_ns = static_cast<std::uint64_t>(kPrices.handler_us * 1000 * scale);
  network.send_cost_ns = handler_ns;
  network.receive_cost_ns = handler_ns;
  return network;
}

std::vector<RawCell> raw_cells(const AspireRun& run) {
  std::vector<RawCell> cells = {
      {"converged", run.converged},     {"right", run.right},     {"seconds", run.seconds},
      {"iterations", run.iterations},   {"arcs", run.arcs},       {"copies", run.copies},
      {"remote_uses", run.remote_uses}, {"blocked", run.blocked}, {"refreshes", run.refreshes},
      {"messages", run.messages},       {"bytes", run.bytes}};
  std::uint64_t older = 0;
  for (std::size_t age = 0; age < run.by_staleness.size(); ++age) {
    if (age >= kStalenessColumns)
      older += run.by_staleness[age];
    else
      cells.emplace_back(format("stale_{}", age), run.by_staleness[age]);
  }
  cells.emplace_back("stale_more", older);
  cells.emplace_back("digest", format("x{:016x}", run.digest));
  return cells;
}

AspireRun aspire_run_of(const Record& record) {
  AspireRun run;
  run.seconds = record.phases.compute;
  run.iterations = record.iterations();
  run.converged = record.converged();
  run.arcs = record.count(Counter::Inputs);
  run.copies = record.count(Counter::Remote);
  const AccessCounts accesses = record.accesses();
  run.remote_uses = accesses.remote();
  run.blocked = record.blocked_fetches();
  run.refreshes = record.refreshes();
  run.messages = record.messages();
  run.bytes = record.bytes();
  run.by_staleness.assign(accesses.stale_by_age.begin(), accesses.stale_by_age.end());
  // A value fetched by a miss is current.
  run.by_staleness[0] = accesses.remote() - accesses.stale_hits;
  run.digest = record.digest;
  return run;
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

AspireTrial aspire_trial(const Laboratory& lab, std::string_view benchmark, std::string_view input,
                         std::string mode) {
  return {.benchmark = benchmark,
          .input = input,
          .mode = std::move(mode),
          .nodes = lab.nodes(kAspireNodes)};
}

namespace {

GraphRequest request_of(const Laboratory& lab, const AspireTrial& trial) {
  const Input& input = input_named(trial.input);
  const bool matrix = input.kind == InputKind::Matrix;
  return {lab.settings().graph.value_or(place_of(input.file, input.spec)),
          !matrix && benchmark_named(trial.benchmark).both_ways, !matrix};
}

std::string_view reading_name(StaleReading reading) {
  switch (reading) {
    case StaleReading::Misses:
      return "misses";
    case StaleReading::Stores:
      return "stores";
    case StaleReading::Ends:
      return "ends";
  }
  LEEWAY_UNREACHABLE(reading);
}

RunEnd end_of(StaleReading reading) {
  switch (reading) {
    case StaleReading::Misses:
      return RunEnd::Current;
    case StaleReading::Stores:
      return RunEnd::Voted;
    case StaleReading::Ends:
      return RunEnd::Quiet;
  }
  LEEWAY_UNREACHABLE(reading);
}

RunKey key_of(const AspireTrial& trial) {
  return {
      {"benchmark", trial.benchmark},           {"input", trial.input},
      {"mode", trial.bsp ? "bsp" : trial.mode}, {"nodes", trial.nodes},
      {"replicated", trial.replicate},          {"prices", trial.own_prices ? "leeway" : "paper"},
      {"aggregated", trial.aggregate},          {"reading", reading_name(trial.reading)}};
}

/// How the number of copies grows with the number of vertices: a part of a social graph copies a fixed share of it, a
/// part of a plane network or a body in space copies its boundary.
double growth_of_copies(InputKind kind) {
  switch (kind) {
    case InputKind::Social:
      return 1;
    case InputKind::Road:
      return 1.0 / 2;
    case InputKind::Matrix:
      return 2.0 / 3;
  }
  return 1;
}

std::optional<double> tolerance_of(std::string_view benchmark) {
  if (benchmark == "PR") return kPrices.pagerank;
  if (benchmark == "HS" || benchmark == "WS") return kPrices.equations;
  return std::nullopt;
}

/// NP without the detection of cycles.
class BareSum {
 public:
  using Value = std::uint64_t;

  explicit BareSum(VertexId source) : source_(source) {}

  [[nodiscard]] std::uint64_t init(VertexId v) const { return v == source_ ? 1 : 0; }
  [[nodiscard]] std::uint64_t update(const Vertex<std::uint64_t>& vertex) const {
    if (vertex.id() == source_) return 1;
    std::uint64_t paths = 0;
    vertex.each([&](std::uint64_t from) { paths = add_paths(paths, from); });
    return paths;
  }
  [[nodiscard]] std::uint64_t result(const Vertex<std::uint64_t>& vertex) const {
    return vertex.value();
  }

 private:
  VertexId source_;
};

Result<AspireRun> measure(Laboratory& lab, const AspireTrial& trial) {
  const Program* program = find_program(benchmark_named(trial.benchmark).program);
  LEEWAY_CHECK(program != nullptr);
  const GraphRequest request = request_of(lab, trial);
  LEEWAY_ASSIGN(const Graph* graph, lab.inputs().graph(request));
  ProgramParameters parameters;
  if (program->takes(Parameter::Source)) parameters.source = reference::busiest(*graph);
  parameters.tolerance = tolerance_of(trial.benchmark);
  parameters.tolerance_of = RankChange::Mean;  // Algorithm 1
  parameters.rescale = false;
  RunOptions options;
  LEEWAY_ASSIGN(const AspireScale scale, scale_of(lab, trial));
  const NetworkProfile own = parse_profile("infiniband").value();
  const NetworkProfile papers = aspire_network(scale.copies / scale.arcs);
  options.cluster =
      lab.cluster(trial.nodes, lab.settings().network.value_or(trial.own_prices ? own : papers));
  options.cluster.cost = trial.own_prices ? CostModel() : CostModel::tardis();
  if (!trial.own_prices) options.cluster.service = Service::Separate;
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(trial.mode));
  options.cluster.policy.optimizations.aggregation = trial.aggregate;
  options.vertex = engine_of_aspire(trial.bsp ? Scheduler::Bsp : Scheduler::DoWork);
  options.vertex.replicate = trial.replicate;
  options.vertex.store_unchanged = trial.reading == StaleReading::Stores;
  options.cluster.policy.end = end_of(trial.reading);
  if (!trial.own_prices) {
    // The default batch is five times the processor time of a frame at both ends; so is this one.
    const double frame_us = 2 * kPrices.handler_us * scale.copies / scale.arcs;
    options.vertex.batch_ps = static_cast<std::uint64_t>(5 * frame_us * 1e6);
  }
  options.vertex.cache = lab.settings().cache;
  const bool usual = trial.reading == StaleReading::Misses && trial.benchmark != kBareSum;
  options.vertex.most_iterations = usual ? kMostIterations : kMostOfReadings;
  LEEWAY_ASSIGN(options.divided, lab.inputs().division(request, trial.nodes, BalanceBy::Vertices));
  LEEWAY_TRY(admit(*program, EngineName::Vertex, *graph, parameters, options));
  const auto result = [&]() -> Result<ProgramResult> {
    if (trial.benchmark != kBareSum)
      return program->on(EngineName::Vertex)->run(*graph, parameters, options);
    return counted(
        JobGraph(*graph), [&] { return BareSum(parameters.source); }, options, Shown::Paths);
  };
  LEEWAY_ASSIGN(ProgramResult run, result());
  AspireRun numbers = aspire_run_of(run.record);
  numbers.right = program->verify(*graph, parameters, options, run.values).has_value();
  if (auto* const values = std::get_if<std::vector<double>>(&run.values.by_vertex))
    numbers.values = std::move(*values);
  return numbers;
}

}  // namespace

AspireScale scale_of(const Input& input, std::uint64_t vertices, std::uint64_t arcs) {
  const double times_vertices = input.vertices / static_cast<double>(vertices);
  return {input.arcs / static_cast<double>(arcs),
          std::pow(times_vertices, growth_of_copies(input.kind))};
}

Result<AspireScale> scale_of(Laboratory& lab, const AspireTrial& trial) {
  if (lab.settings().graph) return AspireScale{};
  const Input& input = input_named(trial.input);
  LEEWAY_ASSIGN(const Graph* graph, lab.inputs().graph(request_of(lab, trial)));
  AspireScale scale = scale_of(input, graph->vertex_count(), graph->arc_count());
  const bool reversed = input.one_way && benchmark_named(trial.benchmark).both_ways;
  if (reversed) scale.arcs *= 2;
  return scale;
}

Result<const AspireRun*> run_aspire(Laboratory& lab, const AspireTrial& trial) {
  return lab.study().run<AspireRun>(key_of(trial), [&] {
    lab.announce(format("{} on {}, {}, {} nodes{}{}", trial.benchmark, trial.input,
                        trial.bsp ? "BSP" : trial.mode, trial.nodes,
                        trial.own_prices ? ", Leeway's prices" : "",
                        trial.aggregate ? "" : ", no aggregation"));
    return measure(lab, trial);
  });
}

std::vector<std::string_view> shown_inputs(const Laboratory& lab,
                                           std::span<const InputKind> kinds) {
  std::vector<std::string_view> names;
  for (const Input& input : inputs()) {
    if (std::find(kinds.begin(), kinds.end(), input.kind) == kinds.end()) continue;
    names.push_back(input.name);
    if (lab.settings().graph) break;
  }
  return names;
}

Figure blank_aspire(Laboratory& lab) {
  lab.study().begin_figure();
  Figure figure;
  figure.configuration = {
      {"nodes", format("{} virtual, METIS partition", lab.nodes(kAspireNodes))},
      {"network", lab.settings().network.value_or(aspire_network(1)).name},
      {"caches", caches_of(lab.settings().cache)},
      {"cost model", prices_of(CostModel::tardis())},
      {"tolerance", format("PR {}, HS and WS {}", kPrices.pagerank, kPrices.equations)},
  };
  figure.notes = {
      "times are virtual: simulated, not measured",
      "smaller graphs of the same kind replace the paper's; the configuration names them"};
  for (const auto& all : {graph_benchmarks(), pde_benchmarks()}) {
    for (const Benchmark& benchmark : all)
      figure.abbreviations.emplace_back(
          benchmark.paper,
          format("{}: {}", benchmark.program, find_program(benchmark.program)->summary));
  }
  return figure;
}

void finish_aspire(Laboratory& lab, Figure& figure) {
  lab.study().write_raw(figure);
  for (const Input& input : inputs()) {
    const bool used =
        std::any_of(figure.raw.rows.begin(), figure.raw.rows.end(),
                    [&](const std::vector<std::string>& row) { return row[1] == input.name; });
    if (!used) continue;
    AspireTrial trial{.benchmark = "PR", .input = input.name};
    const auto graph = lab.inputs().graph(request_of(lab, trial));
    if (!graph) continue;
    figure.configuration.emplace_back(
        input.name,
        format("{}: {} vertices, {} arcs", file_name(request_of(lab, trial).place),
               format_count((*graph)->vertex_count()), format_count((*graph)->arc_count())));
  }
}

std::string caches_of(const CacheBound& cache) {
  const std::string_view how = cache.eviction == Eviction::Clock ? "clock" : "lru";
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

FigureCell seconds_cell(const AspireRun& run) { return cell_if(run.converged, run.seconds); }

double time_ratio(const AspireRun& of, const AspireRun& to) {
  return of.converged && to.converged ? of.seconds / to.seconds
                                      : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace leeway::replay
