#include "leeway/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"

namespace leeway::cli {

namespace {

/// What CLI11 writes to while it parses.
struct Caught {
  std::map<const Setting*, std::string> values;
  std::map<const Setting*, bool> switches;
  std::vector<std::string> arguments;
};

void declare(CLI::App& app, const Command& command, CommandLine& line, Caught& caught) {
  for (const Setting& setting : settings()) {
    if ((setting.group & command.groups) == 0) continue;
    std::string flag = "--" + std::string(setting.name);
    if (setting.name == "nodes") flag = "-n," + flag;
    if (setting.value.empty()) {
      app.add_flag(flag, caught.switches[&setting]);
    } else {
      app.add_option(flag, caught.values[&setting])
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
  app.add_option("--config", line.config)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_flag("-h,--help", line.help);
  app.add_option("arguments", caught.arguments);
}

std::string usage_remedy(const Command* command) {
  return command == nullptr ? "see leeway --help" : format("see leeway {} --help", command->name);
}

Error unknown_flag(const Command& command, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  if (const auto now = renamed(name.substr(name.find_first_not_of('-'))); !now.empty()) {
    return input_error(format("leeway {}", command.name), format("unknown flag '{}'", name),
                       format("it is called --{}", now));
  }
  std::vector<std::string> flags = {"--config", "--help"};
  for (const auto setting : setting_names(command.groups))
    flags.push_back("--" + std::string(setting));
  const std::vector<std::string_view> valid(flags.begin(), flags.end());
  std::string remedy = did_you_mean(name, valid);
  if (remedy.starts_with("valid:")) remedy = usage_remedy(&command);
  return input_error(format("leeway {}", command.name), format("unknown flag '{}'", name), remedy);
}

Status check_arguments(const Command& command, std::span<const std::string> given) {
  for (std::size_t i = given.size(); i < command.arguments.size(); ++i) {
    if (command.arguments[i].optional) continue;
    return fail(input_error(format("leeway {}", command.name),
                            format("{} is missing", command.arguments[i].name),
                            format("for example: {}", command.example)));
  }
  const bool many = !command.arguments.empty() && command.arguments.back().many;
  if (!many && given.size() > command.arguments.size()) {
    return fail(input_error(format("leeway {}", command.name),
                            format("unexpected argument '{}'", given[command.arguments.size()]),
                            usage_remedy(&command)));
  }
  return {};
}

Status parse_flags(std::span<const char* const> words, CommandLine& line) {
  const Command& command = *line.command;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Caught caught;
  declare(app, command, line, caught);
  // What follows -- is not ours to read.
  const auto end = std::find(words.begin(), words.end(), std::string_view("--"));
  const std::vector<std::string> as_they_are(end == words.end() ? end : end + 1, words.end());
  std::vector<std::string> reversed(words.begin(), end);
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::Error& error) {
    return fail(
        input_error(format("leeway {}", command.name), error.what(), usage_remedy(&command)));
  }
  for (const std::string& extra : app.remaining()) {
    if (extra.starts_with("-") && extra.size() > 1) return fail(unknown_flag(command, extra));
    caught.arguments.push_back(extra);
  }
  for (auto& [setting, value] : caught.values) {
    if (app.count("--" + std::string(setting->name)) > 0) line.flags.emplace_back(setting, value);
  }
  for (const auto& [setting, on] : caught.switches) {
    if (app.count("--" + std::string(setting->name)) > 0)
      line.flags.emplace_back(setting, on ? "true" : "false");
  }
  line.arguments = std::move(caught.arguments);
  line.arguments.insert(line.arguments.end(), as_they_are.begin(), as_they_are.end());
  if (line.help) return {};
  return check_arguments(command, line.arguments);
}

}  // namespace

Result<CommandLine> parse_command_line(std::span<const char* const> arguments) {
  CommandLine line;
  if (arguments.empty()) {
    return fail(input_error("leeway", "no command given", "see leeway --help"));
  }
  const std::string_view first = arguments.front();
  const auto rest = arguments.subspan(1);
  if (first == "--help" || first == "-h" || first == "help") {
    line.help = true;
    if (!rest.empty()) line.command = find_command(rest.front());
    if (rest.empty() || line.command != nullptr) return line;
    return fail(input_error("leeway", format("unknown command '{}'", rest.front()),
                            did_you_mean(rest.front(), command_names())));
  }
  if (first == "--version") {
    line.version = true;
    return line;
  }
  if (first == "--generate-documents" && rest.size() == 1) {
    line.documents = rest.front();
    return line;
  }
  line.command = find_command(first);
  if (line.command == nullptr) {
    const bool flag = first.starts_with("-");
    return fail(input_error("leeway", format("unknown {} '{}'", flag ? "flag" : "command", first),
                            flag ? "flags come after the command; see leeway --help"
                                 : did_you_mean(first, command_names())));
  }
  LEEWAY_TRY(parse_flags(rest, line));
  return line;
}

}  // namespace leeway::cli
