// The runs that AAP's experiments are made of: a PIE program on an input under a parallel model, in the
// virtual cluster. Each is run once, however many figures show it. One thread's own.
//
// Our inputs are thousands of times smaller than the paper's, so a stand-in's arc is charged as many times
// as the paper's input has arcs for one of ours, and a vertex, and what travels of it, as many times as it
// has vertices: a round then takes what theirs took beside the same latencies.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/benchmarks/replay/aap.h"
#include "leeway/datasets/graph.h"
#include "leeway/runtime/pie/session.h"

namespace leeway::replay {

/// An input of the paper and what stands in for it.
struct AapInput {
  std::string_view name;
  std::string_view file;  ///< of the data folder
  std::string_view spec;  ///< generated, where there is no such file; "ratings" for ratings
  double paper_arcs = 0;
  double paper_vertices = 0;
};
[[nodiscard]] const AapInput& aap_input(std::string_view name);

struct AapTrial {
  std::string program;  ///< "sssp", "cc", "pagerank", "cf"
  std::string input;    ///< the paper's name
  Scheduler model = Scheduler::Aap;
  std::uint32_t workers = 64;
  double skew = 3;          ///< r: 1 leaves the partition as it is
  std::uint32_t bound = 5;  ///< c of SSP, and of AAP where the program wants a bound
  std::uint32_t nodes = 0;  ///< physical workers that share the virtual ones; 0: one each
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
  explicit AapTrials(const AapSettings& settings) : settings_(settings) {}

  Result<const AapResult*> run(const AapTrial& trial, bool keep_rounds = false);
  /// What a trial runs on, for those who run it themselves; rounds are kept.
  struct Ground {
    const Graph* graph = nullptr;
    pie::SessionOptions options;
  };
  Result<Ground> ground(const AapTrial& trial);
  [[nodiscard]] std::uint32_t workers(std::uint32_t usual) const {
    return settings_.workers.value_or(usual);
  }
  /// A figure with its configuration, otherwise empty.
  [[nodiscard]] Figure blank(std::string name, std::string title) const;
  /// All runs' numbers.
  void add_raw(Figure& figure) const;
  [[nodiscard]] std::string source(std::string_view input) const;

 private:
  [[nodiscard]] std::string place(const AapInput& input) const;
  Result<const Graph*> graph(const std::string& name, bool both_ways);
  Result<std::shared_ptr<const Partition>> division(const AapTrial& trial, const Graph& graph);
  Result<AapResult> measure(const AapTrial& trial, bool keep_rounds);

  AapSettings settings_;
  std::map<std::string, Graph> graphs_;
  std::map<std::string, std::shared_ptr<const Partition>> divisions_;
  std::map<AapTrial, AapResult> results_;
};

}  // namespace leeway::replay
