#include "cli/documents.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "cli/command.h"
#include "datasets/graph.h"

namespace leeway::cli {

namespace {

using Names = std::vector<std::string_view>;

Names program_names() {
  Names names;
  for (const Program& program : all_programs()) names.push_back(program.name);
  return names;
}

/// Completions of a command's first argument; empty: it is a file.
Names first_words(const Command& command) {
  if (command.name == "run") return program_names();
  if (command.name == "simulate") return simulation_names();
  if (command.name == "replay") return replay_names();
  if (command.name == "launch") return command_names();
  return {};
}

std::string values_of(const Setting& setting) {
  if (setting.value.empty()) return {};
  if (!setting.suggestions.empty()) return std::string(setting.suggestions);
  return format("{}", fmt::join(setting.type.choices, " "));
}

/// Formats "--one --other --config --help".
std::string flags_of(const Names& names) {
  std::string text;
  for (const std::string_view name : names) text += format("--{} ", name);
  return text + "--config --help";
}

Names names_of_settings(const Program& program) {
  Names names;
  for (const Setting* setting : settings_of(program)) names.push_back(setting->name);
  return names;
}

/// The branches of a shell's `case`: one per command; for run and simulate, one per program. `second`: the shell's
/// expression for the word after the command.
std::string flag_cases(std::string_view second) {
  std::string text;
  for (const Command& command : commands()) {
    if ((command.groups & kRun) == 0) {
      text += format("      {}) words='{}' ;;\n", command.name,
                     flags_of(setting_names(command.groups)));
      continue;
    }
    text += format("      {}) case {} in\n", command.name, second);
    for (const Program& program : all_programs())
      text += format("          {}) words='{}' ;;\n", program.name,
                     flags_of(names_of_settings(program)));
    text += format("          *) words='{}' ;;\n        esac ;;\n",
                   flags_of(setting_names(command.groups)));
  }
  return text;
}

std::string argument_cases() {
  std::string text;
  for (const Command& command : commands()) {
    const Names words = first_words(command);
    if (!words.empty())
      text += format("      {}) words='{}' ;;\n", command.name, fmt::join(words, " "));
  }
  return text;
}

std::string value_cases() {
  std::string text;
  for (const Setting& setting : settings()) {
    const std::string values = values_of(setting);
    if (!values.empty()) text += format("    --{}) words='{}' ;;\n", setting.name, values);
  }
  return text;
}

std::string fish_flags(std::string_view condition, const Names& names) {
  std::string text;
  for (const std::string_view name : names) {
    const Setting* const setting = find_setting(name);
    const std::string values = values_of(*setting);
    text += format("complete -c leeway -n {} -l {}", shell_quoted(condition), name);
    if (!values.empty()) text += format(" -x -a {}", shell_quoted(values));
    if (values.empty() && !setting->value.empty()) text += " -r";
    text += format(" -d {}\n", shell_quoted(setting->help));
  }
  return text;
}

std::size_t programs_that_take(const Setting& setting) {
  const auto all = all_programs();
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Program& program) { return may_apply(setting, program); }));
}

}  // namespace

std::vector<const Setting*> settings_of(const Program& program) {
  std::vector<const Setting*> all;
  for (const Setting& setting : settings()) {
    if ((setting.group & find_command("run")->groups) != 0 && may_apply(setting, program))
      all.push_back(&setting);
  }
  std::stable_sort(all.begin(), all.end(), [](const Setting* one, const Setting* other) {
    return programs_that_take(*one) < programs_that_take(*other);
  });
  return all;
}

