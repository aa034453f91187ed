// The runs behind Tick's figures: its workloads, fixed before any figure was run, and its methodology, in
// which every technique runs in every round and rounds differ in their network alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/benchmarks/replay/phantom.h"

namespace leeway::replay {

/// A program at the size of the paper's Section 6.1, of which every process has as much.
struct TickWorkload {
  std::string name;
  std::string unit;  ///< what throughput counts
  double side = 0;   ///< of one process's square
  double density = 1;
  double sight = 1, reach = 0;
  double tuple_bytes = 8;
  double tuple_ns = 1;
};
/// 5,500 fish a process on 271 x 271 body lengths, V = 6 and R = 0.2; a fish takes 1 µs, as it does on one
/// core here. How many fish there are decides how much of local synchronization is STEP: a third, which
/// leaves room for the gains that the paper reports (docs/replays.md).
[[nodiscard]] TickWorkload fish_workload();
/// 1,000 x 1,000 cells a process, as the paper has; a cell takes 2 ns.
[[nodiscard]] TickWorkload jacobi_workload();

/// One way to synchronize, as figures name it.
struct Technique {
  std::string name;
  tick::Options options;
};
[[nodiscard]] Technique barrier();
[[nodiscard]] Technique local();
[[nodiscard]] Technique schedule(std::uint32_t depth);
[[nodiscard]] Technique replicate(std::uint32_t every, std::uint32_t replicas);
[[nodiscard]] Technique combined(std::uint32_t depth, std::uint32_t every, std::uint32_t replicas);

struct TickMeasure {
  std::vector<double> seconds;  ///< of each round, virtual
  double throughput = 0;        ///< tuple ticks a second, mean over rounds
  double deviation = 0;         ///< of that, standard
  double step_share = 0, wait_share = 0;
  double copied = 0;     ///< tuples stepped for others, of those stepped for oneself
  double megabytes = 0;  ///< sent in a round
};

class TickTrials {
 public:
  explicit TickTrials(Laboratory& lab);

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t ticks() const { return ticks_; }
  [[nodiscard]] const NetworkProfile& network() const { return network_; }

  /// All techniques, in every round: as many measures. `rounds` of different seeds.
  Result<std::vector<TickMeasure>> run(const TickWorkload& workload,
                                       const std::vector<Technique>& techniques,
                                       std::uint32_t rounds, std::uint32_t nodes);
  /// A figure with its configuration and notes, otherwise empty.
  [[nodiscard]] Figure blank(const TickWorkload& workload, std::uint32_t rounds) const;

 private:
  Laboratory& lab_;
  NetworkProfile network_;
  std::uint32_t nodes_, ticks_;
};

/// Adds the raw numbers, a technique a row.
void add_raw(std::string_view workload, std::uint32_t nodes,
             const std::vector<Technique>& techniques, const std::vector<TickMeasure>& measures,
             Figure& figure);
/// The claim that depths of 2, 4 and 10, the measures from the third on, gain little over 1.
[[nodiscard]] Claim no_deeper(const std::vector<TickMeasure>& measures);
/// The throughput of each over that of the first.
[[nodiscard]] std::vector<double> gains(const std::vector<TickMeasure>& measures);

}  // namespace leeway::replay
