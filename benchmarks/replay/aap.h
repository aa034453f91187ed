// The runs of AAP's experiments: a PIE program on an input under a parallel model, in the virtual cluster. The study
// keeps each run.
//
// Our inputs are thousands of times smaller than the paper's. The cost of an arc of a stand-in is therefore
// multiplied by the ratio of the arc counts, and that of a parameter in a message by the ratio of the vertex counts,
// so that a round has the paper's duration relative to the latencies. Sixteen workers share a server, as in the paper.
// docs/profiles.md derives the prices from the paper's numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/replay/laboratory.h"
#include "datasets/graph.h"
#include "leeway/pie.h"

namespace leeway::replay {

/// PageRank runs until no change exceeds this share of the mean score. It was chosen by BSP's rounds alone: of 1e-4, 1e-2
/// and 1e-1, the one with which Figure 12's straggler needs nearest to the paper's 13.
inline constexpr double kAapTolerance = 1e-1;

struct AapTrial {
  std::string program;  ///< "sssp", "cc", "pagerank", "cf"
  std::string input;    ///< name in the paper
  Scheduler model = Scheduler::Aap;
  std::uint32_t workers = 64;
  double skew = 3;          ///< r; 1: no reshuffling
  std::uint32_t bound = 5;  ///< c of SSP, and of AAP for programs that need a bound
  /// Replaces every input except movieLens (ratings); default: the user's graph, or none.
  std::optional<std::string> graph = {};
  /// AAP as `leeway run` has it: paced messages, and waits by our estimates of their gain. Otherwise as the paper's §3.
  bool ours = false;
  /// L_bottom: messages for which every worker waits before each round.
  std::uint32_t bottom = 0;
  bool keep_rounds = false;  ///< the records of all rounds
  DelayRule rule = nullptr;  ///< decides instead of the model
  std::string rule_name = {};
};

/// A program and an input of AAP Exp-1.
struct AapCase {
  std::string_view program;
  std::string_view input;
};
[[nodiscard]] std::span<const AapCase> aap_cases();
/// A trial with the laboratory's number of workers; 64 by default.
[[nodiscard]] AapTrial aap_trial(const Laboratory& lab, const AapCase& each);

struct AapResult {
  double seconds = 0;  ///< virtual
  std::uint64_t rounds = 0;
  std::uint32_t straggler_rounds = 0;
  std::uint32_t most_rounds = 0;  ///< of any worker
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t parameter_bytes = 0;  ///< of those, parameters in messages
  double idle_share = 0;              ///< share of the workers' time
  double computing = 0;               ///< seconds, sum over workers
  double straggler_computing = 0;     ///< seconds
  double rmse = 0;                    ///< on test ratings
  bool converged = true;              ///< false: the descent diverged and values are not finite
  /// Descents only: time and sum of the workers' losses, from when each worker has completed a round.
  std::vector<std::pair<double, double>> loss_curve;
  std::vector<pie::RoundRecord> records;  ///< of all workers, if AapTrial::keep_rounds
  Instant begin{};                        ///< the earliest of any node
};

[[nodiscard]] std::vector<RawCell> raw_cells(const AapResult& result);

/// Note of tables in which a cell that is not finite prints x.
inline constexpr const char* kDivergedNote = "x: the descent diverged; its time has no meaning";

Result<const AapResult*> run_aap(Laboratory& lab, const AapTrial& trial);

/// Inputs and prices of a trial, for figures that run it themselves; records of rounds are kept.
struct PreparedTrial {
  const Graph* graph = nullptr;
  RunOptions options;
};
Result<PreparedTrial> prepare_aap(Laboratory& lab, const AapTrial& trial);
/// The share of the vertices that have an arc to or from another worker's.
[[nodiscard]] double border_share(const PreparedTrial& prepared);

/// A figure with its configuration and no rows; the study's runs of the figure begin here. `stand_in`: the input that its
/// configuration names.
[[nodiscard]] Figure blank_aap(Laboratory& lab, std::string_view stand_in = {});
/// The name of what replaces an input of the paper.
[[nodiscard]] std::string stand_in_of(const Laboratory& lab, std::string_view input);

// The standard table of AAP's experiments: times under four models, and the others' times relative to AAP's.
inline constexpr std::array kModels = {Scheduler::Aap, Scheduler::Bsp, Scheduler::Ap,
                                       Scheduler::Ssp};
/// Seconds by index in kModels; NaN if the descent diverged, except for AAP.
using ModelTimes = std::array<double, kModels.size()>;
[[nodiscard]] Result<ModelTimes> times_of(Laboratory& lab, AapTrial trial);

/// The columns of the times, after the given ones.
[[nodiscard]] std::vector<Column> model_columns(std::vector<Column> columns);
[[nodiscard]] std::vector<FigureCell> model_cells(std::vector<FigureCell> cells,
                                                  const ModelTimes& times);

/// The claim that AAP is on average `papers` times as fast as kModels[other + 1]. `ratios`: that model's times over
/// AAP's.
[[nodiscard]] Claim average_claim(std::size_t other, double papers, std::span<const double> ratios);

}  // namespace leeway::replay
