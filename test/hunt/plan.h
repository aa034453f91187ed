// One run of a graph program in the virtual cluster (or over threads with delays), drawn from a seed: program and
// graph, engine, schedule, bound and mode, nodes and workers, what computing and the network cost, and which nodes
// are slow or pause. Pure: the same seed gives the same plan everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "programs/vertex/catalog.h"
#include "test/answers/graph_input.h"

namespace leeway::hunt {

struct HuntPlan {
  std::uint64_t seed = 0;
  const ProgramInfo* program = nullptr;
  answers::InputGraph graph;
  std::uint32_t source = 0;
  double damping = 0.85;
  bool exact = false;                 ///< a tolerance of 0
  std::vector<std::uint32_t> owners;  ///< a part for each vertex; empty: as `options` divide
  ProgramOptions options;
  /// What was drawn and taken back, by name.
  std::vector<std::string> without;
  std::string graph_file;  ///< from which the graph was read; empty: it was drawn

  /// The run may be given up, for it has a limit that its program may reach.
  [[nodiscard]] bool may_be_given_up() const;
  [[nodiscard]] bool by_fragments() const { return program->engine == "pie"; }
  /// How many parts owners may name.
  [[nodiscard]] std::uint32_t parts() const;
  [[nodiscard]] bool over_threads() const { return options.cluster.fabric == Fabric::Loopback; }

  [[nodiscard]] std::string describe() const;
  /// A line for a shell; `graph`: the file that the plan's graph is in, if that is not the drawn one.
  [[nodiscard]] std::string repeat_command() const;
};

/// `over_threads`: for real threads and delays in real time, with what can be had there.
[[nodiscard]] HuntPlan draw_plan(std::uint64_t seed, bool over_threads);

/// Names of what can be taken back, so that the default stands in its place.
[[nodiscard]] std::span<const std::string_view> traits();
/// Takes one back; false if the plan does not have it.
bool take_back(HuntPlan& plan, std::string_view trait);
/// On so many nodes instead, fewer than before.
void set_nodes(HuntPlan& plan, std::uint32_t nodes);

/// The graph, its source and its owners as a file that `read_input` reads: "vertices N", "source V", "directed",
/// "weighted", "owners P P ...", then an edge a line.
[[nodiscard]] std::string input_text(const HuntPlan& plan);
/// Takes them from the file; false if it cannot be read.
[[nodiscard]] bool read_input(const std::string& path, HuntPlan& plan);

}  // namespace leeway::hunt
