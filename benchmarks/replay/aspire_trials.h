// The runs that ASPIRE's evaluation is made of: a program on an input under a protocol, in the virtual
// cluster. Each is run once, however many figures show it. One thread's own.
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
  bool both_ways = false;    ///< asks for a graph whose arcs go both ways
};
/// CD, CC, GC, NP, PR, SSSP, in Table 3's order.
[[nodiscard]] std::span<const Benchmark> graph_benchmarks();
/// HS and WS.
[[nodiscard]] std::span<const Benchmark> pde_benchmarks();

struct Trial {
  std::string_view benchmark;  ///< the paper's name
  std::string_view input;      ///< the paper's name
  std::string mode = "rcp";
  bool bsp = false;  ///< supersteps instead of sweeps in place; the mode is then of no account
  std::uint32_t nodes = 16;
  bool replicate = false;  ///< caches are filled before the first iteration (ASPIRE §4.3)

  friend auto operator<=>(const Trial&, const Trial&) = default;
};

struct TrialResult {
  double seconds = 0;  ///< virtual
  std::uint64_t iterations = 0;
  bool converged = false;
  std::uint64_t remote_uses = 0;  ///< fetches of objects that live elsewhere
  std::uint64_t blocked = 0;      ///< of those, such as stalled the computation
  std::uint64_t refreshes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::vector<std::uint64_t> by_staleness;  ///< [s]: remote values used s versions old
  std::uint64_t digest = 0;
};

[[nodiscard]] TrialResult trial_result(const RunRecord& record);
/// As the paper's DO-WORK: every vertex in every sweep, one fetch at a time, one compute thread.
[[nodiscard]] EngineOptions engine_of_aspire(Scheduler scheduler);

class Laboratory;

class Trials {
 public:
  explicit Trials(Laboratory& lab);

  /// With as many nodes as the laboratory says.
  [[nodiscard]] Trial trial(std::string_view benchmark, std::string_view input,
                            std::string mode) const;
  Result<const TrialResult*> run(const Trial& trial);
  /// Inputs of a kind that are shown; one of them where a single graph stands in for all.
  [[nodiscard]] std::vector<std::string_view> shown(std::span<const InputKind> kinds) const;

  /// A figure with its configuration, otherwise empty.
  [[nodiscard]] Figure blank();
  /// Adds every run that was asked for since `blank` to the raw numbers, and what they were run on.
  void add_raw(Figure& figure);

 private:
  Result<TrialResult> measure(const Trial& trial);
  [[nodiscard]] GraphRequest request(const Trial& trial) const;

  Laboratory& lab_;
  NetworkProfile network_;
  std::map<Trial, TrialResult> results_;
  std::vector<Trial> asked_;  // since `blank`
};

/// "of 10% of what a node reads, lru"
[[nodiscard]] std::string caches_of(const CacheBound& cache);
/// "fetch 2000 ps, store …"
[[nodiscard]] std::string prices_of(const CostModel& cost);

/// Where one input is shown, as in Figures 6 to 11: Pokec for graphs, AtmosModl for equations.
struct BenchmarkCase {
  std::string_view benchmark;
  std::string_view input;
};
[[nodiscard]] std::vector<BenchmarkCase> one_input_each();
/// Its seconds, or an x for a run that did not converge.
[[nodiscard]] FigureCell seconds_cell(const TrialResult& result);
/// The time of one over that of another; not a number where one did not converge.
[[nodiscard]] double time_ratio(const TrialResult& of, const TrialResult& to);

}  // namespace leeway::replay
