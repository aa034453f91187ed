// The engines of `leeway run` with their schedulers, and searches in the list of programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "leeway/options.h"
#include "programs/catalog/program.h"

namespace leeway::app {

struct EngineInfo {
  EngineName engine;
  std::string_view name;
  std::vector<Scheduler> schedulers;  ///< the default first; empty: the engine has its own pacing
};
[[nodiscard]] std::span<const EngineInfo> engines();
[[nodiscard]] const EngineInfo& engine_info(EngineName engine);

/// True for a program on an engine: a fact of its row.
using ProgramFact = bool (*)(const Program& program, const EngineRun& run);
template <Parameter P>
bool takes(const Program&, const EngineRun& run) {
  return run.takes.has(P);
}

/// The programs with their own scene, for `leeway simulate`.
[[nodiscard]] std::vector<std::string_view> simulation_names();
/// The names of the programs with a fact on one of these engines, in alphabetical order. No engines: on any.
[[nodiscard]] std::vector<std::string_view> programs_with(ProgramFact fact,
                                                          std::span<const EngineName> engines = {});
/// The programs of the pie engine, whose conditions `leeway check` checks.
[[nodiscard]] std::vector<std::string_view> checked_programs();
/// A graph for examples; empty for a program with its own scene.
[[nodiscard]] std::string_view example_graph(ProgramInput input);
/// "bfs, cc or sssp"
[[nodiscard]] std::string alternatives(std::span<const std::string_view> names,
                                       std::string_view word = "or");
/// Returns an Input error that suggests the nearest name if there is none.
Result<const Program*> program_called(std::string_view name);

}  // namespace leeway::app
