// The environment of figures: settings of a replay, and objects that figures share, created on first use. Thread-safe
// are the settings, `announce`, `network`, `nodes`, `cluster` and `inputs`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/figures.h"
#include "benchmarks/replay/inputs.h"
#include "benchmarks/replay/study.h"
#include "benchmarks/replay/synthetic.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "transport/cluster_model.h"

namespace leeway::replay {

/// Names and values of settings of `leeway run`.
using CommandWords = std::vector<std::pair<std::string, std::string>>;

/// A run of `leeway run`.
struct CommandRun {
  double seconds = 0;  ///< of computing
  bool converged = false;
  std::uint64_t iterations = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// Settings of a replay; absent ones have a default per figure.
struct LabSettings {
  std::optional<NetworkProfile> network;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> iterations;
  std::optional<std::string> graph;  ///< a file or a spec that replaces all graphs
  bool first_seed = true;            ///< tables are of this laboratory
  std::uint64_t seed = 1;
  CacheBound cache;                     ///< ASPIRE's replays only
  std::vector<std::string> programs;    ///< `modes` only; empty: all eight
  std::vector<std::string> schedulers;  ///< `modes` only, in addition to the defaults
  Job* job = nullptr;                   ///< its processes are the nodes; `modes` measures
  bool full_scale = false;
  bool all = false;  ///< all figures are requested and should take minutes
  /// Called before each run with its position and the number of runs; both 0 if the number is not fixed in advance.
  std::function<void(const std::string& run, std::uint64_t at, std::uint64_t of)> announce =
      [](const std::string&, std::uint64_t, std::uint64_t) {};
  /// Opens the graph of the synthetic benchmark, which may be large.
  std::function<Result<Graph>(const std::string&)> open;
  /// Runs a program on a graph as the command does; an error if the verification of its result fails. In a job, all
  /// processes call it together, and the first gets the numbers.
  std::function<Result<CommandRun>(const std::string& program, const std::string& graph,
                                   const CommandWords& settings)>
      command;
};

class Laboratory {
 public:
  explicit Laboratory(LabSettings settings)
      : settings_(std::move(settings)), inputs_(settings_.seed) {}
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;

  /// Measures one figure. If the user gave a graph, figures on it are not graded, because claims are about the
  /// paper's graphs.
  Result<Figure> replay(const FigureRow& row);

  [[nodiscard]] const LabSettings& settings() const { return settings_; }
  void announce(const std::string& run, std::uint64_t at = 0, std::uint64_t of = 0) const {
    const std::lock_guard lock(announcing_);
    settings_.announce(run, at, of);
  }
  /// Calls `run(i)` for each i below `count`: simulated runs on a thread per core, the measured runs of a job one after
  /// another. Returns the first error, after which no further run begins.
  Status each(std::size_t count, const std::function<Status(std::size_t)>& run) const;
  /// Rounds in which `medians` makes all runs.
  [[nodiscard]] std::uint32_t rounds() const {
    return settings_.job != nullptr ? kMeasuredRounds : 1;
  }
  /// Makes and announces the runs with `each`, in a job several times in turn. Returns for each i the result of `run(i)`
  /// with the median `seconds`.
  template <class Run>
  Result<std::vector<Run>> medians(std::size_t count,
                                   const std::function<std::string(std::size_t)>& name,
                                   const std::function<Result<Run>(std::size_t)>& run,
                                   double (*seconds)(const Run&)) const;
  [[nodiscard]] NetworkProfile network(std::string_view usual) const;
  [[nodiscard]] std::uint32_t nodes(std::uint32_t usual) const {
    return settings_.nodes.value_or(usual);
  }
  /// A virtual cluster.
  [[nodiscard]] ClusterOptions cluster(std::uint32_t nodes, const NetworkProfile& network) const;

  [[nodiscard]] InputCache& inputs() { return inputs_; }
  [[nodiscard]] Study& study() { return study_; }
  Result<SyntheticBench*> synthetic();

 private:
  static constexpr std::uint32_t kMeasuredRounds = 3;

  LabSettings settings_;
  mutable std::mutex announcing_;
  InputCache inputs_;
  Study study_;
  std::optional<SyntheticBench> synthetic_;
};

template <class Run>
Result<std::vector<Run>> Laboratory::medians(std::size_t count,
                                             const std::function<std::string(std::size_t)>& name,
                                             const std::function<Result<Run>(std::size_t)>& run,
                                             double (*seconds)(const Run&)) const {
  std::vector<std::vector<Run>> repeats(count);
  std::atomic<std::uint64_t> at = 0;
  for (std::uint32_t round = 0; round < rounds(); ++round) {
    LEEWAY_TRY(each(count, [&](std::size_t i) -> Status {
      announce(name(i), ++at, rounds() * count);
      LEEWAY_ASSIGN(Run made, run(i));
      repeats[i].push_back(std::move(made));
      return {};
    }));
  }
  std::vector<Run> middle;
  for (std::vector<Run>& same : repeats) {
    std::sort(same.begin(), same.end(),
              [&](const Run& a, const Run& b) { return seconds(a) < seconds(b); });
    middle.push_back(std::move(same[same.size() / 2]));
  }
  return middle;
}

}  // namespace leeway::replay
