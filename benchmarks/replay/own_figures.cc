// Figures of our own: `cache` (time over the size of the caches), `tick-loopback` and `asytick-loopback` (engines
// with real threads and delays), `modes` and `optimizations` (all programs under all modes on one graph).

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "base/median.h"
#include "benchmarks/replay/aspire.h"
#include "benchmarks/replay/laboratory.h"
#include "benchmarks/replay/tick.h"
#include "programs/catalog/program.h"
#include "programs/jacobi/tick.h"
#include "programs/reference/kernels.h"
#include "programs/scene/spatial.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kCacheNodes = 8;
constexpr std::array<std::string_view, 4> kPrograms = {"pagerank", "sssp", "cc", "heat"};
constexpr std::array<std::string_view, 2> kNetworks = {"infiniband", "ec2"};
/// Percentage of the objects that a node reads from others; the first is the baseline.
constexpr std::array<double, 5> kSizes = {100, 75, 50, 25, 10};
constexpr std::uint32_t kCacheIterations = 20'000;
constexpr double kNoFaster = 0.9;  // a smaller cache may be faster by chance

/// A graph and its division.
struct CacheInput {
  std::string name;  ///< name in tables
  std::string spec;
  PartitionMethod method = PartitionMethod::Metis;
};

std::vector<CacheInput> cache_inputs() {
  return {{"kron by METIS", "kron:8:8", PartitionMethod::Metis},
          {"kron at random", "kron:8:8", PartitionMethod::Random},
          {"grid in ranges", "grid2d:24x24", PartitionMethod::Block}};
}

struct DividedGraph {
  const Graph* graph = nullptr;  ///< owned by the input cache
  std::shared_ptr<const Partition> division;
};

/// Adds every arc's reverse. Arcs get random weights, except for heat, which uses the graph's Laplacian.
Result<DividedGraph> divide_input(const CacheInput& input, std::string_view program,
                                  std::uint32_t nodes, InputCache& inputs) {
  const GraphRequest request{input.spec, true, program != "heat"};
  DividedGraph divided;
  LEEWAY_ASSIGN(divided.graph, inputs.graph(request));
  LEEWAY_ASSIGN(divided.division, inputs.division(request, nodes, BalanceBy::Arcs, input.method));
  return divided;
}

struct CacheMode {
  std::string_view name;
  std::string_view consistency;
  Scheduler scheduler = Scheduler::DoWork;
  std::optional<Eviction> eviction = {};  ///< none: the default
};
constexpr std::array<CacheMode, 5> kCacheModes = {
    {{"scp", "scp"},
     {"rcp", "rcp"},
     {"rcp+push", "rcp+push"},
     {"bsp", "rcp", Scheduler::Bsp},
     {"rcp-lru", "rcp", Scheduler::DoWork, Eviction::Lru}}};

struct CacheMeasure {
  double seconds = 0;
  bool converged = false;
  bool right = false;  ///< equal to the sequential oracle's result
  std::uint64_t capacity = 0, hits = 0, misses = 0, evictions = 0, messages = 0;
  std::uint32_t iterations = 0;
};

Result<CacheMeasure> run_with(const DividedGraph& divided, std::string_view program_name,
                              const CacheMode& mode, std::string_view network, double percent,
                              const Laboratory& lab) {
  const Program& program = *find_program(program_name);
  ProgramParameters settings;
  settings.source = reference::busiest(*divided.graph);
  RunOptions options;
  LEEWAY_ASSIGN(const NetworkProfile profile, parse_profile(network));
  options.cluster = lab.cluster(divided.division->part_count, profile);
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(mode.consistency));
  options.vertex.scheduler = mode.scheduler;
  options.vertex.visit = Visit::All;
  options.vertex.most_iterations = kCacheIterations;
  options.vertex.cache.percent = percent;
  options.vertex.cache.eviction = mode.eviction;
  options.residuals = false;
  options.divided = divided.division;
  LEEWAY_TRY(admit(program, EngineName::Vertex, *divided.graph, settings, options));
  LEEWAY_ASSIGN(const ProgramResult run,
                program.on(EngineName::Vertex)->run(*divided.graph, settings, options));
  const Record& record = run.record;
  CacheMeasure result;
  result.seconds = record.phases.compute;
  result.converged = record.converged();
  result.right = program.verify(*divided.graph, settings, options, run.values).has_value();
  result.iterations = record.iterations();
  result.messages = record.messages();
  const AccessCounts accesses = record.accesses();
  result.hits = accesses.current_hits + accesses.stale_hits;
  result.misses = accesses.stale_misses + accesses.cache_misses;
  for (const NodeRecord& node : record.nodes) {
    const std::uint64_t bound = node.counters[Counter::CacheCapacity];
    result.capacity += bound > 0 ? bound : node.counters[Counter::Remote];
    result.evictions += node.counters[Counter::Evictions];
  }
  return result;
}

