#include "leeway/cli/manual.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/cli/completion.h"
#include "leeway/datasets/graph_spec.h"

namespace leeway::cli {

namespace {

constexpr std::string_view kExitCodes =
    "0  all went well\n"
    "2  bad input or usage: a flag, a setting, a file that says something impossible\n"
    "3  the machine refused: permissions, memory, disk, something missing\n"
    "4  another node of the job is gone or broken\n"
    "5  the run was given up: it made no progress in as many iterations as --patience says\n"
    "130, 143  ended by SIGINT, SIGTERM\n";

constexpr std::string_view kPrecedence =
    "Settings come from a TOML file (--config FILE or LEEWAY_CONFIG), then the environment "
    "(LEEWAY_LOG_LEVEL is --log-level), then flags; the last one counts. What is said and would "
    "have no effect is refused; what a file says outside the tables of commands is passed over "
    "where "
    "it does not apply.";

std::string usage(const Command& command) {
  std::string text = format("leeway {}", command.name);
  for (const Argument& argument : command.arguments) {
    text += argument.optional ? format(" [{}]", argument.name) : format(" {}", argument.name);
    if (argument.many) text += "...";
  }
  return text + " [FLAG...]";
}

std::string flag_text(const Setting& setting) {
  return setting.value.empty() ? format("--{}", setting.name)
                               : format("--{} {}", setting.name, setting.value);
}

std::string setting_help(const Setting& setting) {
  std::string text(setting.help);
  if (!setting.value.empty() && !setting.type.choices.empty())
    text += format(": {}", fmt::join(setting.type.choices, ", "));
  return text + format(" (default: {})", setting.fallback);
}

/// A dash in a man page would become a hyphen that cannot be copied, a leading dot a request.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_start = true;
  for (const char c : text) {
    if (c == '-')
      escaped += "\\-";
    else if (c == '\\')
      escaped += "\\e";
    else if (line_start && (c == '.' || c == '\''))
      escaped += format("\\&{}", c);
    else
      escaped += c;
    line_start = c == '\n';
  }
  return escaped;
}

std::string page_head(std::string_view name, std::string_view summary) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return format(".TH {} 1 \"\" \"Leeway {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", roff(upper),
                LEEWAY_VERSION, roff(name), roff(summary));
}

std::string page_tail() {
  return format(".SH EXIT STATUS\n.nf\n{}.fi\n.SH SETTINGS\n{}\n", roff(kExitCodes),
                roff(kPrecedence));
}

std::string man_page() {
  std::string text = page_head("leeway", "distributed shared memory with relaxed consistency");
  text += ".SH SYNOPSIS\n.B leeway\nCOMMAND [ARGUMENT...] [FLAG...]\n.SH COMMANDS\n";
  for (const Command& command : commands()) {
    text += format(".TP\n.BR leeway\\-{} (1)\n{}\n", command.name, roff(command.description));
  }
  return text + page_tail();
}

std::string man_page(const Command& command) {
  std::string text = page_head(format("leeway-{}", command.name), command.summary);
  text += format(".SH SYNOPSIS\n{}\n.SH DESCRIPTION\n{}\n", roff(usage(command)),
                 roff(command.description));
  for (const Argument& argument : command.arguments) {
    text += format(".TP\n.I {}\n{}\n", argument.name, roff(argument.help));
  }
  text += ".SH FLAGS\n";
  for (const Setting& setting : settings()) {
    if ((setting.group & command.groups) == 0) continue;
    text += format(".TP\n.B {}\n{}\n", roff(flag_text(setting)), roff(setting_help(setting)));
    if ((command.groups & kRun) != 0 && !setting.applies_to.empty())
      text += format("Heeded by {}.\n", roff(whom_it_applies_to(setting)));
  }
  text += format(".SH EXAMPLE\n.nf\n{}\n.fi\n", roff(command.example));
  return text + page_tail() + ".SH SEE ALSO\n.BR leeway (1)\n";
}

Status write_document(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file)
    return fail(system_error(path, "write", errno, "name a folder that exists and can be written"));
  return {};
}

}  // namespace

std::string help_text() {
  std::string text = "usage: leeway COMMAND [ARGUMENT...] [FLAG...]\n\ncommands:\n";
  for (const Command& command : commands())
    text += format("  {:<10} {}\n", command.name, command.summary);
  text += "\n  leeway COMMAND --help says more; leeway --version names this build\n";
  text += "\nexample:\n  leeway info known:karate\n";
  text += format("\n{}\n", kPrecedence);
  return text + "\nexit codes:\n" + std::string(kExitCodes);
}

