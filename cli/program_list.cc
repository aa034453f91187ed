// `leeway programs`, `leeway modes`, and the start of `leeway replay`.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/engines.h"
#include "app/output.h"
#include "base/format.h"
#include "base/json.h"
#include "benchmarks/replay/figures.h"
#include "cli/command.h"

namespace leeway::cli {

namespace {

std::string engines_of(const Program& program) {
  std::vector<std::string_view> names;
  for (const EngineRun& run : program.engines) names.push_back(engine_info(run.engine).name);
  return format("{}", fmt::join(names, ", "));
}

std::string programs_json() {
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.array(all_programs(), [&](const Program& program) {
    json.object([&] {
      json.member("name", program.name);
      json.key("engines").array(
          program.engines, [&](const EngineRun& run) { json.value(engine_info(run.engine).name); });
      json.member("summary", program.summary).member("result", program.result);
      json.member("source", program.takes(Parameter::Source)).member("exact", program.exact);
    });
  });
  return std::move(json).text();
}

std::string as_table() {
  std::size_t name = 0;
  std::size_t summary = 0;
  std::size_t engine = 0;
  for (const Program& each : all_programs()) {
    name = std::max(name, each.name.size());
    summary = std::max(summary, each.summary.size());
    engine = std::max(engine, engines_of(each).size());
  }
  std::string text;
  for (const Program& each : all_programs())
    text += format("{:<{}}  {:<{}}  {:<{}}  {}\n", each.name, name, each.summary, summary,
                   engines_of(each), engine, each.result);
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