struct CacheRow {
  std::string_view program, input, network, mode;
  std::array<CacheMeasure, kSizes.size()> runs;

  [[nodiscard]] double times(std::size_t size) const {
    return runs[size].seconds / runs.front().seconds;
  }
};

Figure blank(std::uint32_t nodes, std::uint64_t seed) {
  Figure figure;
  figure.configuration = {{"nodes", format("{} virtual", nodes)},
                          {"cost model", "default; a hit is 2.5 ns, in a bounded cache as well"},
                          {"visits", "all vertices in every iteration, also where all fits"},
                          {"eviction",
                           "the copy that the program reads last from now; rcp-lru: the one that "
                           "it read longest ago"},
                          {"seed", std::to_string(seed)}};
  for (const CacheInput& input : cache_inputs())
    figure.configuration.emplace_back(input.name, input.spec);
  figure.notes = {"times are virtual: simulated, not measured",
                  "columns are the copies a node keeps, in percent of what it reads from others, "
                  "but no fewer than 16; cells are times over the first"};
  return figure;
}

void add_cache_row(const CacheRow& row, Rows& rows, Rows& all_runs) {
  std::vector<FigureCell> cells = {row.program, row.input, row.network, row.mode};
  for (std::size_t size = 0; size < kSizes.size(); ++size) {
    const CacheMeasure& run = row.runs[size];
    cells.push_back(cell_if(run.converged, row.times(size)));
    all_runs.add({row.program, row.input, row.network, row.mode, kSizes[size], run.capacity,
                  run.converged, run.right, run.seconds, run.iterations, run.hits, run.misses,
                  run.evictions, run.messages});
  }
  rows.add(cells);
}

double mean_times(const std::vector<CacheRow>& rows, std::string_view mode, std::size_t size) {
  std::vector<double> times;
  for (const CacheRow& row : rows) {
    if (row.mode == mode && row.runs[size].converged) times.push_back(row.times(size));
  }
  return geometric_mean(times);
}

void add_means(const std::vector<CacheRow>& all, Rows& rows) {
  for (const CacheMode& mode : kCacheModes) {
    std::vector<FigureCell> cells = {"all", "geometric mean", "", mode.name};
    for (std::size_t size = 0; size < kSizes.size(); ++size)
      cells.emplace_back(mean_times(all, mode.name, size));
    rows.add(cells);
  }
}

std::vector<Claim> claims_of(const std::vector<CacheRow>& rows) {
  std::size_t runs = 0;
  std::size_t right = 0;
  std::size_t faster = 0;
  for (const CacheRow& row : rows) {
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
      ++runs;
      right += row.runs[size].converged && row.runs[size].right ? 1 : 0;
      faster += size > 0 && row.times(size) < kNoFaster ? 1 : 0;
    }
  }
  constexpr std::size_t kQuarter = 3;
  const double scp = mean_times(rows, "scp", kQuarter);
  const double rcp = mean_times(rows, "rcp", kQuarter);
  std::size_t cheaper = 0;
  for (std::size_t size = 1; size < kSizes.size(); ++size)
    cheaper += mean_times(rows, "rcp", size) < mean_times(rows, "rcp-lru", size) ? 1 : 0;
  const std::size_t smaller = rows.size() * (kSizes.size() - 1);
  return {
      ours(order_claim("a bound changes no answer", "runs that converge to the oracle's result",
                       right, runs)),
      ours(order_claim("a smaller cache is not faster",
                       "runs that take at least 0.9 of the time of the unbounded one",
                       smaller - faster, smaller)),
      ours(holds_claim("a small cache costs RCP more than SCP, whose copies go out of date anyway",
                       "at 25 %, RCP's mean is above SCP's", rcp > scp)),
      ours(order_claim("a cache that knows its reads costs RCP less than one that evicts by age",
                       "sizes at which the mean of rcp is below that of rcp-lru", cheaper,
                       kSizes.size() - 1)),
  };
}

}  // namespace

