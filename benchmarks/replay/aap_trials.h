// The runs of AAP's experiments: a PIE program on an input under a parallel model, in the virtual cluster. An
// AapTrials does each run once; every figure has its own. Not thread-safe.
//
// Our inputs are thousands of times smaller than the paper's. The cost of an arc of a stand-in is therefore
// multiplied by the ratio of the arc counts, and that of a parameter in a message by the ratio of the vertex counts,
// so that a round has the paper's duration relative to the latencies. Sixteen workers share a server, as in the paper.
// docs/profiles.md derives the prices from the paper's numbers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/replay/laboratory.h"
#include "leeway/graph.h"
#include "leeway/pie.h"

namespace leeway::replay {

struct AapTrial {
  std::string program;  ///< "sssp", "cc", "pagerank", "cf"
  std::string input;    ///< name in the paper
  Scheduler model = Scheduler::Aap;
  std::uint32_t workers = 64;
  double skew = 3;          ///< r; 1: no reshuffling
  std::uint32_t bound = 5;  ///< c of SSP, and of AAP for programs that need a bound
  friend auto operator<=>(const AapTrial&, const AapTrial&) = default;
};

struct AapResult {
  double seconds = 0;  ///< virtual
  std::uint64_t rounds = 0;
  std::uint32_t straggler_rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double idle_share = 0;  ///< share of the workers' time
  double computing = 0;   ///< seconds, sum over workers
  double rmse = 0;        ///< on test ratings
  bool converged = true;  ///< false: the descent diverged and values are not finite
  /// Descents only: time and sum of the workers' losses, from when each worker has completed a round.
  std::vector<std::pair<double, double>> loss_curve;
  std::vector<pie::RoundRecord> records;  ///< of all workers, if kept
  Instant begin{};                        ///< the earliest of any node
};

/// Note of tables in which a cell that is not finite prints x.
inline constexpr const char* kDivergedNote = "x: the descent diverged, so there is no time";

class AapTrials {
 public:
  /// `graph`: replaces every input except movieLens (ratings).
  AapTrials(Laboratory& lab, std::optional<std::string> graph)
      : lab_(lab), graph_(std::move(graph)), network_(lab.network("infiniband")) {}
  explicit AapTrials(Laboratory& lab) : AapTrials(lab, lab.settings().graph) {}

  /// Returns the stored result; runs again if `keep_rounds` and the stored one has no rounds. Valid as long as this
  /// object.
  Result<const AapResult*> run(const AapTrial& trial, bool keep_rounds = false);
  /// Inputs and prices of a trial, for figures that run it themselves; records of rounds are kept.
  struct Prepared {
    const Graph* graph = nullptr;
    RunOptions options;
  };
  Result<Prepared> prepared(const AapTrial& trial);
  /// A figure with its configuration and no rows. `stand_in`: the input that its configuration names.
  [[nodiscard]] Figure blank(std::string_view stand_in = {}) const;
  /// Replaces the figure's raw table by one row for each run of this object.
  void add_raw(Figure& figure) const;
  /// The stand-in for an input of the paper.
  [[nodiscard]] std::string source(std::string_view input) const {
    return file_name(request(input).place);
  }

 private:
  [[nodiscard]] GraphRequest request(std::string_view input, bool both_ways = false) const;
  Result<AapResult> measure(const AapTrial& trial, bool keep_rounds);

  Laboratory& lab_;
  std::optional<std::string> graph_;
  NetworkProfile network_;
  /// One partition per input, shared by all programs and computed from the arcs of the first. Key: input, directed,
  /// workers, skew.
  std::map<std::tuple<std::string, bool, std::uint32_t, double>, std::shared_ptr<const Partition>>
      divisions_;
  std::map<AapTrial, AapResult> results_;
};

// The standard table of AAP's experiments: times under four models, and the others' times relative to AAP's.
inline constexpr std::array kModels = {Scheduler::Aap, Scheduler::Bsp, Scheduler::Ap,
                                       Scheduler::Ssp};
/// Seconds by index in kModels; NaN if the descent diverged, except for AAP.
using ModelTimes = std::array<double, kModels.size()>;
[[nodiscard]] Result<ModelTimes> times_of(AapTrials& trials, AapTrial trial);

/// The columns of the times, after the given ones.
[[nodiscard]] std::vector<Column> model_columns(std::vector<Column> columns);
[[nodiscard]] std::vector<FigureCell> model_cells(std::vector<FigureCell> cells,
                                                  const ModelTimes& times);

/// The claim that AAP is on average `papers` times as fast as kModels[other + 1]. `ratios`: that model's times over
/// AAP's.
[[nodiscard]] Claim average_claim(std::size_t other, double papers, std::span<const double> ratios);

}  // namespace leeway::replay
