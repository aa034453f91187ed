// Where figures are measured: what a call of the figure runner was told, and what its figures share, made when the first
// of them asks for it. One thread's own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "benchmarks/replay/aspire_trials.h"
#include "benchmarks/replay/asytick_trials.h"
#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/figures.h"
#include "benchmarks/replay/inputs.h"
#include "benchmarks/replay/synthetic.h"
#include "leeway/cluster.h"
#include "leeway/result.h"
#include "transport/network_profile.h"

namespace leeway::replay {

/// Each figure has its own where one is absent.
struct LabSettings {
  std::optional<NetworkProfile> network;
  std::optional<std::uint32_t> nodes;
  std::optional<std::uint32_t> iterations;
  std::optional<std::string> graph;  ///< a file or a spec, instead of every graph
  std::uint64_t seed = 1;
  CacheBound cache;                     ///< of ASPIRE's replays
  std::vector<std::string> programs;    ///< of modes; empty: all eight
  std::vector<std::string> schedulers;  ///< of modes, in addition to the default ones
  Job* job = nullptr;                   ///< its processes are the nodes, and modes measures
  bool full_scale = false;
  bool all = false;  ///< every figure is asked for, and should end in minutes
  /// Called before each run with its position and the number of runs; both 0 if the number is not fixed beforehand.
  std::function<void(const std::string& run, std::uint64_t at, std::uint64_t of)> say =
      [](const std::string&, std::uint64_t, std::uint64_t) {};
  /// Opens the graph of the synthetic bench, which may be large.
  std::function<Result<Graph>(const std::string&)> open;
};

class Laboratory {
 public:
  explicit Laboratory(LabSettings settings)
      : settings_(std::move(settings)), inputs_(settings_.seed) {}
  Laboratory(const Laboratory&) = delete;
  Laboratory& operator=(const Laboratory&) = delete;

  /// Measures one figure. What a paper says of its own graphs is no yardstick for another: with a graph of the
  /// user's, figures that it applies to are not graded.
  Result<Figure> replay(const FigureRow& row);

  [[nodiscard]] const LabSettings& settings() const { return settings_; }
  void say(const std::string& run, std::uint64_t at = 0, std::uint64_t of = 0) const {
    settings_.say(run, at, of);
  }
  [[nodiscard]] NetworkProfile network(std::string_view usual) const;
  [[nodiscard]] std::uint32_t nodes(std::uint32_t usual) const {
    return settings_.nodes.value_or(usual);
  }
  /// A virtual one.
  [[nodiscard]] ClusterOptions cluster(std::uint32_t nodes, const NetworkProfile& network) const;

  [[nodiscard]] InputCache& inputs() { return inputs_; }
  [[nodiscard]] Trials& trials();
  [[nodiscard]] AsyTickTrials& asytick();
  Result<SyntheticBench*> synthetic();

 private:
  LabSettings settings_;
  InputCache inputs_;
  std::optional<Trials> trials_;
  std::optional<AsyTickTrials> asytick_;
  std::optional<SyntheticBench> synthetic_;
};

}  // namespace leeway::replay
