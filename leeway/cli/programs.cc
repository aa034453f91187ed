#include "leeway/base/format.h"
#include "leeway/cli/command.h"
#include "leeway/cli/output.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway::cli {

namespace {

std::string as_json() {
  std::string text;
  for (const ProgramInfo& program : vertex_programs()) {
    text +=
        format("{}{{\"name\": {}, \"summary\": {}, \"result\": {}, \"source\": {}, \"exact\": {}}}",
               text.empty() ? "" : ",\n ", json_string(program.name), json_string(program.summary),
               json_string(program.result), program.source, program.exact);
  }
  return "[" + text + "]\n";
}

std::string as_table() {
  std::size_t name = 0;
  std::size_t summary = 0;
  for (const ProgramInfo& program : vertex_programs()) {
    name = std::max(name, program.name.size());
    summary = std::max(summary, program.summary.size());
  }
  std::string text;
  for (const ProgramInfo& program : vertex_programs()) {
    text += format("{:<{}}  {:<{}}  {}\n", program.name, name, program.summary, summary,
                   program.result);
  }
  return text;
}

}  // namespace

Result<int> run_programs(const Invocation& invocation) {
  LEEWAY_TRY(print(invocation.options.json ? as_json() : as_table()));
  return 0;
}

}  // namespace leeway::cli
