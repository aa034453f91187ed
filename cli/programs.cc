#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/output.h"
#include "leeway/programs/pie/catalog.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

namespace {

/// A program, and the engines that can run it.
struct Listed {
  const ProgramInfo* program;
  std::vector<std::string_view> engines;
};

/// Programs in ticks: `--scheduler tick` and `--scheduler asytick`, which also runs vertex programs.
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

std::vector<Listed> all_programs() {
  std::vector<Listed> all;
  for (const std::span<const ProgramInfo> programs :
       {vertex_programs(), pie_programs(), std::span<const ProgramInfo>(kInTicks)}) {
    for (const ProgramInfo& program : programs) {
      const auto known = std::find_if(all.begin(), all.end(), [&](const Listed& each) {
        return each.program->name == program.name;
      });
      if (known == all.end()) {
        all.push_back({&program, {program.engine}});
      } else {
        known->engines.push_back(program.engine);
      }
    }
  }
  return all;
}

std::string as_json() {
  std::string text;
  for (const auto& [program, engines] : all_programs()) {
    text += format(
        "{}{{\"name\": {}, \"engines\": [\"{}\"], \"summary\": {}, \"result\": {}, \"source\": "
        "{}, \"exact\": {}}}",
        text.empty() ? "" : ",\n ", json_string(program->name), fmt::join(engines, "\", \""),
        json_string(program->summary), json_string(program->result), program->source,
        program->exact);
  }
  return "[" + text + "]\n";
}

std::string as_table() {
  std::size_t name = 0;
  std::size_t summary = 0;
  std::size_t engine = 0;
  const std::vector<Listed> all = all_programs();
  for (const auto& [program, engines] : all) {
    name = std::max(name, program->name.size());
    summary = std::max(summary, program->summary.size());
    engine = std::max(engine, format("{}", fmt::join(engines, ", ")).size());
  }
  std::string text;
  for (const auto& [program, engines] : all) {
    text += format("{:<{}}  {:<{}}  {:<{}}  {}\n", program->name, name, program->summary, summary,
                   format("{}", fmt::join(engines, ", ")), engine, program->result);
  }
  return text;
}

}  // namespace

Result<int> run_programs(const Invocation& invocation) {
  LEEWAY_TRY(print(invocation.options.json ? as_json() : as_table()));
  return 0;
}

}  // namespace leeway::cli
