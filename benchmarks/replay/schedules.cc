// `schedules`: `leeway run` with its defaults, compared with the other schedules and strict consistency, on several
// networks. Each cell is one run by the command's own code, with the settings that the column names and no others.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/format.h"
#include "benchmarks/replay/laboratory.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kSchedulesRanks = 16;
constexpr std::array<std::string_view, 3> kSchedulesNetworks = {"infiniband", "gigabit", "ec2"};

struct ScheduledJob {
  std::string_view program;
  std::string_view graph;
};
constexpr std::array<ScheduledJob, 7> kJobs = {{{"pagerank", "kron:10"},
                                                {"cc", "kron:10"},
                                                {"sssp", "kron:10"},
                                                {"pagerank", "powerlaw:3000:2.1"},
                                                {"coloring", "powerlaw:3000:2.1"},
                                                {"heat", "grid2d:50x50"},
                                                {"sssp", "grid2d:50x50"}}};
/// With --full-scale.
constexpr std::array<ScheduledJob, 7> kLargeJobs = {{{"pagerank", "kron:13"},
                                                     {"cc", "kron:13"},
                                                     {"sssp", "kron:13"},
                                                     {"pagerank", "powerlaw:10000:2.1"},
                                                     {"coloring", "powerlaw:10000:2.1"},
                                                     {"heat", "grid2d:100x100"},
                                                     {"sssp", "grid2d:100x100"}}};

struct Way {
  std::string_view name;
  std::string_view setting;  ///< none: the defaults
  std::string_view value;
};
constexpr std::array<Way, 8> kWays = {{{"default", "", ""},
                                       {"bsp", "scheduler", "bsp"},
                                       {"scp", "consistency", "scp"},
                                       {"ssp", "scheduler", "ssp"},
                                       {"ap", "scheduler", "ap"},
                                       {"aap", "scheduler", "aap"},
                                       {"hsync", "scheduler", "hsync"},
                                       {"asytick", "scheduler", "asytick"}}};
constexpr std::size_t kBspWay = 1;  // bsp

/// Runs by job and way on one network.
using Times = std::vector<std::vector<CommandRun>>;

class Schedules {
 public:
  explicit Schedules(Laboratory& lab) : lab_(lab) {
    const auto& schedulers = lab.settings().schedulers;
    for (std::size_t way = 0; way < kWays.size(); ++way) {
      const bool named =
          std::find(schedulers.begin(), schedulers.end(), kWays[way].name) != schedulers.end();
      if (schedulers.empty() || way <= kBspWay || named) ways_.push_back(kWays[way]);
    }
    for (const ScheduledJob& job : lab.settings().full_scale ? kLargeJobs : kJobs) {
      const auto& named = lab.settings().programs;
      if (named.empty() || std::find(named.begin(), named.end(), job.program) != named.end())
        jobs_.push_back(job);
    }
    if (!lab.settings().graph) return;
    // On the user's graph each program runs once.
    std::vector<ScheduledJob> once;
    for (ScheduledJob job : jobs_) {
      const bool there = std::any_of(once.begin(), once.end(), [&](const ScheduledJob& each) {
        return each.program == job.program;
      });
      job.graph = *lab.settings().graph;
      if (!there) once.push_back(job);
    }
    jobs_ = once;
  }

  Result<Figure> figure() {
    for (const std::string& name : lab_.settings().schedulers) {
      const auto there = [&](const Way& way) { return way.name == name; };
      if (std::any_of(ways_.begin(), ways_.end(), there)) continue;
      return fail(input_error("--schedulers", format("'{}' is not measured here", name),
                              "give some of scp, ssp, ap, aap, hsync and asytick"));
    }
    if (jobs_.empty()) {
      return fail(input_error("--programs", "none of them is measured here",
                              "give some of pagerank, cc, sssp, coloring and heat"));
    }
    LEEWAY_ASSIGN(const auto all, measure());
    Figure figure = blank();
    figure.shown_title = "time over bsp's, mean of the programs";
    add_means(all, figure.shown);
    for (const auto& [network, times] : all) add_jobs(network, times, figure);
    for (const auto& [network, times] : all) {
      BarChart bars{.title = format("time over bsp's on {}, mean of the programs", network),
                    .mark = 1,
                    .bars = {}};
      for (std::size_t way = 0; way < ways_.size(); ++way)
        bars.bars.emplace_back(ways_[way].name, mean(times, way));
      figure.charts.push_back(std::move(bars));
    }
    add_raw(all, figure);
    return figure;
  }

 private:
  [[nodiscard]] bool measured() const { return lab_.settings().job != nullptr; }
  [[nodiscard]] std::uint32_t nodes() const {
    return measured() ? lab_.settings().job->node_count() : lab_.nodes(kSchedulesRanks);
  }
  [[nodiscard]] std::vector<std::string> networks() const {
    if (measured()) return {"the job's network"};
    if (lab_.settings().network) return {lab_.settings().network->name};
    return {kSchedulesNetworks.begin(), kSchedulesNetworks.end()};
  }

