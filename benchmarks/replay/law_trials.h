// What the law is fitted to and checked on: programs on divided graphs under every mode, one condition of
// the cluster after the other. One thread's own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/law/choice.h"

namespace leeway::replay {

/// A graph and how it is dealt out.
struct LawInput {
  std::string name;  ///< as tables call it
  std::string spec;
  PartitionMethod method = PartitionMethod::Metis;
};

struct DividedGraph {
  const Graph* graph = nullptr;  ///< the cache's
  std::shared_ptr<const Partition> division;
};
/// Its arcs go both ways, each once; for programs that want lengths they have random weights.
[[nodiscard]] Result<DividedGraph> divide_input(const LawInput& input, std::string_view program,
                                                std::uint32_t nodes, InputCache& inputs);

struct LawPoint {
  std::string_view program;
  LawInput input;
  std::uint32_t nodes = 8;
  std::uint32_t slow_percent = 100;  ///< node 0's
  std::string conditions;            ///< of network and nodes, as tables call them
  std::string network;               ///< as tables call it
  NetworkProfile profile;
};

/// Seconds by mode; infinite for one that has no form or did not come to rest.
using ModeTimes = std::array<double, law::kModes>;

struct LawResult {
  LawPoint point;
  law::ProgramFacts facts;
  law::NetworkFacts network;
  ModeTimes times{};
  std::size_t best = 0;
};

class LawTrials {
 public:
  explicit LawTrials(Laboratory& lab) : lab_(lab) {}

  /// Runs every mode that the program has a form for.
  Result<LawResult> run(const LawPoint& point);
  /// Runs it as the law chose.
  Result<RunRecord> run_chosen(const LawPoint& point, const law::Choice& choice);

 private:
  Result<law::ProgramFacts> facts(const LawPoint& point, const law::Setup& setup);
  Result<law::Setup> setup(const LawPoint& point);

  Laboratory& lab_;
  std::map<std::string, law::ProgramFacts, std::less<>> facts_;
};

// Graphs, divisions, networks and clusters that have no part in the fit.
[[nodiscard]] std::vector<LawPoint> unseen_points();
/// What a figure over them says of itself; `nodes` in its words.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> unseen_configuration(
    std::string nodes, std::uint64_t seed);

/// One raw row a point: what it was, its facts, every mode's seconds, the best.
void add_raw(const std::vector<LawResult>& results, Figure& figure);
/// The time of one mode over that of another; NaN where either has none.
[[nodiscard]] double time_ratio(const LawResult& result, std::string_view of, std::string_view to);

}  // namespace leeway::replay
