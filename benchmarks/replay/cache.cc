// Time over the size of the caches: what a bound on the copies that a node keeps costs under each mode.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kNodes = 8;
constexpr std::array<std::string_view, 4> kPrograms = {"pagerank", "sssp", "cc", "heat"};
constexpr std::array<std::string_view, 2> kNetworks = {"infiniband", "ec2"};
/// Percent of what a node reads from others; the first is what the others are held against.
constexpr std::array<double, 5> kSizes = {100, 75, 50, 25, 10};
constexpr std::uint32_t kMostIterations = 20'000;
constexpr double kNoFaster = 0.9;  // a smaller cache may be so much faster by chance

/// A graph and its division.
struct CacheInput {
  std::string name;  ///< in tables
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

/// Each arc has its reverse. Arcs have random weights, except for heat, which takes the graph's Laplacian.
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
};
constexpr std::array<CacheMode, 4> kModes = {
    {{"scp", "scp"}, {"rcp", "rcp"}, {"rcp+push", "rcp+push"}, {"bsp", "rcp", Scheduler::Bsp}}};

struct CacheRun {
  double seconds = 0;
  bool converged = false;
  bool right = false;  ///< the result is what the sequential oracle says
  std::uint64_t capacity = 0, hits = 0, misses = 0, evictions = 0, messages = 0;
  std::uint32_t iterations = 0;
};

Result<CacheRun> run_with(const DividedGraph& divided, std::string_view program_name,
                          const CacheMode& mode, std::string_view network, double percent,
                          const Laboratory& lab) {
  const ProgramInfo& program = *find_vertex_program(program_name);
  ProgramSettings settings;
  settings.source = reference::busiest(*divided.graph);
  ProgramOptions options;
  LEEWAY_ASSIGN(const NetworkProfile profile, parse_profile(network));
  options.cluster = lab.cluster(divided.division->part_count, profile);
  LEEWAY_ASSIGN(options.cluster.policy, parse_policy(mode.consistency));
  options.engine.scheduler = mode.scheduler;
  options.engine.visit = Visit::All;
  options.engine.most_iterations = kMostIterations;
  options.engine.cache.percent = percent;
  options.residuals = false;
  options.divided = divided.division;
  LEEWAY_TRY(admit(program, *divided.graph, settings, options));
  LEEWAY_ASSIGN(const ProgramRun run, program.run(*divided.graph, settings, options));
  const RunRecord& record = run.record;
  CacheRun result;
  result.seconds = record.phases.compute;
  result.converged = record.converged();
  result.right = program.verify(*divided.graph, settings, options, run.values).has_value();
  result.iterations = record.iterations();
  result.messages = record.messages();
  const AccessCounts accesses = record.accesses();
  result.hits = accesses.current_hits + accesses.stale_hits;
  result.misses = accesses.stale_misses + accesses.cache_misses;
  for (const NodeRecord& node : record.nodes) {
    result.capacity += node.cache_capacity > 0 ? node.cache_capacity : node.remote;
    result.evictions += node.space.cache.evictions;
  }
  return result;
}

struct Row {
  std::string_view program, input, network, mode;
  std::array<CacheRun, kSizes.size()> runs;

  [[nodiscard]] double times(std::size_t size) const {
    return runs[size].seconds / runs.front().seconds;
  }
};

Figure blank(std::uint32_t nodes, std::uint64_t seed) {
  Figure figure;
  figure.configuration = {{"nodes", format("{} virtual", nodes)},
                          {"cost model", "default; a hit is 2.5 ns, in a bounded cache as well"},
                          {"visits", "all vertices in every iteration, also where all fits"},
                          {"eviction", "the copy that the program read longest ago"},
                          {"seed", std::to_string(seed)}};
  for (const CacheInput& input : cache_inputs())
    figure.configuration.emplace_back(input.name, input.spec);
  figure.notes = {"times are virtual: simulated, not measured",
                  "columns are the copies a node keeps, in percent of what it reads from others, "
                  "but no fewer than 16; cells are times over the first"};
  return figure;
}