Result<Figure> replay_cache(Laboratory& lab) {
  const std::uint32_t nodes = lab.nodes(kCacheNodes);
  Figure figure = blank(nodes, lab.settings().seed);
  std::vector<Column> columns = {shown("program"), shown("input"), shown("network"), shown("mode")};
  for (const double size : kSizes) columns.push_back(shown(format("{} %", size), ".2f"));
  Rows rows(figure, columns);
  Rows all_runs(figure,
                {raw("program"), raw("input"), raw("network"), raw("mode"), raw("percent"),
                 raw("capacity"), raw("converged"), raw("right"), raw("seconds", ".9f"),
                 raw("iterations"), raw("hits"), raw("misses"), raw("evictions"), raw("messages")});
  const std::vector<CacheInput> inputs = cache_inputs();  // the rows refer to their names
  std::vector<CacheRow> all;
  for (const std::string_view program : kPrograms) {
    for (const CacheInput& input : inputs) {
      LEEWAY_ASSIGN(const DividedGraph divided, divide_input(input, program, nodes, lab.inputs()));
      for (const std::string_view network : kNetworks) {
        for (const CacheMode& mode : kCacheModes) {
          lab.announce(format("{} on {}, {}, {}", program, input.name, network, mode.name));
          CacheRow row{program, input.name, network, mode.name, {}};
          for (std::size_t size = 0; size < kSizes.size(); ++size) {
            LEEWAY_ASSIGN(row.runs[size],
                          run_with(divided, program, mode, network, kSizes[size], lab));
          }
          add_cache_row(row, rows, all_runs);
          all.push_back(row);
        }
      }
    }
  }
  add_means(all, rows);
  figure.claims = claims_of(all);
  return figure;
}

namespace {

// Tick and piece engine with real threads and delays: every node is a thread of this process, and frames are delayed
// by a network profile (Tick §6, AsyTick §5, at the size of one machine). Measured, so runs vary: all rivals run in
// turn in every round, and medians are compared.
constexpr std::uint32_t kLoopbackRounds = 5;
constexpr std::array kLoopbackNodes = {2U, 4U};

struct EngineTimes {
  std::string name;
  std::function<Result<double>(const ClusterOptions&)> seconds;
};

/// The median seconds of each rival, over interleaved rounds.
Result<std::vector<double>> contest(const std::vector<EngineTimes>& rivals, std::uint32_t nodes,
                                    const NetworkProfile& network, Laboratory& lab) {
  std::vector<std::vector<double>> times(rivals.size());
  for (std::uint32_t round = 0; round < kLoopbackRounds; ++round) {
    ClusterOptions cluster = lab.cluster(nodes, network);
    cluster.fabric = Fabric::Loopback;
    cluster.seed += round;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      lab.announce(format("{} on {} threads, round {}", rivals[i].name, nodes, round + 1));
      LEEWAY_ASSIGN(const double seconds, rivals[i].seconds(cluster));
      times[i].push_back(seconds);
    }
  }
  std::vector<double> medians;
  for (auto& each : times) medians.push_back(median(std::move(each)));
  return medians;
}

Figure blank(const NetworkProfile& network, std::uint64_t seed, std::string workload) {
  Figure figure;
  figure.configuration = {{"nodes", "threads of one process, 2 and 4"},
                          {"network", network.name + ", in real time"},
                          {"workload", std::move(workload)},
                          {"rounds", std::to_string(kLoopbackRounds)},
                          {"seed", std::to_string(seed)}};
  figure.notes = {"medians of rounds that go through all rivals in turn",
                  "with more nodes than cores, a node's idle time is another's compute time, so a "
                  "barrier costs less than on separate machines"};
  return figure;
}

std::vector<Column> rival_columns() {
  return {both("nodes"), shown("rival"), raw("rival"), both("seconds", ".3f", "seconds", ".6f"),
          both("over the first", ".2f", "over the first", ".4f")};
}

void add_rows(Rows& rows, std::uint32_t nodes, const std::vector<EngineTimes>& rivals,
              const std::vector<double>& times) {
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    std::string name = rivals[i].name;
    std::erase(name, ',');
    rows.add({nodes, rivals[i].name, name, times[i], times[0] / times[i]});
  }
}

Claim faster(std::string text, double slow, double fast) {
  Claim claim = band_claim(std::move(text), "times as fast", 1,
                           std::numeric_limits<double>::infinity(), slow / fast);
  claim.timed = true;
  return claim;
}

