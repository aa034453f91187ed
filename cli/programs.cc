#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/output.h"
#include "leeway/cli/program_list.h"

namespace leeway::cli {

namespace {

std::string engines_of(const ListedProgram& program) {
  std::vector<std::string_view> names;
  for (const EngineName engine : program.engines) names.push_back(engine_info(engine).name);
  return format("{}", fmt::join(names, ", "));
}

std::string as_json() {
  JsonWriter json(JsonWriter::Layout::Lines);
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
  LEEWAY_TRY(print(invocation.options.json ? as_json() : as_table()));
  return 0;
}

}  // namespace leeway::cli