  Result<CommandRun> run_one(const std::string& network, const ScheduledJob& job, const Way& way) {
    CommandWords words;
    if (!way.setting.empty()) words.emplace_back(way.setting, way.value);
    if (!measured()) {
      words.emplace_back("nodes", std::to_string(nodes()));
      words.emplace_back("fabric", "sim");
      words.emplace_back("net", network);
    }
    words.emplace_back("seed", std::to_string(lab_.settings().seed));
    return lab_.settings().command(std::string(job.program), std::string(job.graph), words);
  }

  /// All runs on all networks.
  Result<std::vector<std::pair<std::string, Times>>> measure() {
    const std::vector<std::string> networks = this->networks();
    const std::size_t runs = jobs_.size() * ways_.size();
    const auto network_of = [&](std::size_t i) -> const std::string& { return networks[i / runs]; };
    const auto job_of = [&](std::size_t i) { return i % runs / ways_.size(); };
    const auto way_of = [&](std::size_t i) { return i % ways_.size(); };
    LEEWAY_ASSIGN(const std::vector<CommandRun> medians,
                  lab_.medians<CommandRun>(
                      networks.size() * runs,
                      [&](std::size_t i) {
                        return format("{} under {} on {}", jobs_[job_of(i)].program,
                                      ways_[way_of(i)].name, network_of(i));
                      },
                      [&](std::size_t i) {
                        return run_one(network_of(i), jobs_[job_of(i)], ways_[way_of(i)]);
                      },
                      [](const CommandRun& run) { return run.seconds; }));
    std::vector<std::pair<std::string, Times>> all;
    for (const std::string& network : networks)
      all.emplace_back(network, Times(jobs_.size(), std::vector<CommandRun>(ways_.size())));
    for (std::size_t i = 0; i < medians.size(); ++i)
      all[i / runs].second[job_of(i)][way_of(i)] = medians[i];
    return all;
  }

  [[nodiscard]] static double ratio(const std::vector<CommandRun>& runs, std::size_t way) {
    if (!runs[way].converged || !runs[kBspWay].converged)
      return std::numeric_limits<double>::quiet_NaN();
    return runs[way].seconds / runs[kBspWay].seconds;
  }
  [[nodiscard]] static double mean(const Times& times, std::size_t way) {
    std::vector<double> ratios;
    for (const auto& runs : times) {
      const double each = ratio(runs, way);
      if (std::isfinite(each) && each > 0) ratios.push_back(each);
    }
    return geometric_mean(ratios);
  }

  [[nodiscard]] Figure blank() const {
    Figure figure;
    figure.configuration = {
        {"ranks", format("{} {}", nodes(), measured() ? "processes of a job" : "virtual")},
        {"default", "leeway run without --scheduler and --consistency"},
        {"other columns", "leeway run with --scheduler NAME; scp: with --consistency scp"}};
    if (measured()) {
      figure.configuration.emplace_back(
          "rounds", format("{}, through all runs in turn; medians", lab_.rounds()));
    } else {
      figure.notes.emplace_back("times are virtual: simulated, not measured");
    }
    figure.measured = measured();
    return figure;
  }

  void head(std::string_view first, FigureTable& table) const {
    table.columns = {std::string(first)};
    for (const Way& way : ways_) table.columns.emplace_back(way.name);
  }

  void add_means(const std::vector<std::pair<std::string, Times>>& all, FigureTable& table) const {
    head("network", table);
    for (const auto& [network, times] : all) {
      std::vector<std::string> row = {network};
      for (std::size_t way = 0; way < ways_.size(); ++way)
        row.push_back(FigureCell(mean(times, way)).as(".2f"));
      table.rows.push_back(std::move(row));
    }
  }

  void add_jobs(const std::string& network, const Times& times, Figure& figure) const {
    FurtherTable& further =
        figure.further.emplace_back(FurtherTable{format("time over bsp's on {}", network), {}});
    head("program, graph", further.table);
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      std::vector<std::string> row = {format("{} {}", jobs_[j].program, jobs_[j].graph)};
      for (std::size_t way = 0; way < ways_.size(); ++way)
        row.push_back(FigureCell(ratio(times[j], way)).as(".2f"));
      further.table.rows.push_back(std::move(row));
    }
  }

  void add_raw(const std::vector<std::pair<std::string, Times>>& all, Figure& figure) const {
    figure.raw.columns = {"network",    "program", "graph",    "schedule", "converged",
                          "iterations", "seconds", "messages", "bytes"};
    for (const auto& [network, times] : all) {
      for (std::size_t j = 0; j < jobs_.size(); ++j) {
        for (std::size_t way = 0; way < ways_.size(); ++way) {
          const CommandRun& run = times[j][way];
          figure.raw.rows.push_back({network, std::string(jobs_[j].program),
                                     std::string(jobs_[j].graph), std::string(ways_[way].name),
                                     run.converged ? "yes" : "no", std::to_string(run.iterations),
                                     format("{:.9f}", run.seconds), std::to_string(run.messages),
                                     std::to_string(run.bytes)});
        }
      }
    }
  }

  Laboratory& lab_;
  std::vector<ScheduledJob> jobs_;
  std::vector<Way> ways_;
};

}  // namespace

Result<Figure> replay_schedules(Laboratory& lab) { return Schedules(lab).figure(); }

}  // namespace leeway::replay