/// A plate so small that the network dominates a tick.
std::vector<EngineTimes> tick_rivals(std::uint32_t ticks) {
  const tick::HeatParameters plate{.plate = {.columns = 400, .rows = 400}};
  std::vector<EngineTimes> rivals;
  for (const Technique& each : {barrier(), local(), schedule(1), combined(10, 3, 5)}) {
    rivals.push_back({each.name, [=](const ClusterOptions& cluster) -> Result<double> {
                        tick::TickOptions options = each.options;
                        options.ticks = tick::Tick(ticks);
                        LEEWAY_ASSIGN(const tick::HeatRun run,
                                      tick::run_heat(plate, options, cluster));
                        return seconds(run.elapsed);
                      }});
  }
  return rivals;
}

/// Bodies that gather and disperse, so that in every tick some piece is expensive.
std::vector<EngineTimes> piece_rivals(std::uint32_t ticks, std::uint64_t seed) {
  piece::NBodyJob job{.pieces = 16};
  job.model.width = job.model.height = 256;
  job.model.radius = 4;
  job.model.reach = 3.9;
  job.model.strength = 0.001;
  job.things = scene::nbody_scene({.bodies = 8'000,
                                   .groups = 16,
                                   .grouped = 0.5,
                                   .period = 32,
                                   .gathering = 0.1,
                                   .group_radius = 18,
                                   .seed = seed},
                                  job.model);
  std::vector<EngineTimes> rivals;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto system = static_cast<piece::System>(i);
    rivals.push_back({std::string(piece::system_name(system)),
                      [=](const ClusterOptions& cluster) -> Result<double> {
                        piece::PieceOptions options;
                        options.system = system;
                        options.ticks = ticks;
                        LEEWAY_ASSIGN(const auto run, piece::run_spatial(job, cluster, options));
                        return run.record.seconds();
                      }});
  }
  return rivals;
}

}  // namespace

Result<Figure> replay_tick_loopback(Laboratory& lab) {
  const NetworkProfile network = lab.network("ec2");
  const std::uint32_t ticks = lab.settings().iterations.value_or(200);
  Figure figure =
      blank(network, lab.settings().seed, format("a plate of 400 x 400 cells, {} ticks", ticks));
  Rows rows(figure, rival_columns());
  const std::vector<EngineTimes> rivals = tick_rivals(ticks);
  for (const std::uint32_t nodes : kLoopbackNodes) {
    LEEWAY_ASSIGN(const auto times, contest(rivals, nodes, network, lab));
    add_rows(rows, nodes, rivals, times);
    const std::string on = format(", {} nodes", nodes);
    figure.claims.push_back(
        faster("local synchronization beats the global barrier" + on, times[0], times[1]));
    figure.claims.push_back(
        faster("scheduling beats local synchronization" + on, times[1], times[2]));
    figure.claims.push_back(
        ratio_claim("both techniques together beat local synchronization threefold" + on,
                    "times as fast", 3, times[1] / times[3]));
    figure.claims.back().timed = true;
  }
  return figure;
}

Result<Figure> replay_asytick_loopback(Laboratory& lab) {
  const NetworkProfile network = lab.network("gigabit");
  const std::uint32_t ticks = lab.settings().iterations.value_or(96);
  Figure figure =
      blank(network, lab.settings().seed,
            format("8000 bodies, half of them in 16 groups, 16 pieces a worker, {} ticks", ticks));
  Rows rows(figure, rival_columns());
  const std::vector<EngineTimes> rivals = piece_rivals(ticks, lab.settings().seed);
  for (const std::uint32_t nodes : kLoopbackNodes) {
    LEEWAY_ASSIGN(const auto times, contest(rivals, nodes, network, lab));
    add_rows(rows, nodes, rivals, times);
    const std::string on = format(", {} nodes", nodes);
    figure.claims.push_back(faster("AsyTick-PLB is faster than ComTick" + on, times[1], times[3]));
    figure.claims.push_back(faster("and faster than OriTick" + on, times[0], times[3]));
  }
  return figure;
}