namespace {

std::string setting_line(const Setting& setting) {
  return format("  {:<20} {}\n", flag_text(setting), setting_help(setting));
}

std::string common_lines() {
  return format("  {:<20} {}\n  {:<20} {}\n", "--config FILE",
                "read settings from a TOML file first", "--help", "this text");
}

std::string spec_lines() {
  std::string text = "\nspecs:\n";
  for (const GraphSpecInfo& spec : graph_specs())
    text += format("  {:<36} {}\n", spec.form, spec.summary);
  return text;
}

/// What applies to every run, and where the rest is.
std::string run_lines(const Command& command) {
  std::string text = "\nflags of every run:\n";
  for (const Setting& setting : settings()) {
    if ((setting.group & command.groups) != 0 &&
        programs_that_take(setting) == program_list().size())
      text += setting_line(setting);
  }
  text += common_lines() + "\nThe flags of a program and of its engines: leeway " +
          std::string(command.name) + " PROGRAM --help\n\nprograms:\n";
  for (const ListedProgram& program : program_list()) {
    if (command.name != "simulate" || !program.graph)
      text += format("  {:<20} {}\n", program.info->name, program.info->summary);
  }
  return text;
}

std::string program_help(const ListedProgram& program) {
  const std::size_t graphs = static_cast<std::size_t>(std::count_if(
      program_list().begin(), program_list().end(), [](const auto& each) { return each.graph; }));
  std::vector<std::string_view> names;
  for (const EngineName engine : program.engines) names.push_back(engine_info(engine).name);
  std::string text = format(
      "usage: leeway run {}{} [FLAG...]\n\n{}: {}. Engines, the default first: {}.\n\nflags of "
      "{}:\n",
      program.info->name, program.graph ? " GRAPH" : "", program.info->name, program.info->summary,
      fmt::join(names, ", "), program.info->name);
  std::size_t section = 0;
  for (const Setting* setting : settings_of(program)) {
    const std::size_t by = programs_that_take(*setting);
    const std::size_t now = by == program_list().size() ? 2 : by >= graphs ? 1 : 0;
    if (now > section)
      text += now == 1 ? "\nflags of programs on a graph:\n" : "\nflags of every run:\n";
    section = now;
    text += setting_line(*setting);
    // Of several engines it may not apply to every one.
    if (const std::string who = whom_it_applies_to(*setting, &program);
        who.find("--") != std::string::npos)
      text += format("  {:<20} (applies to {})\n", "", who);
  }
  text += common_lines();
  if (program.graph) text += spec_lines();
  const bool ratings = program.info->name == "cf";
  return text + format("\nexample:\n  leeway run {}{} --nodes 4\n", program.info->name,
                       ratings         ? " ratings.csv"
                       : program.graph ? " known:karate"
                                       : "");
}

}  // namespace

Result<std::string> help_text(const Command& command, std::span<const std::string> arguments) {
  const bool runs = (command.groups & kRun) != 0;
  if (runs && !arguments.empty()) {
    LEEWAY_ASSIGN(const ListedProgram* const program, program_called(arguments.front()));
    return program_help(*program);
  }
  std::string text = format("usage: {}\n\n{}\n", usage(command), command.description);
  if (!command.arguments.empty()) text += "\narguments:\n";
  for (const Argument& argument : command.arguments)
    text += format("  {:<20} {}\n", argument.name, argument.help);
  if (runs) {
    text += run_lines(command);
  } else {
    text += "\nflags:\n";
    for (const Setting& setting : settings()) {
      if ((setting.group & command.groups) != 0) text += setting_line(setting);
    }
    text += common_lines();
    if ((command.groups & kLoad) != 0) text += spec_lines();
  }
  return text + format("\nexample:\n  {}\n", command.example);
}

Status write_documents(const std::string& folder) {
  LEEWAY_TRY(write_document(folder + "/leeway.1", man_page()));
  for (const Command& command : commands()) {
    LEEWAY_TRY(write_document(format("{}/leeway-{}.1", folder, command.name), man_page(command)));
  }
  LEEWAY_TRY(write_document(folder + "/leeway.bash", bash_completion()));
  LEEWAY_TRY(write_document(folder + "/_leeway", zsh_completion()));
  return write_document(folder + "/leeway.fish", fish_completion());
}

}  // namespace leeway::cli
