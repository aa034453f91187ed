#include "app/engines.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/format.h"

namespace leeway::app {

namespace {

const std::array<EngineInfo, 4> kEngines = {{
    {EngineName::Vertex,
     "vertex",
     {Scheduler::DoWork, Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap,
      Scheduler::Hsync, Scheduler::AsyTick}},
    {EngineName::Pie,
     "pie",
     {Scheduler::Aap, Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Hsync}},
    {EngineName::Tick, "tick", {}},
    {EngineName::Piece, "piece", {}},
}};

}  // namespace

std::span<const EngineInfo> engines() { return kEngines; }

const EngineInfo& engine_info(EngineName engine) {
  return kEngines[static_cast<std::size_t>(engine)];
}

std::vector<std::string_view> simulation_names() {
  std::vector<std::string_view> names;
  for (const Program& program : all_programs()) {
    if (!program.on_graph()) names.push_back(program.name);
  }
  return names;
}

std::vector<std::string_view> checked_programs() {
  return programs_with([](const Program&, const EngineRun& run) { return run.check != nullptr; });
}

std::string_view example_graph(ProgramInput input) {
  switch (input) {
    case ProgramInput::Graph:
      return "known:karate";
    case ProgramInput::Matrix:
      return "matrix:dominant:500:20";
    case ProgramInput::Ratings:
      return "ratings.csv";
    case ProgramInput::Scene:
      return {};
  }
  LEEWAY_UNREACHABLE(input);
}

Result<const Program*> program_called(std::string_view name) {
  if (const Program* const found = find_program(name)) return found;
  if (std::filesystem::exists(name) || is_graph_spec(name)) {
    return fail(input_error("leeway run", format("'{}' is a graph; the program comes first", name),
                            format("as in leeway run {} {}", all_programs().front().name, name)));
  }
  std::vector<std::string_view> names;
  for (const Program& each : all_programs()) names.push_back(each.name);
  return fail(
      input_error("leeway run", format("unknown program '{}'", name), did_you_mean(name, names)));
}

}  // namespace leeway::app