namespace {

std::string bash_completion() {
  std::string text =
      "# Completion of the leeway command for bash, made by the build.\n"
      "_leeway() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  text +=
      format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n",
             fmt::join(command_names(), " "));
  text += "  case $before in\n" + value_cases() + "  esac\n";
  text += "  if [ -z \"$words\" ] && [[ $word == -* ]]; then\n    case ${COMP_WORDS[1]} in\n" +
          flag_cases("${COMP_WORDS[2]}") + "    esac\n";
  text +=
      "  elif [ -z \"$words\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n    case ${COMP_WORDS[1]} "
      "in\n" +
      argument_cases() + "    esac\n  fi\n";
  return text +
         "  if [ -n \"$words\" ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
         "}\ncomplete -o filenames -F _leeway leeway\n";
}

std::string zsh_completion() {
  // zsh reserves the variable `words`.
  const auto in_list = [](std::string cases) {
    constexpr std::string_view kOurs = " words='";
    constexpr std::string_view kTheirs = " list='";
    for (std::size_t at = cases.find(kOurs); at != cases.npos; at = cases.find(kOurs, at))
      cases.replace(at, kOurs.size(), kTheirs);
    return cases;
  };
  std::string text =
      "#compdef leeway\n"
      "# Completion of the leeway command for zsh, made by the build.\n"
      "_leeway() {\n"
      "  local given=${words[CURRENT]} before=${words[CURRENT-1]} command=${words[2]} "
      "second=${words[3]}\n"
      "  local place=$CURRENT list=\n"
      "  if (( place == 2 )); then\n    local -a all=(\n";
  for (const Command& command : commands())
    text += format("      {}\n", shell_quoted(format("{}:{}", command.name, command.summary)));
  text += "    )\n    _describe command all\n    compadd -- --help --version\n    return\n  fi\n";
  text += "  case $before in\n" + in_list(value_cases()) + "  esac\n";
  text += "  if [[ -z $list && $given == -* ]]; then\n    case $command in\n" +
          in_list(flag_cases("$second")) + "    esac\n";
  text += "  elif [[ -z $list ]] && (( place == 3 )); then\n    case $command in\n" +
          in_list(argument_cases()) + "    esac\n  fi\n";
  return text +
         "  if [[ -n $list ]]; then compadd -- ${=list}\n"
         "  else _files; fi\n"
         "}\n_leeway \"$@\"\n";
}

std::string fish_completion() {
  std::string text = "# Completion of the leeway command for fish, made by the build.\n";
  constexpr std::string_view kFirst = "__fish_use_subcommand";
  for (const Command& command : commands())
    text += format("complete -c leeway -f -n {} -a {} -d {}\n", kFirst, command.name,
                   shell_quoted(command.summary));
  text += format("complete -c leeway -f -n {} -l version -d 'print the version'\n", kFirst);
  for (const Command& command : commands()) {
    const std::string within = format("__fish_seen_subcommand_from {}", command.name);
    if (const Names words = first_words(command); !words.empty()) {
      text +=
          format("complete -c leeway -n '{}; and test (count (commandline -opc)) -eq 2' -a '{}'\n",
                 within, fmt::join(words, " "));
    }
    text += fish_flags(within, setting_names(command.groups));
    text += format(
        "complete -c leeway -n '{}' -l config -r -d 'read settings from a TOML file first'\n",
        within);
  }
  return text + "complete -c leeway -l help -d 'print help'\n";
}

constexpr std::string_view kExitCodes =
    "0  success\n1  leeway check: the program violates a condition\n2  bad input or usage: a flag, "
    "a setting, a file with impossible content\n3  the "
    "machine refused: permissions, memory, disk, something missing\n4  another node of the job is "
    "lost or misbehaves\n5  the run was stopped: no progress within --patience iterations\n6  the "
    "result is complete, but some snapshots could not be written\n130, 143  ended by SIGINT, "
    "SIGTERM\n";

constexpr std::string_view kPrecedence =
    "Settings come from a TOML file (--config FILE or LEEWAY_CONFIG), then the environment "
    "(LEEWAY_LOG_LEVEL is --log-level), then flags; later sources override earlier ones. A setting "
    "without effect in a run causes a warning, and --strict refuses it; outside the tables of "
    "commands in a file, it is ignored where it does not apply.";