namespace {

// `modes` and `optimizations`: the eight programs of ASPIRE's Table 1 on one graph under every mode: time relative to
// SCP, waiting reads, staleness, iterations and messages; and RCP without each of ASPIRE's optimizations (§4.3).
// Simulated; in a job of processes the same runs are measured.
constexpr std::string_view kDefaultGraph = "powerlaw:10000:2.1";
constexpr std::uint32_t kOwnNodes = 16;
/// Runs with more iterations count as not converging. Where nodes do not wait for each other they also count the rounds
/// in which no value arrived.
constexpr std::uint32_t kMostPasses = 500;
constexpr std::uint32_t kMostFreePasses = 10 * kMostPasses;

struct ComparedMode {
  std::string_view name;
  std::string_view consistency;
  Scheduler scheduler = Scheduler::DoWork;
  Optimizations optimizations = {};
  bool replicate = false;
};
/// The first is the baseline.
constexpr std::array<ComparedMode, 9> kComparedModes = {{{"SCP", "scp"},
                                                         {"SCP+RW", "scp+rw"},
                                                         {"SCP+PB", "scp+pb"},
                                                         {"Stale-1", "stale-1"},
                                                         {"Stale-2", "stale-2"},
                                                         {"Stale-3", "stale-3"},
                                                         {"RCP", "rcp"},
                                                         {"RCP+push", "rcp+push"},
                                                         {"BSP", "rcp", Scheduler::Bsp}}};
constexpr std::array<ComparedMode, 3> kFurtherModes = {
    {{"AP", "rcp", Scheduler::Ap}, {"SSP", "rcp", Scheduler::Ssp}, {"AAP", "rcp", Scheduler::Aap}}};

/// RCP with all four optimizations, without one of them, and without any.
constexpr std::array<ComparedMode, 6> kOptimizations = {
    {{"all four", "rcp", Scheduler::DoWork, {}, true},
     {"no aggregation", "rcp", Scheduler::DoWork, {.aggregation = false}, true},
     {"no flattening", "rcp", Scheduler::DoWork, {.flattening = false}, true},
     {"no collocation", "rcp", Scheduler::DoWork, {.collocation = false}, true},
     {"no replication", "rcp", Scheduler::DoWork, {}, false},
     {"none",
      "rcp",
      Scheduler::DoWork,
      {.collocation = false, .aggregation = false, .flattening = false},
      false}}};

Result<std::vector<ComparedMode>> modes_of(const LabSettings& settings) {
  std::vector<ComparedMode> modes(kComparedModes.begin(), kComparedModes.end());
  for (const std::string& name : settings.schedulers) {
    const auto found = std::find_if(
        kFurtherModes.begin(), kFurtherModes.end(),
        [&](const ComparedMode& mode) { return scheduler_name(mode.scheduler) == name; });
    if (found == kFurtherModes.end()) {
      return fail(input_error("--schedulers", format("'{}' is not an additional scheduler", name),
                              "give a comma-separated list of ap, ssp and aap"));
    }
    modes.push_back(*found);
  }
  return modes;
}

std::vector<Benchmark> all_benchmarks() {
  std::vector<Benchmark> all(graph_benchmarks().begin(), graph_benchmarks().end());
  all.insert(all.end(), pde_benchmarks().begin(), pde_benchmarks().end());
  return all;
}

/// In the order of the paper's table; accepts the paper's names and ours.
Result<std::vector<Benchmark>> benchmarks_of(const LabSettings& settings) {
  std::vector<Benchmark> all = all_benchmarks();
  if (settings.programs.empty()) return all;
  std::set<std::string_view> requested;
  std::vector<std::string_view> names;
  for (const Benchmark& each : all) names.push_back(each.program);
  for (const std::string& name : settings.programs) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Benchmark& each) {
      return each.program == name || lower_case(each.paper) == lower_case(name);
    });
    if (found == all.end()) {
      return fail(input_error("--programs", format("'{}' is not one of the eight programs", name),
                              did_you_mean(name, names)));
    }
    requested.insert(found->program);
  }
  std::erase_if(all, [&](const Benchmark& each) { return !requested.contains(each.program); });
  return all;
}

struct ModeMeasure {
  AspireRun result;
  bool right = false;  ///< the result equals the sequential oracle's
};

class Comparison {
 public:
  /// `what`: the end of the title, after the programs.
  Comparison(Laboratory& lab, std::vector<Benchmark> benchmarks, std::vector<ComparedMode> modes,
             std::string_view what)
      : lab_(lab),
        benchmarks_(std::move(benchmarks)),
        modes_(std::move(modes)),
        what_(what),
        network_(lab.network("infiniband")) {}

  Status run() {
    LEEWAY_ASSIGN(runs_, lab_.medians<ModeMeasure>(
                             benchmarks_.size() * modes_.size(),
                             [&](std::size_t i) {
                               return format("{} under {}", benchmark_of(i).program,
                                             mode_of(i).name);
                             },
                             [&](std::size_t i) { return run_one(benchmark_of(i), mode_of(i)); },
                             [](const ModeMeasure& run) { return run.result.seconds; }));
    return {};
  }

