#include "cli/program_list.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/replay/figures.h"
#include "cli/command.h"
#include "cli/output.h"
#include "programs/pie/catalog.h"

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

/// Programs of the tick and piece engines. The first row of a name is its default engine.
constexpr std::array kInTicks = {
    ProgramInfo{.name = "pagerank", .engine = "tick"},
    ProgramInfo{.name = "pagerank", .engine = "piece"},
    ProgramInfo{.name = "fish",
                .engine = "tick",
                .summary = "a school of fish that keep together (Couzin)",
                .result = "frames, with --frames",
                .exact = true},
    ProgramInfo{.name = "fish", .engine = "piece"},
    ProgramInfo{.name = "fish-food",
                .engine = "tick",
                .summary = "the school of fish with food that drifts and is eaten, in two tables",
                .result = "frames, with --frames",
                .exact = true},
    ProgramInfo{.name = "jacobi",
                .engine = "tick",
                .summary = "heat that spreads over a plate, tick by tick",
                .result = "a report",
                .exact = true},
    ProgramInfo{.name = "jacobi", .engine = "piece"},
    ProgramInfo{.name = "linear-system",
                .engine = "piece",
                .summary = "the solution of A x = b by Jacobi's method",
                .result = "x",
                .matrix = true},
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
        all.push_back({&program, {engine}, program.run != nullptr || program.matrix});
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

std::vector<std::string_view> programs_with(bool (*property)(const ProgramInfo&)) {
  std::vector<std::string_view> names;
  for (const ListedProgram& program : program_list()) {
    if (property(*program.info)) names.push_back(program.info->name);
  }
  std::sort(names.begin(), names.end());
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
  if (std::filesystem::exists(name) || is_graph_spec(name)) {
    return fail(input_error("leeway run", format("'{}' is a graph; the program comes first", name),
                            format("as in leeway run pagerank {}", name)));
  }
  std::vector<std::string_view> names;
  for (const ListedProgram& each : program_list()) names.push_back(each.info->name);
  return fail(
      input_error("leeway run", format("unknown program '{}'", name), did_you_mean(name, names)));
}

const ProgramInfo* program_on(EngineName engine, std::string_view name) {
  return engine == EngineName::Pie ? find_pie_program(name) : find_vertex_program(name);
}

namespace {

std::string engines_of(const ListedProgram& program) {
  std::vector<std::string_view> names;
  for (const EngineName engine : program.engines) names.push_back(engine_info(engine).name);
  return format("{}", fmt::join(names, ", "));
}

std::string programs_json() {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.array(program_list(), [&](const ListedProgram& each) {
    const ProgramInfo& program = *each.info;
    json.object([&] {
      json.member("name", program.name);
      json.key("engines").array(each.engines,
                                [&](EngineName engine) { json.value(engine_info(engine).name); });
      json.member("summary", program.summary).member("result", program.result);
      json.member("source", program.source).member("exact", program.exact);
    });
  });
  return std::move(json).text();
}

std::string as_table() {
  std::size_t name = 0;
  std::size_t summary = 0;
  std::size_t engine = 0;
  for (const ListedProgram& each : program_list()) {
    name = std::max(name, each.info->name.size());
    summary = std::max(summary, each.info->summary.size());
    engine = std::max(engine, engines_of(each).size());
  }
  std::string text;
  for (const ListedProgram& each : program_list()) {
    const ProgramInfo* const program = each.info;
    text += format("{:<{}}  {:<{}}  {:<{}}  {}\n", program->name, name, program->summary, summary,
                   engines_of(each), engine, program->result);
  }
  return text;
}

}  // namespace

Result<int> run_programs(const Invocation& invocation) {
  LEEWAY_TRY(print(invocation.options.json ? programs_json() : as_table()));
  return 0;
}

namespace {

struct ModeRow {
  std::string_view flag;
  std::string_view name;
  std::string_view summary;
};

/// All values of --consistency and --scheduler. Each mode of consistency has one line.
std::vector<ModeRow> mode_rows() {
  std::vector<ModeRow> rows;
  for (const PolicyHelp& each : policy_help())
    rows.push_back({"--consistency", each.mode, each.meaning});
  for (const SchedulerInfo& each : schedulers())
    rows.push_back({"--scheduler", each.name, each.summary});
  return rows;
}

}  // namespace

Result<int> run_modes(const Invocation& invocation) {
  const std::vector<ModeRow> rows = mode_rows();
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.array(rows, [&](const ModeRow& row) {
    json.object([&] {
      json.member("flag", row.flag).member("name", row.name).member("summary", row.summary);
    });
  });
  std::string text;
  std::string_view flag;
  for (const ModeRow& row : rows) {
    if (row.flag != flag) text += format("{}{}\n", text.empty() ? "" : "\n", row.flag);
    flag = row.flag;
    text += format("  {:<10}  {}\n", row.name, row.summary);
  }
  LEEWAY_TRY(print(invocation.options.json ? std::move(json).text() + "\n" : text));
  return 0;
}

namespace {

// `leeway replay` executes leeway-replay, a separate program with the same settings, so that `leeway` does not link
// the experiments.

struct FigureName {
  std::string_view name;
  replay::FigureGroup group;
};

// Names copied at compile time. Reading the table at run time would link the functions that it refers to.
constexpr auto kFigureNames = [] {
  std::array<FigureName, replay::kFigures.size()> names{};
  std::transform(replay::kFigures.begin(), replay::kFigures.end(), names.begin(),
                 [](const replay::FigureRow& row) {
                   return FigureName{row.name, row.group};
                 });
  return names;
}();

}  // namespace

std::vector<std::string_view> replay_names() {
  std::vector<std::string_view> names;
  for (const FigureName& figure : kFigureNames) names.push_back(figure.name);
  for (const replay::GroupName& group : replay::kGroupNames) names.push_back(group.name);
  names.emplace_back("all");
  return names;
}

std::string replay_groups() {
  std::vector<std::string> groups;
  for (const replay::GroupName& group : replay::kGroupNames) {
    std::vector<std::string_view> names;
    for (const FigureName& figure : kFigureNames) {
      if (figure.group == group.group) names.push_back(figure.name);
    }
    groups.push_back(format("{}: {}.", group.name, fmt::join(names, ", ")));
  }
  return format("{}", fmt::join(groups, " "));
}

Result<int> run_replay(const Invocation& invocation) {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const std::string program = (self.parent_path() / "leeway-replay").string();
  std::vector<std::string> words = invocation.words;
  words.front() = program;  // replaces the command's name
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return fail(environment_error(program,
                                format("the program that measures figures cannot be started: {}",
                                       std::generic_category().message(errno)),
                                "build or install leeway-replay in the folder of leeway"));
}

}  // namespace leeway::cli
