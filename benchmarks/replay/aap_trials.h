// The runs that AAP's experiments are made of: a PIE program on an input under a parallel model, in the
// virtual cluster. Each is run once, however many figures show it. One thread's own.
//
// Our inputs are thousands of times smaller than the paper's, so a stand-in's arc is charged as many times
// as the paper's input has arcs for one of ours, and a vertex, and what travels of it, as many times as it
// has vertices: a round then takes what theirs took beside the same latencies.
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
  std::string input;    ///< the paper's name
  Scheduler model = Scheduler::Aap;
  std::uint32_t workers = 64;
  double skew = 3;          ///< r: 1 leaves the partition as it is
  std::uint32_t bound = 5;  ///< c of SSP, and of AAP where the program wants a bound
  friend auto operator<=>(const AapTrial&, const AapTrial&) = default;
};

struct AapResult {
  double seconds = 0;  ///< virtual
  std::uint64_t rounds = 0;
  std::uint32_t straggler_rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double idle_share = 0;  ///< of the workers' time
  double computing = 0;   ///< seconds of all workers
  double rmse = 0;        ///< of the ratings that test
  bool answered = true;   ///< false: descent ran away, and the answer is not numbers
  /// Of descents: when what loss was left, over all workers, from when each has run a round.
  std::vector<std::pair<double, double>> course;
  std::vector<pie::RoundRecord> records;  ///< all workers', if kept
  Instant begin{};
};

/// What a figure's x stands for.
inline constexpr const char* kRanAway =
    "x: descent ran away, so there is no answer to have taken a time for";

class AapTrials {
 public:
  /// `graph`: instead of every input but ratings.
  AapTrials(Laboratory& lab, std::optional<std::string> graph)
      : lab_(lab), graph_(std::move(graph)), network_(lab.network("infiniband")) {}
  explicit AapTrials(Laboratory& lab) : AapTrials(lab, lab.settings().graph) {}

  Result<const AapResult*> run(const AapTrial& trial, bool keep_rounds = false);
  /// What a trial runs on, for those who run it themselves; rounds are kept.
  struct Prepared {
    const Graph* graph = nullptr;
    pie::SessionOptions options;
  };
  Result<Prepared> prepared(const AapTrial& trial);
  /// A figure with its configuration, otherwise empty. `stand_in`: for which input it says what it runs on.
  [[nodiscard]] Figure blank(std::string_view stand_in = {}) const;
  /// All runs' numbers.
  void add_raw(Figure& figure) const;
  /// What stands in for an input of the paper.
  [[nodiscard]] std::string source(std::string_view input) const {
    return file_name(request(input).place);
  }

 private:
  [[nodiscard]] GraphRequest request(std::string_view input, bool both_ways = false) const;
  Result<AapResult> measure(const AapTrial& trial, bool keep_rounds);

  Laboratory& lab_;
  std::optional<std::string> graph_;
  NetworkProfile network_;
  /// An input's, whatever its program: of its arcs as the first program has them. By input, whether it is directed,
  /// workers and skew.
  std::map<std::tuple<std::string, bool, std::uint32_t, double>, std::shared_ptr<const Partition>>
      divisions_;
  std::map<AapTrial, AapResult> results_;
};

// The usual table of AAP's experiments: times under its four models, and the others' over AAP's.
inline constexpr std::array kModels = {Scheduler::Aap, Scheduler::Bsp, Scheduler::Ap,
                                       Scheduler::Ssp};
/// Seconds by place in kModels; not a number where descent ran away.
using ModelTimes = std::array<double, kModels.size()>;
[[nodiscard]] Result<ModelTimes> times_of(AapTrials& trials, AapTrial trial);

/// After the columns, and the cells, that say what was run.
[[nodiscard]] std::vector<Column> model_columns(std::vector<Column> columns);
[[nodiscard]] std::vector<FigureCell> model_cells(std::vector<FigureCell> cells,
                                                  const ModelTimes& times);

/// That AAP is `least` times faster on average than the model at place `other` + 1; `rule` with {} for `least`.
[[nodiscard]] Claim average_claim(std::size_t other, double least, std::string_view rule,
                                  std::span<const double> ratios);

}  // namespace leeway::replay