  [[nodiscard]] Figure figure() const {
    Figure figure = blank();
    const std::string over = format("over {}'s", modes_.front().name);
    figure.shown_title = "time " + over;
    add_ratios(figure.shown, ".2f", [](const AspireRun& r) { return r.seconds; });
    add_further(figure, "remote reads that waited, in percent", [&](FigureTable& table) {
      add_numbers(table, ".1f", [](const AspireRun& r) {
        return r.remote_uses == 0
                   ? 0.0
                   : 100 * static_cast<double>(r.blocked) / static_cast<double>(r.remote_uses);
      });
    });
    add_further(figure, "versions behind, of the copies read, on average",
                [&](FigureTable& table) { add_numbers(table, ".2f", mean_staleness); });
    add_further(figure, "iterations", [&](FigureTable& table) {
      add_numbers(table, ".0f",
                  [](const AspireRun& r) { return static_cast<double>(r.iterations); });
    });
    add_further(figure, "messages " + over, [&](FigureTable& table) {
      add_ratios(table, ".2f", [](const AspireRun& r) { return static_cast<double>(r.messages); });
    });
    add_further(figure, "bytes " + over, [&](FigureTable& table) {
      add_ratios(table, ".2f", [](const AspireRun& r) { return static_cast<double>(r.bytes); });
    });
    add_charts(figure);
    add_raw(figure);
    if (!chosen()) {
      figure.claims = {answers_claim()};
      return figure;
    }
    figure.title = format("{} {}, on {}", names_of_programs(), what_, file_name(place()));
    const auto [right, converged] = right_of_converged();
    figure.notes.push_back(format(
        "{} of the {} runs that converged give the sequential program's result", right, converged));
    return figure;
  }

 private:
  using Measure = std::function<double(const AspireRun&)>;

  [[nodiscard]] bool measured() const { return lab_.settings().job != nullptr; }
  /// The user has chosen the graph or the programs, so the figure is not the one of the documents.
  [[nodiscard]] bool chosen() const {
    return lab_.settings().graph || !lab_.settings().programs.empty();
  }
  [[nodiscard]] std::string names_of_programs() const {
    if (benchmarks_.size() == all_benchmarks().size())
      return "the eight programs of ASPIRE's Table 1";
    std::string names;
    for (std::size_t b = 0; b < benchmarks_.size(); ++b)
      names += format("{}{}",
                      b == 0                        ? ""
                      : b + 1 == benchmarks_.size() ? " and "
                                                    : ", ",
                      benchmarks_[b].program);
    return names;
  }
  [[nodiscard]] std::string place() const {
    return lab_.settings().graph.value_or(std::string(kDefaultGraph));
  }
  [[nodiscard]] static bool is_pde(const Benchmark& benchmark) {
    const auto all = pde_benchmarks();
    return std::any_of(all.begin(), all.end(),
                       [&](const Benchmark& each) { return each.program == benchmark.program; });
  }
  /// Equations use the graph's Laplacian: no weights, and every arc's reverse.
  [[nodiscard]] GraphRequest request(const Benchmark& benchmark) const {
    return {place(), benchmark.both_ways || is_pde(benchmark), !is_pde(benchmark)};
  }
  [[nodiscard]] std::uint32_t nodes() const {
    return measured() ? lab_.settings().job->node_count() : lab_.nodes(kOwnNodes);
  }
  /// The benchmark and the mode of a run, given its index in runs_.
  [[nodiscard]] const Benchmark& benchmark_of(std::size_t run) const {
    return benchmarks_[run / modes_.size()];
  }
  [[nodiscard]] const ComparedMode& mode_of(std::size_t run) const {
    return modes_[run % modes_.size()];
  }
  [[nodiscard]] const ModeMeasure& at(std::size_t benchmark, std::size_t mode) const {
    return runs_[benchmark * modes_.size() + mode];
  }

