// The programs and engines of `leeway run`: each program with the engines that implement it, each engine with its
// schedulers. Constant tables.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "leeway/options.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

enum class EngineName : std::uint8_t { Vertex, Pie, Tick, Piece };

struct EngineInfo {
  EngineName engine;
  std::string_view name;
  std::vector<Scheduler> schedulers;  ///< the default first; empty: the engine has its own pacing
};
[[nodiscard]] std::span<const EngineInfo> engines();
[[nodiscard]] const EngineInfo& engine_info(EngineName engine);

struct ListedProgram {
  const ProgramInfo* info;          ///< as its default engine describes it
  std::vector<EngineName> engines;  ///< the default first
  bool graph;                       ///< runs on a graph; false: on its own scene
};
[[nodiscard]] std::span<const ListedProgram> program_list();
/// The programs with their own scene, for `leeway simulate`.
[[nodiscard]] std::vector<std::string_view> simulation_names();
/// The names of the programs with a property, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> programs_with(bool (*property)(const ProgramInfo&));
/// Null if there is none of that name.
[[nodiscard]] const ListedProgram* find_program(std::string_view name);
/// Returns an Input error that suggests the nearest name if there is none.
Result<const ListedProgram*> program_called(std::string_view name);
/// The catalog entry of the vertex or pie engine, which runs and verifies the program.
[[nodiscard]] const ProgramInfo* program_on(EngineName engine, std::string_view name);

}  // namespace leeway::cli
