// The ways of running one program that the law chooses between, and one simulated run in any of them: what
// `leeway replay law` measures and `leeway advise` names.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/vertex/catalog.h"
#include "leeway/runtime/node_programs.h"
#include "leeway/runtime/run_record.h"
#include "leeway/runtime/schedule/schedule.h"
#include "leeway/runtime/ways.h"

namespace leeway::law {

struct Mode {
  std::string_view name;         ///< "rcp+push", "pie-aap"
  std::string_view flags;        ///< of `leeway run`
  std::string_view consistency;  ///< of the shared memory; "rcp" where a schedule is the point
  Scheduler scheduler = Scheduler::DoWork;
  bool pie = false;
};

inline constexpr std::size_t kModes = 13;
/// All of them, in the order in which tables list them.
[[nodiscard]] std::span<const Mode, kModes> modes();
/// Its place among them; it must be one (checked).
[[nodiscard]] std::size_t mode_place(std::string_view name);

inline constexpr std::size_t kPrograms = 4;
/// pagerank, sssp, cc, heat: what the law was fitted on.
[[nodiscard]] std::span<const std::string_view, kPrograms> programs();
/// Its place in `programs()`; an Input error for any other, which names these.
Result<std::size_t> program_place(std::string_view name);
/// Whether the program has a form for the mode's engine: heat has none for PIE.
[[nodiscard]] bool has_form(std::string_view program, const Mode& mode);

/// A program on a graph, dealt out to the nodes of a virtual cluster.
struct Setup {
  const Graph* graph = nullptr;
  std::shared_ptr<const Partition> division;  ///< as many parts as nodes
  std::string_view program;
  ProgramSettings settings;
  CostModel cost;
  std::vector<std::uint32_t> slowdown_percent;  ///< by node; empty: all alike
  std::uint64_t seed = 1;

  [[nodiscard]] std::uint32_t nodes() const { return division->part_count; }
};

/// Everything a run tells; its times are virtual. A run that is given up has not converged. Requires a form.
/// `ways`: that the run may change between, the mode's own first; null: none.
Result<RunRecord> simulate(const Setup& setup, const Mode& mode, const NetworkProfile& network,
                           std::shared_ptr<const WayPlan> ways = nullptr);

}  // namespace leeway::law