  Result<ModeMeasure> run_one(const Benchmark& benchmark, const ComparedMode& mode) {
    const Program* const program = find_program(benchmark.program);
    LEEWAY_CHECK(program != nullptr);
    LEEWAY_ASSIGN(const Graph* graph, lab_.inputs().graph(request(benchmark)));
    ProgramParameters settings;
    if (program->takes(Parameter::Source)) settings.source = reference::busiest(*graph);
    RunOptions options;
    options.cluster = lab_.cluster(nodes(), network_);
    if (measured()) {
      options.cluster.job = lab_.settings().job;
      options.cluster.fabric = lab_.settings().job->fabric();
    }
    LEEWAY_ASSIGN(options.cluster.policy, parse_policy(mode.consistency));
    options.cluster.policy.optimizations = mode.optimizations;
    options.vertex = engine_of_aspire(mode.scheduler);
    options.vertex.replicate = mode.replicate;
    options.vertex.most_iterations = runs_free(mode) ? kMostFreePasses : kMostPasses;
    options.vertex.patience = program->patience;
    options.vertex.cache = lab_.settings().cache;
    options.residuals = false;
    LEEWAY_ASSIGN(options.divided,
                  lab_.inputs().division(request(benchmark), nodes(), BalanceBy::Vertices));
    LEEWAY_TRY(admit(*program, EngineName::Vertex, *graph, settings, options));
    LEEWAY_ASSIGN(const ProgramResult run,
                  program->on(EngineName::Vertex)->run(*graph, settings, options));
    ModeMeasure made{.result = aspire_run_of(run.record)};
    const bool here = !measured() || lab_.settings().job->self() == NodeId(0);
    made.right = here && made.result.converged &&
                 program->verify(*graph, settings, options, run.values).has_value();
    return made;
  }

  static bool runs_free(const ComparedMode& mode) {
    return std::any_of(kFurtherModes.begin(), kFurtherModes.end(),
                       [&](const ComparedMode& each) { return each.scheduler == mode.scheduler; });
  }
  [[nodiscard]] std::string limits_of_passes() const {
    std::string text = format("after {} iterations", kMostPasses);
    std::string_view before = "; ";
    for (const ComparedMode& mode : modes_) {
      if (!runs_free(mode)) continue;
      text += format("{}{}", before, mode.name);
      before = ", ";
    }
    return before == ", " ? format("{}: after {}", text, kMostFreePasses) : text;
  }

  [[nodiscard]] Figure blank() const {
    Figure figure;
    figure.configuration = {
        {"graph", file_name(place())},
        {"nodes",
         format("{} {}, METIS partition", nodes(), measured() ? "processes of a job" : "virtual")},
        {"network", measured() ? std::string("the job's network") : network_.name},
        {"caches", caches_of(lab_.settings().cache)},
        {"stopped", limits_of_passes()},
        {"seed", std::to_string(lab_.settings().seed)}};
    if (measured()) {
      figure.configuration.emplace_back(
          "rounds", format("{}, through all runs in turn; medians", lab_.rounds()));
    } else {
      figure.configuration.emplace_back("cost model", prices_of(CostModel()));
    }
    const bool all_converged = std::all_of(
        runs_.begin(), runs_.end(), [](const ModeMeasure& run) { return run.result.converged; });
    if (!all_converged) figure.notes.emplace_back("x: the run did not converge");
    if (!measured()) figure.notes.emplace_back("times are virtual: simulated, not measured");
    figure.measured = measured();
    return figure;
  }

  void head(FigureTable& table) const {
    table.columns = {"program"};
    for (const ComparedMode& mode : modes_) table.columns.emplace_back(mode.name);
  }
  template <class Value>
  void add_rows(FigureTable& table, const std::string& form, const Value& value) const {
    head(table);
    for (std::size_t b = 0; b < benchmarks_.size(); ++b) {
      std::vector<std::string> row = {std::string(benchmarks_[b].program)};
      for (std::size_t m = 0; m < modes_.size(); ++m)
        row.push_back(cell_if(at(b, m).result.converged, value(b, m)).as(form));
      table.rows.push_back(std::move(row));
    }
  }
  void add_numbers(FigureTable& table, const std::string& form, const Measure& of) const {
    add_rows(table, form, [&](std::size_t b, std::size_t m) { return of(at(b, m).result); });
  }
  /// Relative to the first mode, with geometric means.
  void add_ratios(FigureTable& table, const std::string& form, const Measure& of) const {
    add_rows(table, form, [&](std::size_t b, std::size_t m) { return ratio(b, m, of); });
    if (benchmarks_.size() == 1) return;
    std::vector<std::string> row = {"geometric mean"};
    for (std::size_t m = 0; m < modes_.size(); ++m) row.push_back(FigureCell(mean(m, of)).as(form));
    table.rows.push_back(std::move(row));
  }
  [[nodiscard]] double ratio(std::size_t b, std::size_t m, const Measure& of) const {
    const AspireRun& base = at(b, 0).result;
    if (!base.converged || !at(b, m).result.converged)
      return std::numeric_limits<double>::quiet_NaN();
    return of(at(b, m).result) / of(base);
  }
  [[nodiscard]] double mean(std::size_t m, const Measure& of) const {
    std::vector<double> ratios;
    for (std::size_t b = 0; b < benchmarks_.size(); ++b) {
      const double each = ratio(b, m, of);
      if (std::isfinite(each) && each > 0) ratios.push_back(each);
    }
    return geometric_mean(ratios);
  }
  static double mean_staleness(const AspireRun& result) {
    double sum = 0;
    for (std::size_t age = 0; age < result.by_staleness.size(); ++age)
      sum += static_cast<double>(age) * static_cast<double>(result.by_staleness[age]);
    return result.remote_uses == 0 ? 0 : sum / static_cast<double>(result.remote_uses);
  }

