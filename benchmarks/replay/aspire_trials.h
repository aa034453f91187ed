// The runs of ASPIRE's evaluation: a program on an input under a protocol, in the virtual cluster. Each run is done
// once and shared by all figures. Not thread-safe.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/replay/figure.h"
#include "benchmarks/replay/inputs.h"
#include "leeway/options.h"
#include "leeway/result.h"
#include "runtime/cluster/record.h"
#include "transport/network_profile.h"

namespace leeway::replay {

/// A benchmark of ASPIRE's Table 1.
struct Benchmark {
  std::string_view paper;    ///< "PR"
  std::string_view program;  ///< "pagerank"
  bool both_ways = false;    ///< requires every arc's reverse
};
/// CD, CC, GC, NP, PR, SSSP, in the order of Table 3.
[[nodiscard]] std::span<const Benchmark> graph_benchmarks();
/// HS and WS.
[[nodiscard]] std::span<const Benchmark> pde_benchmarks();

struct Trial {
  std::string_view benchmark;  ///< name in the paper
  std::string_view input;      ///< name in the paper
  std::string mode = "rcp";
  bool bsp = false;  ///< supersteps instead of sweeps in place; ignores the mode
  std::uint32_t nodes = 16;
  bool replicate = false;  ///< caches are filled before the first iteration (ASPIRE §4.3)

  friend auto operator<=>(const Trial&, const Trial&) = default;
};

struct TrialResult {
  double seconds = 0;  ///< virtual
  std::uint64_t iterations = 0;
  bool converged = false;
  std::uint64_t remote_uses = 0;  ///< fetches of remote objects
  std::uint64_t blocked = 0;      ///< those that stalled the computation
  std::uint64_t refreshes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> by_staleness;  ///< [s]: uses of remote values s versions old
  std::uint64_t digest = 0;
};

[[nodiscard]] TrialResult trial_result(const Record& record);
/// As the paper's DO-WORK: all vertices in every sweep, one fetch at a time, one compute thread.
[[nodiscard]] EngineOptions engine_of_aspire(Scheduler scheduler);

class Laboratory;

class Trials {
 public:
  explicit Trials(Laboratory& lab);

  /// With the laboratory's number of nodes.
  [[nodiscard]] Trial trial(std::string_view benchmark, std::string_view input,
                            std::string mode) const;
  Result<const TrialResult*> run(const Trial& trial);
  /// The inputs of these kinds; only the first if a single graph replaces all.
  [[nodiscard]] std::vector<std::string_view> shown(std::span<const InputKind> kinds) const;

  /// A figure with its configuration and no rows.
  [[nodiscard]] Figure blank();
  /// Adds the numbers and inputs of all runs requested since `blank`.
  void add_raw(Figure& figure);

 private:
  Result<TrialResult> measure(const Trial& trial);
  [[nodiscard]] GraphRequest request(const Trial& trial) const;

  Laboratory& lab_;
  NetworkProfile network_;
  std::map<Trial, TrialResult> results_;
  std::vector<Trial> requested_;  // since `blank`
};

/// "of 10% of what a node reads, lru"
[[nodiscard]] std::string caches_of(const CacheBound& cache);
/// "fetch 2000 ps, store …"
[[nodiscard]] std::string prices_of(const CostModel& cost);

/// For figures with a single input (6 to 11): Pokec for graphs, AtmosModl for equations.
struct BenchmarkCase {
  std::string_view benchmark;
  std::string_view input;
};
[[nodiscard]] std::vector<BenchmarkCase> one_input_each();
/// The seconds, or an x if the run did not converge.
[[nodiscard]] FigureCell seconds_cell(const TrialResult& result);
/// The ratio of two times; NaN if one of the runs did not converge.
[[nodiscard]] double time_ratio(const TrialResult& of, const TrialResult& to);

}  // namespace leeway::replay
