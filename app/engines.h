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

/// The programs with their own scene, for `leeway simulate`.
[[nodiscard]] std::vector<std::string_view> simulation_names();
/// The programs of the pie engine, whose conditions `leeway check` checks.
[[nodiscard]] std::vector<std::string_view> checked_programs();
/// A graph for examples; empty for a program with its own scene.
[[nodiscard]] std::string_view example_graph(ProgramInput input);
/// Returns an Input error that suggests the nearest name if there is none.
Result<const Program*> program_called(std::string_view name);

}  // namespace leeway::app