  template <class Fill>
  static void add_further(Figure& figure, std::string title, const Fill& fill) {
    fill(figure.further.emplace_back(FurtherTable{std::move(title), {}}).table);
  }

  void add_charts(Figure& figure) const {
    const auto chart = [&](std::string title, const Measure& of) {
      BarChart bars{.title = std::move(title), .mark = 1, .bars = {}};
      for (std::size_t m = 0; m < modes_.size(); ++m)
        bars.bars.emplace_back(modes_[m].name, mean(m, of));
      figure.charts.push_back(std::move(bars));
    };
    const std::string over =
        format("over {}'s, {}", modes_.front().name,
               benchmarks_.size() == 1 ? benchmarks_.front().program : "mean of the programs");
    chart("time " + over, [](const AspireRun& r) { return r.seconds; });
    chart("messages " + over, [](const AspireRun& r) { return static_cast<double>(r.messages); });
  }

  void add_raw(Figure& figure) const {
    Rows rows(figure,
              {raw("program"), raw("mode"), raw("converged"), raw("right"), raw("seconds", ".9f"),
               raw("iterations"), raw("remote_uses"), raw("blocked"), raw("mean_staleness", ".6f"),
               raw("refreshes"), raw("messages"), raw("bytes"), raw("digest")});
    for (std::size_t b = 0; b < benchmarks_.size(); ++b) {
      for (std::size_t m = 0; m < modes_.size(); ++m) {
        const auto& [result, right] = at(b, m);
        rows.add({benchmarks_[b].program, modes_[m].name, result.converged, right, result.seconds,
                  result.iterations, result.remote_uses, result.blocked, mean_staleness(result),
                  result.refreshes, result.messages, result.bytes,
                  format("x{:016x}", result.digest)});
      }
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> right_of_converged() const {
    std::size_t converged = 0;
    std::size_t right = 0;
    for (const ModeMeasure& run : runs_) {
      converged += run.result.converged ? 1 : 0;
      right += run.right ? 1 : 0;
    }
    return {right, converged};
  }

  [[nodiscard]] Claim answers_claim() const {
    const auto [right, converged] = right_of_converged();
    return ours(order_claim("no mode changes an answer",
                            "runs that give the sequential oracle's result, of those that converge",
                            right, converged));
  }

  Laboratory& lab_;
  std::vector<Benchmark> benchmarks_;
  std::vector<ComparedMode> modes_;
  std::string_view what_;
  NetworkProfile network_;
  std::vector<ModeMeasure> runs_;  // by program, then by mode
};

Result<Figure> compare_modes(Laboratory& lab, std::vector<ComparedMode> modes,
                             std::string_view what) {
  LEEWAY_ASSIGN(const auto benchmarks, benchmarks_of(lab.settings()));
  Comparison comparison(lab, benchmarks, std::move(modes), what);
  LEEWAY_TRY(comparison.run());
  return comparison.figure();
}

}  // namespace

Result<Figure> replay_modes(Laboratory& lab) {
  LEEWAY_ASSIGN(auto modes, modes_of(lab.settings()));
  return compare_modes(lab, std::move(modes), "under every mode");
}

Result<Figure> replay_optimizations(Laboratory& lab) {
  if (!lab.settings().schedulers.empty()) {
    return fail(
        input_error("--schedulers", "the optimizations are measured under RCP", "leave it out"));
  }
  return compare_modes(lab, {kOptimizations.begin(), kOptimizations.end()},
                       "under RCP without each of ASPIRE's optimizations");
}

}  // namespace leeway::replay