void add_row(const Row& row, Rows& rows, Rows& all_runs) {
  std::vector<Cell> cells = {row.program, row.input, row.network, row.mode};
  for (std::size_t size = 0; size < kSizes.size(); ++size) {
    const CacheRun& run = row.runs[size];
    cells.push_back(cell_if(run.converged, row.times(size)));
    all_runs.add({row.program, row.input, row.network, row.mode, kSizes[size], run.capacity,
                  run.converged, run.right, run.seconds, run.iterations, run.hits, run.misses,
                  run.evictions, run.messages});
  }
  rows.add(cells);
}

double mean_times(const std::vector<Row>& rows, std::string_view mode, std::size_t size) {
  std::vector<double> times;
  for (const Row& row : rows) {
    if (row.mode == mode && row.runs[size].converged) times.push_back(row.times(size));
  }
  return geometric_mean(times);
}

void add_means(const std::vector<Row>& all, Rows& rows) {
  for (const CacheMode& mode : kModes) {
    std::vector<Cell> cells = {"all", "geometric mean", "", mode.name};
    for (std::size_t size = 0; size < kSizes.size(); ++size)
      cells.emplace_back(mean_times(all, mode.name, size));
    rows.add(cells);
  }
}

std::vector<Claim> claims_of(const std::vector<Row>& rows) {
  std::size_t runs = 0;
  std::size_t right = 0;
  std::size_t faster = 0;
  for (const Row& row : rows) {
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
      ++runs;
      right += row.runs[size].converged && row.runs[size].right ? 1 : 0;
      faster += size > 0 && row.times(size) < kNoFaster ? 1 : 0;
    }
  }
  constexpr std::size_t kQuarter = 3;
  const double scp = mean_times(rows, "scp", kQuarter);
  const double rcp = mean_times(rows, "rcp", kQuarter);
  return {
      {"(ours) a bound changes no answer", "every run is at rest and what the oracle says",
       format("{} of {} runs", right, runs), right == runs},
      {"(ours) a smaller cache is not faster", "no run below 0.9 of the time of its unbounded one",
       format("{} runs are", faster), faster == 0},
      {"(ours) a small cache costs RCP more than SCP, whose copies go out of date anyway",
       "at 25 %, RCP's mean is above SCP's", format("{:.2f} against {:.2f}", rcp, scp), rcp > scp},
  };
}

}  // namespace

Result<Figure> replay_cache(Laboratory& lab) {
  const std::uint32_t nodes = lab.nodes(kNodes);
  Figure figure = blank(nodes, lab.settings().seed);
  std::vector<Column> columns = {shown("program"), shown("input"), shown("network"), shown("mode")};
  for (const double size : kSizes) columns.push_back(shown(format("{} %", size), ".2f"));
  Rows rows(figure, columns);
  Rows all_runs(figure,
                {raw("program"), raw("input"), raw("network"), raw("mode"), raw("percent"),
                 raw("capacity"), raw("converged"), raw("right"), raw("seconds", ".9f"),
                 raw("iterations"), raw("hits"), raw("misses"), raw("evictions"), raw("messages")});
  const std::vector<CacheInput> inputs = cache_inputs();  // whose names the rows keep
  std::vector<Row> all;
  for (const std::string_view program : kPrograms) {
    for (const CacheInput& input : inputs) {
      LEEWAY_ASSIGN(const DividedGraph divided, divide_input(input, program, nodes, lab.inputs()));
      for (const std::string_view network : kNetworks) {
        for (const CacheMode& mode : kModes) {
          lab.say(format("{} on {}, {}, {}", program, input.name, network, mode.name));
          Row row{program, input.name, network, mode.name, {}};
          for (std::size_t size = 0; size < kSizes.size(); ++size) {
            LEEWAY_ASSIGN(row.runs[size],
                          run_with(divided, program, mode, network, kSizes[size], lab));
          }
          add_row(row, rows, all_runs);
          all.push_back(row);
        }
      }
    }
  }
  add_means(all, rows);
  figure.claims = claims_of(all);
  return figure;
}

}  // namespace leeway::replay
