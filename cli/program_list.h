// What `leeway run` can run: every program with the engines that have it, and every engine with the
// schedulers it has. Plain tables; no state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/options.h"
#include "leeway/result.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

enum class EngineName : std::uint8_t { Vertex, Pie, Tick, Piece };

struct EngineInfo {
  EngineName engine;
  std::string_view name;
  std::vector<Scheduler> schedulers;  ///< the default first; empty: it paces its programs by itself
};
[[nodiscard]] std::span<const EngineInfo> engines();
[[nodiscard]] const EngineInfo& engine_info(EngineName engine);

struct ListedProgram {
  const ProgramInfo* info;          ///< in its default engine's words
  std::vector<EngineName> engines;  ///< the default first
  bool graph;                       ///< runs on a graph, not on a scene of its own
};
[[nodiscard]] std::span<const ListedProgram> program_list();
/// Those that run on a scene of their own: what `leeway simulate` takes.
[[nodiscard]] std::vector<std::string_view> simulation_names();
/// Null if there is none of that name.
[[nodiscard]] const ListedProgram* find_program(std::string_view name);
/// An Input error that names the nearest instead.
Result<const ListedProgram*> program_called(std::string_view name);
/// The program as one of its engines has it: what runs and verifies it under vertex and pie.
[[nodiscard]] const ProgramInfo* program_on(EngineName engine, std::string_view name);

}  // namespace leeway::cli
