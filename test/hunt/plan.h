// One run of a graph program in the virtual cluster (or over threads with delays), drawn from a
// seed: program and graph, engine, schedule, bound and mode, nodes and workers, costs of computing
// and of the network, slow nodes and pauses. Pure: the same seed gives the same plan everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "programs/catalog/program.h"
#include "test/answers/graph_input.h"

namespace leeway::hunt {

struct HuntPlan {
  std::uint64_t seed = 0;
  const Program* program = nullptr;
  EngineName engine = EngineName::Vertex;
  answers::InputGraph graph;
  std::uint32_t source = 0;
  double damping = 0.85;
  bool exact = false;                 ///< a tolerance of 0
  std::vector<std::uint32_t> owners;  ///< a part for each vertex; empty: partitioned by `options`
  RunOptions options;
  /// Names of drawn settings that were reset to their defaults.
  std::vector<std::string> without;
  std::string graph_file;  ///< file of the graph; empty: drawn from the seed

  [[nodiscard]] const EngineRun& on() const { return *program->on(engine); }
  [[nodiscard]] std::string_view engine_word() const { return by_fragments() ? "pie" : "vertex"; }
  /// The run may end without convergence, because its program can reach a limit.
  [[nodiscard]] bool may_be_given_up() const;
  [[nodiscard]] bool by_fragments() const { return engine == EngineName::Pie; }
  /// Number of parts that `owners` may use.
  [[nodiscard]] std::uint32_t parts() const;
  [[nodiscard]] bool over_threads() const { return options.cluster.fabric == Fabric::Loopback; }

  [[nodiscard]] std::string describe() const;
  /// A shell command line; `graph`: the file that contains the plan's graph, if it is not the drawn
  /// one.
  [[nodiscard]] std::string repeat_command() const;
};

/// `over_threads`: a plan for real threads with real delays, restricted to what they support.
[[nodiscard]] HuntPlan draw_plan(std::uint64_t seed, bool over_threads);

/// Names of the settings that can be reset to their defaults.
[[nodiscard]] std::span<const std::string_view> traits();
/// Resets one setting; false if the plan has its default.
bool take_back(HuntPlan& plan, std::string_view trait);
/// Reduces the number of nodes.
void set_nodes(HuntPlan& plan, std::uint32_t nodes);

/// The graph, its source and its owners in the format of `read_input`: "vertices N", "source V",
/// "directed", "weighted", "owners P P ...", then one edge per line.
[[nodiscard]] std::string input_text(const HuntPlan& plan);
/// Reads them from the file; false if it cannot be read.
[[nodiscard]] bool read_input(const std::string& path, HuntPlan& plan);

}  // namespace leeway::hunt
