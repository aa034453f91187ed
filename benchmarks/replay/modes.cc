// One graph, the eight programs of ASPIRE's Table 1, every mode: how long each takes over SCP, how often it waits, how
// stale what it reads is, how many iterations and messages it needs. The same with each of ASPIRE's optimizations left
// out in turn (§4.3). Simulated; in a job of processes the same runs are measured there.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/programs/reference/lists.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::replay {

namespace {

constexpr std::string_view kDefaultGraph = "powerlaw:10000:2.1";
constexpr std::uint32_t kNodes = 16;
/// A run with more iterations counts as not converging.
constexpr std::uint32_t kMostIterations = 500;
/// Repetitions of each measured run; the figure shows the median.
constexpr std::uint32_t kRounds = 3;

struct Mode {
  std::string_view name;
  std::string_view consistency;
  Scheduler scheduler = Scheduler::DoWork;
  Optimizations optimizations = {};
  bool replicate = false;
};
/// The first is the baseline.
constexpr std::array<Mode, 9> kModes = {{{"SCP", "scp"},
                                         {"SCP+RW", "scp+rw"},
                                         {"SCP+PB", "scp+pb"},
                                         {"Stale-1", "stale-1"},
                                         {"Stale-2", "stale-2"},
                                         {"Stale-3", "stale-3"},
                                         {"RCP", "rcp"},
                                         {"RCP+push", "rcp+push"},
                                         {"BSP", "rcp", Scheduler::Bsp}}};
constexpr std::array<Mode, 3> kFurtherModes = {
    {{"AP", "rcp", Scheduler::Ap}, {"SSP", "rcp", Scheduler::Ssp}, {"AAP", "rcp", Scheduler::Aap}}};

/// RCP with all four, with one left out, and with none.
constexpr std::array<Mode, 6> kOptimizations = {
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

Result<std::vector<Mode>> modes_of(const LabSettings& settings) {
  std::vector<Mode> modes(kModes.begin(), kModes.end());
  for (const std::string& name : settings.schedulers) {
    const auto found =
        std::find_if(kFurtherModes.begin(), kFurtherModes.end(),
                     [&](const Mode& mode) { return scheduler_name(mode.scheduler) == name; });
    if (found == kFurtherModes.end()) {
      return fail(input_error("--schedulers", format("'{}' is none that can be added", name),
                              "give some of ap, ssp and aap, separated by commas"));
    }
    modes.push_back(*found);
  }
  return modes;
}

/// Whatever their case.
bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

std::vector<Benchmark> all_benchmarks() {
  std::vector<Benchmark> all(graph_benchmarks().begin(), graph_benchmarks().end());
  all.insert(all.end(), pde_benchmarks().begin(), pde_benchmarks().end());
  return all;
}

/// In the order of the paper's table, by the paper's names or ours.
Result<std::vector<Benchmark>> benchmarks_of(const LabSettings& settings) {
  std::vector<Benchmark> all = all_benchmarks();
  if (settings.programs.empty()) return all;
  std::set<std::string_view> requested;
  std::vector<std::string_view> names;
  for (const Benchmark& each : all) names.push_back(each.program);
  for (const std::string& name : settings.programs) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Benchmark& each) {
      return each.program == name || same_letters(each.paper, name);
    });
    if (found == all.end()) {
      return fail(input_error("--programs", format("'{}' is none of the eight", name),
                              did_you_mean(name, names)));
    }
    requested.insert(found->program);
  }
  std::erase_if(all, [&](const Benchmark& each) { return !requested.contains(each.program); });
  return all;
}

struct ModeRun {
  TrialResult result;
  bool right = false;  ///< the result equals the sequential oracle's
};

class Comparison {
 public:
  Comparison(Laboratory& lab, std::vector<Benchmark> benchmarks, std::vector<Mode> modes)
      : lab_(lab),
        benchmarks_(std::move(benchmarks)),
        modes_(std::move(modes)),
        network_(lab.network("infiniband")),
        runs_(benchmarks_.size() * modes_.size()) {}

