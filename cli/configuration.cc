#include "leeway/cli/configuration.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/cli/command.h"

namespace leeway::cli {

namespace {

constexpr std::string_view kPrefix = "LEEWAY_";
constexpr std::size_t kLargestFile = std::size_t{1} << 20U;

std::string place(const std::string& name, const toml::source_region& source) {
  return format("{}:{}", name, source.begin.line);
}

Result<std::string> value_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* flag = node.as_boolean()) return std::string(flag->get() ? "true" : "false");
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* real = node.as_floating_point()) return format("{}", real->get());
  return fail(input_error(where, "the value is neither a string, a number nor true or false",
                          "give one plain value"));
}

/// `table`: the command whose table it stands in; null: in none, so it speaks to every command.
Status apply_pair(const toml::key& key, const toml::node& node, const std::string& name,
                  const Command* table, bool meant, Options& options) {
  const std::string where = place(name, key.source());
  const Setting* setting = find_setting(key.str());
  if (setting == nullptr && !renamed(key.str()).empty()) {
    return fail(input_error(where, format("unknown key '{}'", key.str()),
                            format("it is called '{}'", renamed(key.str()))));
  }
  if (setting == nullptr) {
    std::vector<std::string_view> valid = setting_names(~0U);
    for (const Command& command : commands()) valid.push_back(command.name);
    return fail(
        input_error(where, format("unknown key '{}'", key.str()), did_you_mean(key.str(), valid)));
  }
  if (table != nullptr && (setting->group & table->groups) == 0) {
    return fail(
        input_error(where, format("leeway {} has no setting '{}'", table->name, key.str()),
                    format("leave it out, or put it into the table of a command that has it; "
                           "see leeway {} --help",
                           table->name)));
  }
  LEEWAY_ASSIGN(const std::string value, value_text(node, where));
  Options elsewhere;
  return apply_setting(*setting, value, where, meant ? options : elsewhere, table == nullptr);
}

/// TOML has letters beyond ASCII in strings and comments only. The parser (toml++ 3.3) relies on that where
/// it tells blanks apart, so it is checked here, line by line: a configuration has no need of strings that
/// go on over lines.
Status check_letters(std::string_view text, const std::string& name) {
  char quote = 0;
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      quote = 0;
      ++line;
    } else if (quote == '#') {
      continue;
    } else if (quote != 0) {
      if (c == '\\' && quote == '"' && text.substr(i + 1, 1) != "\n") ++i;
      if (c == quote) quote = 0;
    } else if (text.substr(i, 3) == R"(""")" || text.substr(i, 3) == "'''") {
      return fail(input_error(format("{}:{}", name, line), "a string that may go on over lines",
                              "put its text between single marks, on one line"));
    } else if (c == '"' || c == '\'' || c == '#') {
      quote = c;
    } else if (static_cast<unsigned char>(c) >= 0x80 &&
               !(i < 3 && text.starts_with("\xef\xbb\xbf"))) {
      return fail(input_error(format("{}:{}", name, line), "a letter beyond ASCII outside quotes",
                              "put the text it belongs to in quotes"));
    }
  }
  return {};
}

/// LEEWAY_LOG_LEVEL → log-level
std::string setting_name(std::string_view variable) {
  std::string name(variable.substr(kPrefix.size()));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(c == '_' ? '-' : std::tolower(c));
  });
  return name;
}

std::string variable_name(std::string_view setting) {
  std::string name(kPrefix);
  for (const char c : setting) {
    name += static_cast<char>(c == '-' ? '_' : std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::string unknown_variable_remedy(std::string_view variable) {
  std::vector<std::string> names = {"LEEWAY_CONFIG"};
  for (const Setting& setting : settings()) names.push_back(variable_name(setting.name));
  const std::vector<std::string_view> valid(names.begin(), names.end());
  return did_you_mean(variable, valid);
}

}  // namespace

Status apply_configuration(std::string_view text, const std::string& name, std::string_view command,
                           Options& options) {
  LEEWAY_TRY(check_letters(text, name));
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(input_error(place(name, error.source()), std::string(error.description()),
                            "write it as TOML: key = value"));
  }
  // What is meant for all commands comes first, so that a command's own table stands above it.
  for (const auto& [key, node] : parsed.table()) {
    if (!node.is_table()) LEEWAY_TRY(apply_pair(key, node, name, nullptr, true, options));
  }
  for (const auto& [key, node] : parsed.table()) {
    const toml::table* table = node.as_table();
    if (table == nullptr) continue;
    const Command* const whose = find_command(key.str());
    if (whose == nullptr) {
      return fail(input_error(place(name, key.source()), format("unknown table [{}]", key.str()),
                              did_you_mean(key.str(), command_names())));
    }
    for (const auto& [inner, value] : *table) {
      LEEWAY_TRY(apply_pair(inner, value, name, whose, whose->name == command, options));
    }
  }
  return {};
}

Status apply_configuration_file(const std::string& path, std::string_view command,
                                Options& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(input_error(path, "cannot be opened", "name a readable TOML file after --config"));
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad())
    return fail(input_error(path, "cannot be read", "name a TOML file, not a folder"));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) {
    return fail(input_error(path, "is larger than 1 MiB", "name a file of settings, not of data"));
  }
  return apply_configuration(text, path, command, options);
}

std::string configuration_path_from(const char* const* environment) {
  constexpr std::string_view kVariable = "LEEWAY_CONFIG=";
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (entry.starts_with(kVariable)) return std::string(entry.substr(kVariable.size()));
  }
  return {};
}

Status apply_environment(const char* const* environment, Options& options) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const auto equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view variable = entry.substr(0, equals);
    // The configuration file is found first; the data folder speaks to the tests.
    if (variable == "LEEWAY_CONFIG" || variable == "LEEWAY_DATA") continue;
    const Setting* setting = find_setting(setting_name(variable));
    if (setting == nullptr && !renamed(setting_name(variable)).empty()) {
      return fail(
          input_error(std::string(variable), "unknown variable",
                      format("it is called {}", variable_name(renamed(setting_name(variable))))));
    }
    if (setting == nullptr) {
      return fail(input_error(std::string(variable), "unknown variable",
                              unknown_variable_remedy(variable)));
    }
    std::string_view value = entry.substr(equals + 1);
    if (setting->value.empty() && value == "1") value = "true";
    if (setting->value.empty() && value == "0") value = "false";
    LEEWAY_TRY(apply_setting(*setting, value, std::string(variable), options));
  }
  return {};
}

}  // namespace leeway::cli
