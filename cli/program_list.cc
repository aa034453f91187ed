#include "leeway/cli/program_list.h"

#include <algorithm>
#include <array>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/programs/pie/catalog.h"

namespace leeway::cli {

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

/// Programs in ticks: a program's first row is its default engine's.
constexpr std::array kInTicks = {
    ProgramInfo{.name = "pagerank", .engine = "tick"},
    ProgramInfo{.name = "pagerank", .engine = "piece"},
    ProgramInfo{.name = "fish",
                .engine = "tick",
                .summary = "a school of fish that keep together (Couzin)",
                .result = "frames, with --frames",
                .exact = true},
    ProgramInfo{.name = "fish", .engine = "piece"},
    ProgramInfo{.name = "jacobi",
                .engine = "tick",
                .summary = "heat that spreads over a plate, tick by tick",
                .result = "a report",
                .exact = true},
    ProgramInfo{.name = "jacobi", .engine = "piece"},
    ProgramInfo{.name = "nbody",
                .engine = "piece",
                .summary = "bodies that attract each other up to a distance",
                .result = "frames, with --frames",
                .exact = true},
};

EngineName engine_called(std::string_view name) {
  const auto found = std::find_if(kEngines.begin(), kEngines.end(),
                                  [&](const EngineInfo& each) { return each.name == name; });
  LEEWAY_CHECK(found != kEngines.end(), name);
  return found->engine;
}

std::vector<ListedProgram> gather_programs() {
  std::vector<ListedProgram> all;
  const std::array<std::span<const ProgramInfo>, 3> catalogs = {vertex_programs(), pie_programs(),
                                                                kInTicks};
  for (const std::span<const ProgramInfo> programs : catalogs) {
    for (const ProgramInfo& program : programs) {
      const EngineName engine = engine_called(program.engine);
      const auto known = std::find_if(all.begin(), all.end(), [&](const ListedProgram& each) {
        return each.info->name == program.name;
      });
      if (known != all.end()) {
        known->engines.push_back(engine);
      } else {
        all.push_back({&program, {engine}, program.run != nullptr});
      }
    }
  }
  return all;
}

}  // namespace

std::span<const EngineInfo> engines() { return kEngines; }

const EngineInfo& engine_info(EngineName engine) {
  return kEngines[static_cast<std::size_t>(engine)];
}

std::span<const ListedProgram> program_list() {
  static const std::vector<ListedProgram> all = gather_programs();
  return all;
}

std::vector<std::string_view> simulation_names() {
  std::vector<std::string_view> names;
  for (const ListedProgram& program : program_list()) {
    if (!program.graph) names.push_back(program.info->name);
  }
  return names;
}

const ListedProgram* find_program(std::string_view name) {
  const auto all = program_list();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const ListedProgram& each) { return each.info->name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<const ListedProgram*> program_called(std::string_view name) {
  if (const ListedProgram* const found = find_program(name)) return found;
  std::vector<std::string_view> names;
  for (const ListedProgram& each : program_list()) names.push_back(each.info->name);
  return fail(input_error("leeway run", format("there is no program called '{}'", name),
                          did_you_mean(name, names)));
}

const ProgramInfo* program_on(EngineName engine, std::string_view name) {
  return engine == EngineName::Pie ? find_pie_program(name) : find_vertex_program(name);
}

}  // namespace leeway::cli
