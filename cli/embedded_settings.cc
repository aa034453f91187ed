#include "cli/embedded_settings.h"

#include "app/applicability.h"
#include "app/options.h"
#include "cli/documents.h"

namespace leeway::cli {

std::vector<EmbeddedSetting> embedded_settings() {
  std::vector<EmbeddedSetting> all;
  for (const Setting& each : settings()) {
    if ((each.group & kRunGroups) == 0 || each.roles.has(kTerminal)) continue;
    EmbeddedSetting& one = all.emplace_back();
    one = {.name = each.name,
           .value = each.value,
           .fallback = part_for(each.fallback, "run"),
           .help = part_for(each.help, "run")};
    one.usual = each.roles.has(kUsual);
    for (const Program& program : all_programs()) {
      if (may_apply(each, program)) one.programs.push_back(program.name);
      if (names_program(each, program)) one.own_of.push_back(program.name);
    }
  }
  return all;
}

}  // namespace leeway::cli