  Status run() {
    const std::uint32_t rounds = measured() ? kRounds : 1;
    std::vector<std::vector<ModeRun>> all(runs_.size());
    std::uint64_t at = 0;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::size_t b = 0; b < benchmarks_.size(); ++b) {
        for (std::size_t m = 0; m < modes_.size(); ++m) {
          lab_.say(format("{} under {}", benchmarks_[b].program, modes_[m].name), ++at,
                   rounds * runs_.size());
          LEEWAY_ASSIGN(ModeRun run, run_one(benchmarks_[b], modes_[m]));
          all[b * modes_.size() + m].push_back(std::move(run));
        }
      }
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      auto& repeats = all[i];
      std::sort(repeats.begin(), repeats.end(), [](const ModeRun& a, const ModeRun& b) {
        return a.result.seconds < b.result.seconds;
      });
      runs_[i] = repeats[repeats.size() / 2];
    }
    return {};
  }

  [[nodiscard]] Figure figure() const {
    Figure figure = blank();
    const std::string over = format("over {}'s", modes_.front().name);
    figure.shown_title = "time " + over;
    add_ratios(figure.shown, ".2f", [](const TrialResult& r) { return r.seconds; });
    add_further(figure, "remote reads that waited, in percent", [&](Table& table) {
      add_numbers(table, ".1f", [](const TrialResult& r) {
        return r.remote_uses == 0
                   ? 0.0
                   : 100 * static_cast<double>(r.blocked) / static_cast<double>(r.remote_uses);
      });
    });
    add_further(figure, "versions behind, of the copies read, on average",
                [&](Table& table) { add_numbers(table, ".2f", mean_staleness); });
    add_further(figure, "iterations", [&](Table& table) {
      add_numbers(table, ".0f",
                  [](const TrialResult& r) { return static_cast<double>(r.iterations); });
    });
    add_further(figure, "messages " + over, [&](Table& table) {
      add_ratios(table, ".2f",
                 [](const TrialResult& r) { return static_cast<double>(r.messages); });
    });
    add_further(figure, "bytes " + over, [&](Table& table) {
      add_ratios(table, ".2f", [](const TrialResult& r) { return static_cast<double>(r.bytes); });
    });
    add_charts(figure);
    add_raw(figure);
    figure.claims = {answers_claim()};
    return figure;
  }

 private:
  using Measure = std::function<double(const TrialResult&)>;

  [[nodiscard]] bool measured() const { return lab_.settings().job != nullptr; }
  [[nodiscard]] std::string place() const {
    return lab_.settings().graph.value_or(std::string(kDefaultGraph));
  }
  [[nodiscard]] static bool is_pde(const Benchmark& benchmark) {
    const auto all = pde_benchmarks();
    return std::any_of(all.begin(), all.end(),
                       [&](const Benchmark& each) { return each.program == benchmark.program; });
  }
  /// Equations take the graph's Laplacian, so no weights and arcs that go both ways.
  [[nodiscard]] GraphRequest request(const Benchmark& benchmark) const {
    return {place(), benchmark.both_ways || is_pde(benchmark), !is_pde(benchmark)};
  }
  [[nodiscard]] std::uint32_t nodes() const {
    return measured() ? lab_.settings().job->node_count() : lab_.nodes(kNodes);
  }
  [[nodiscard]] const ModeRun& at(std::size_t benchmark, std::size_t mode) const {
    return runs_[benchmark * modes_.size() + mode];
  }

  Result<ModeRun> run_one(const Benchmark& benchmark, const Mode& mode) {
    const ProgramInfo* const program = find_vertex_program(benchmark.program);
    LEEWAY_CHECK(program != nullptr);
    LEEWAY_ASSIGN(const Graph* graph, lab_.inputs().graph(request(benchmark)));
    ProgramSettings settings;
    if (program->source) settings.source = reference::busiest(*graph);
    ProgramOptions options;
    options.cluster = lab_.cluster(nodes(), network_);
    if (measured()) {
      options.cluster.job = lab_.settings().job;
      options.cluster.fabric = lab_.settings().job->fabric();
    }
    LEEWAY_ASSIGN(options.cluster.policy, parse_policy(mode.consistency));
    options.cluster.policy.optimizations = mode.optimizations;
    options.engine = engine_of_aspire(mode.scheduler);
    options.engine.replicate = mode.replicate;
    options.engine.most_iterations = kMostIterations;
    options.engine.patience = program->patience;
    options.engine.cache = lab_.settings().cache;
    options.engine.cost = options.cluster.cost;
    options.residuals = false;
    LEEWAY_ASSIGN(options.divided,
                  lab_.inputs().division(request(benchmark), nodes(), BalanceBy::Vertices));
    LEEWAY_TRY(admit(*program, *graph, settings, options));
    LEEWAY_ASSIGN(const ProgramRun run, program->run(*graph, settings, options));
    ModeRun made{.result = trial_result(run.record)};
    const bool here = !measured() || lab_.settings().job->self() == NodeId(0);
    made.right = here && made.result.converged &&
                 program->verify(*graph, settings, options, run.values).has_value();
    return made;
  }

  [[nodiscard]] Figure blank() const {
    Figure figure;
    figure.configuration = {{"graph", file_name(place())},
                            {"nodes", format("{} {}, METIS partition", nodes(),
                                             measured() ? "processes of a job" : "virtual")},
                            {"network", measured() ? std::string("the job's own") : network_.name},
                            {"caches", caches_of(lab_.settings().cache)},
                            {"given up", format("after {} iterations", kMostIterations)},
                            {"seed", std::to_string(lab_.settings().seed)}};
    if (measured()) {
      figure.configuration.emplace_back("rounds",
                                        format("{}, through all runs in turn; medians", kRounds));
    } else {
      figure.configuration.emplace_back("cost model", prices_of(CostModel()));
    }
    figure.notes.emplace_back("an x stands for a run that did not come to rest");
    if (!measured()) figure.notes.emplace_back("times are virtual: simulated, not measured");
    figure.measured = measured();
    return figure;
  }

  void head(Table& table) const {
    table.columns = {"program"};
    for (const Mode& mode : modes_) table.columns.emplace_back(mode.name);
  }
  template <class Value>
  void add_rows(Table& table, const std::string& form, const Value& value) const {
    head(table);
    for (std::size_t b = 0; b < benchmarks_.size(); ++b) {
      std::vector<std::string> row = {std::string(benchmarks_[b].program)};
      for (std::size_t m = 0; m < modes_.size(); ++m)
        row.push_back(cell_if(at(b, m).result.converged, value(b, m)).as(form));
      table.rows.push_back(std::move(row));
    }
  }
  void add_numbers(Table& table, const std::string& form, const Measure& of) const {
    add_rows(table, form, [&](std::size_t b, std::size_t m) { return of(at(b, m).result); });
  }
  /// Over the first mode, with the geometric means.
  void add_ratios(Table& table, const std::string& form, const Measure& of) const {
    add_rows(table, form, [&](std::size_t b, std::size_t m) { return ratio(b, m, of); });
    std::vector<std::string> row = {"geometric mean"};
    for (std::size_t m = 0; m < modes_.size(); ++m) row.push_back(Cell(mean(m, of)).as(form));
    table.rows.push_back(std::move(row));
  }
  [[nodiscard]] double ratio(std::size_t b, std::size_t m, const Measure& of) const {
    const TrialResult& base = at(b, 0).result;
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
  static double mean_staleness(const TrialResult& result) {
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
    const std::string over = format("over {}'s, mean of the programs", modes_.front().name);
    chart("time " + over, [](const TrialResult& r) { return r.seconds; });
    chart("messages " + over, [](const TrialResult& r) { return static_cast<double>(r.messages); });
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

  [[nodiscard]] Claim answers_claim() const {
    std::size_t rested = 0;
    std::size_t right = 0;
    for (const ModeRun& run : runs_) {
      rested += run.result.converged ? 1 : 0;
      right += run.right ? 1 : 0;
    }
    return {"(ours) no mode changes an answer",
            "every run that comes to rest gives what the sequential oracle says",
            format("{} of {} runs came to rest, {} of them right", rested, runs_.size(), right),
            rested == right};
  }

  Laboratory& lab_;
  std::vector<Benchmark> benchmarks_;
  std::vector<Mode> modes_;
  NetworkProfile network_;
  std::vector<ModeRun> runs_;  // by program, then by mode
};

Result<Figure> compare(Laboratory& lab, std::vector<Mode> modes) {
  LEEWAY_ASSIGN(const auto benchmarks, benchmarks_of(lab.settings()));
  if (lab.settings().job != nullptr && lab.settings().network) {
    return fail(
        input_error("--net", "the processes of a job have a network of their own", "leave it out"));
  }
  Comparison comparison(lab, benchmarks, std::move(modes));
  LEEWAY_TRY(comparison.run());
  return comparison.figure();
}

}  // namespace

Result<Figure> replay_modes(Laboratory& lab) {
  LEEWAY_ASSIGN(auto modes, modes_of(lab.settings()));
  return compare(lab, std::move(modes));
}

Result<Figure> replay_optimizations(Laboratory& lab) {
  if (!lab.settings().schedulers.empty()) {
    return fail(
        input_error("--schedulers", "the optimizations are measured under RCP", "leave it out"));
  }
  return compare(lab, {kOptimizations.begin(), kOptimizations.end()});
}

}  // namespace leeway::replay