std::string usage(const Command& command) {
  // Words after "--" belong to another program.
  if ((command.groups & kLaunch) != 0) return "leeway launch -n N [FLAG...] -- COMMAND...";
  if ((command.groups & kSupervise) != 0) return "leeway supervise [FLAG...] -- COMMAND...";
  std::string text = format("leeway {}", command.name);
  for (const Argument& argument : command.arguments) {
    text += argument.optional ? format(" [{}]", argument.name) : format(" {}", argument.name);
    if (argument.many) text += "...";
  }
  return text + " [FLAG...]";
}

std::string flag_text(const Setting& setting) {
  const std::string_view letter = setting.name == "nodes" ? "-n, " : "";
  return setting.value.empty() ? format("--{}", setting.name)
                               : format("{}--{} {}", letter, setting.name, setting.value);
}

}  // namespace

std::string part_for(std::string_view text, std::string_view command) {
  if (command == "simulate") command = "run";
  std::vector<std::string> general;
  std::vector<std::string> own;
  std::string_view owner;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find("; ", at), text.size());
    std::string_view part = text.substr(at, end - at);
    at = end + 2;
    const std::string_view name = part.substr(0, part.find(": "));
    if (name.size() < part.size() && find_command(name) != nullptr) {
      owner = name;
      part.remove_prefix(name.size() + 2);
    }
    if (owner.empty()) general.emplace_back(part);
    if (owner == command) own.emplace_back(part);
  }
  return format("{}", fmt::join(own.empty() ? general : own, "; "));
}

namespace {

/// The help of a setting, for one command.
std::string setting_help(const Setting& setting, std::string_view command) {
  std::string text = part_for(setting.help, command);
  if (!setting.value.empty() && !setting.type.choices.empty())
    text += format(": {}", fmt::join(setting.type.choices, ", "));
  const std::string fallback = part_for(setting.fallback, command);
  return fallback.empty() ? text : text + format(" (default: {})", fallback);
}

/// Escapes dashes, which roff would turn into hyphens that cannot be copied, and leading dots, which are requests.
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
    text += format(".TP\n.B {}\n{}\n", roff(flag_text(setting)),
                   roff(setting_help(setting, command.name)));
    if ((command.groups & kRun) != 0 && !setting.applies_to.empty())
      text += format("Applies to {}.\n", roff(where_it_applies(setting)));
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
  text += "\n  leeway COMMAND --help describes a command; leeway --version prints the version\n";
  text += "\nexample:\n  leeway info known:karate\n";
  text += format("\n{}\n", kPrecedence);
  return text + "\nexit codes:\n" + std::string(kExitCodes);
}

std::string setting_line(const Setting& setting, std::string_view command) {
  constexpr std::size_t kWidth = 100;
  constexpr std::size_t kIndent = 23;
  const std::string help = setting_help(setting, command);
  std::string text = format("  {:<20} ", flag_text(setting));
  std::size_t column = text.size();
  for (const std::string_view word : split(help, ' ')) {
    if (column + word.size() > kWidth && column > kIndent) {
      text.back() = '\n';  // in place of the blank
      text += std::string(kIndent, ' ');
      column = kIndent;
    }
    text += word;
    text += ' ';
    column += word.size() + 1;
  }
  text.back() = '\n';
  return text;
}

std::string common_lines() {
  return format("  {:<20} {}\n  {:<20} {}\n", "--config FILE",
                "read settings from a TOML file first", "--help, --help-all",
                "this text; all flags");
}

