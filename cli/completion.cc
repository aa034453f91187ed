#include "leeway/cli/completion.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/cli/command.h"

namespace leeway::cli {

namespace {

using Words = std::vector<std::string_view>;

/// What may stand for values that cannot all be listed.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kUsual = {
    {{"consistency", "scp scp+rw scp+pb stale-1 stale-2 stale-3 rcp rcp+push"},
     {"net", "ideal infiniband gigabit ec2"}}};

Words program_names() {
  Words names;
  for (const ListedProgram& program : program_list()) names.push_back(program.info->name);
  return names;
}

/// The words that complete a command's first argument; none if that is a file.
Words first_words(const Command& command) {
  if (command.name == "run") return program_names();
  if (command.name == "simulate") return simulation_names();
  if (command.name == "replay") return replay_names();
  if (command.name == "launch") return command_names();
  return {};
}

std::string values_of(const Setting& setting) {
  if (setting.value.empty()) return {};
  for (const auto& [name, words] : kUsual)
    if (name == setting.name) return std::string(words);
  return format("{}", fmt::join(setting.type.choices, " "));
}

/// "--one --other --config --help"
std::string flags_of(const Words& names) {
  std::string text;
  for (const std::string_view name : names) text += format("--{} ", name);
  return text + "--config --help";
}

Words names_of_settings(const ListedProgram& program) {
  Words names;
  for (const Setting* setting : settings_of(program)) names.push_back(setting->name);
  return names;
}

/// A `case` of the shells that have one: a line a command, and after run and simulate one a program.
/// `second`: the word after the command.
std::string flag_cases(std::string_view second) {
  std::string text;
  for (const Command& command : commands()) {
    if ((command.groups & kRun) == 0) {
      text += format("      {}) words='{}' ;;\n", command.name,
                     flags_of(setting_names(command.groups)));
      continue;
    }
    text += format("      {}) case {} in\n", command.name, second);
    for (const ListedProgram& program : program_list())
      text += format("          {}) words='{}' ;;\n", program.info->name,
                     flags_of(names_of_settings(program)));
    text += format("          *) words='{}' ;;\n        esac ;;\n",
                   flags_of(setting_names(command.groups)));
  }
  return text;
}

std::string argument_cases() {
  std::string text;
  for (const Command& command : commands()) {
    const Words words = first_words(command);
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

/// Within single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  }
  return safe + "'";
}

std::string fish_flags(std::string_view condition, const Words& names) {
  std::string text;
  for (const std::string_view name : names) {
    const Setting* const setting = find_setting(name);
    const std::string values = values_of(*setting);
    text += format("complete -c leeway -n {} -l {}", quoted(condition), name);
    if (!values.empty()) text += format(" -x -a {}", quoted(values));
    if (values.empty() && !setting->value.empty()) text += " -r";
    text += format(" -d {}\n", quoted(setting->help));
  }
  return text;
}

}  // namespace

std::size_t programs_that_take(const Setting& setting) {
  const auto all = program_list();
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(),
                    [&](const ListedProgram& program) { return may_apply(setting, program); }));
}

std::vector<const Setting*> settings_of(const ListedProgram& program) {
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
  // `words` is zsh's own name there.
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
    text += format("      {}\n", quoted(format("{}:{}", command.name, command.summary)));
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
                   quoted(command.summary));
  text += format("complete -c leeway -f -n {} -l version -d 'name this build'\n", kFirst);
  for (const Command& command : commands()) {
    const std::string within = format("__fish_seen_subcommand_from {}", command.name);
    if (const Words words = first_words(command); !words.empty()) {
      text +=
          format("complete -c leeway -n '{}; and test (count (commandline -opc)) -eq 2' -a '{}'\n",
                 within, fmt::join(words, " "));
    }
    text += fish_flags(within, setting_names(command.groups));
    text += format(
        "complete -c leeway -n '{}' -l config -r -d 'read settings from a TOML file first'\n",
        within);
  }
  return text + "complete -c leeway -l help -d 'say more'\n";
}

}  // namespace leeway::cli