namespace {

std::string spec_lines() {
  std::string text = "\nspecs:\n";
  for (const GraphSpecInfo& spec : graph_specs())
    text += format("  {:<36} {}\n", spec.form, spec.summary);
  return text;
}

/// The settings of every run, and a reference to the program's help for the others.
std::string run_lines(const Command& command) {
  std::string text = "\nflags of every run:\n";
  for (const Setting& setting : settings()) {
    if ((setting.group & command.groups) != 0 &&
        programs_that_take(setting) == all_programs().size())
      text += setting_line(setting, command.name);
  }
  text += common_lines() + "\nFor the flags of a program and its engines: leeway " +
          std::string(command.name) + " PROGRAM --help\n\nprograms:\n";
  for (const Program& program : all_programs()) {
    if (command.name != "simulate" || !program.on_graph())
      text += format("  {:<20} {}\n", program.name, program.summary);
  }
  return text;
}

std::string program_head(const Program& program) {
  std::vector<std::string_view> names;
  for (const EngineRun& run : program.engines) names.push_back(engine_info(run.engine).name);
  return format("usage: leeway run {}{} [FLAG...]\n\n{}: {}. Engines, the default first: {}.\n",
                program.name, program.on_graph() ? " GRAPH" : "", program.name, program.summary,
                fmt::join(names, ", "));
}

std::string program_example(const Program& program) {
  std::string_view graph = example_graph(program.input);
  return format("\nexample:\n  leeway run {}{}{} --nodes 4\n", program.name,
                graph.empty() ? "" : " ", graph);
}

}  // namespace

namespace {

/// The program's own settings and the usual ones.
std::string short_program_help(const Program& program) {
  std::string own;
  std::string usual;
  std::size_t others = 0;
  for (const Setting* setting : settings_of(program)) {
    if (setting->roles.has(kUsual)) {
      usual += setting_line(*setting, "run");
    } else if (names_program(*setting, program)) {
      own += setting_line(*setting, "run");
    } else {
      ++others;
    }
  }
  std::string text = program_head(program);
  if (!own.empty()) text += format("\nflags of {}:\n{}", program.name, own);
  text += "\nusual flags:\n" + usual + common_lines();
  text +=
      format("\n{} more: leeway run {} --help-all. Modes and schedulers: leeway modes.{}\n", others,
             program.name, program.on_graph() ? " Graph specs: leeway generate --help." : "");
  return text + program_example(program);
}

std::string program_help(const Program& program) {
  const std::size_t graphs =
      static_cast<std::size_t>(std::count_if(all_programs().begin(), all_programs().end(),
                                             [](const auto& each) { return each.on_graph(); }));
  std::string text = program_head(program) + format("\nflags of {}:\n", program.name);
  std::size_t section = 0;
  for (const Setting* setting : settings_of(program)) {
    const std::size_t by = programs_that_take(*setting);
    const std::size_t now = by == all_programs().size() ? 2 : by >= graphs ? 1 : 0;
    if (now > section)
      text += now == 1 ? "\nflags of programs on a graph:\n" : "\nflags of every run:\n";
    section = now;
    text += setting_line(*setting, "run");
    // The setting may apply on some of the program's engines only.
    if (const std::string scope = where_it_applies(*setting, &program);
        scope.find("--") != std::string::npos)
      text += format("  {:<20} (applies to {})\n", "", scope);
  }
  text += common_lines();
  if (program.on_graph()) text += spec_lines();
  return text + program_example(program);
}

}  // namespace

Result<std::string> help_text(const Command& command, std::span<const std::string> arguments,
                              bool all) {
  const bool runs = (command.groups & kRun) != 0;
  if (runs && !arguments.empty()) {
    LEEWAY_ASSIGN(const Program* const program, program_called(arguments.front()));
    return all ? program_help(*program) : short_program_help(*program);
  }
  std::string text = format("usage: {}\n\n{}\n", usage(command), command.description);
  if (!command.arguments.empty()) text += "\narguments:\n";
  for (const Argument& argument : command.arguments)
    text += format("  {:<20} {}\n", argument.name, argument.help);
  if (runs && !all) {
    text += run_lines(command);
  } else {
    text += "\nflags:\n";
    for (const Setting& setting : settings()) {
      if ((setting.group & command.groups) != 0) text += setting_line(setting, command.name);
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
