#include "cli/command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/applicability.h"
#include "app/job_agreement.h"
#include "app/output.h"
#include "base/format.h"
#include "cli/documents.h"
#include "datasets/byte_stream.h"

namespace leeway::cli {

namespace {

const Argument kGraph{
    "GRAPH", "a graph file, - for standard input, or a spec such as kron:14:16 or known:karate"};
const std::vector<Command> kCommands = {
    {"run",
     "run a program on a graph, on one or more nodes",
     "Runs a program until its values converge. The nodes are threads of this process, processes "
     "that a launcher started, or simulated in virtual time. `leeway programs` lists the programs. "
     "Prints a summary; --out writes one line per vertex, with its name and value.",
     "leeway run pagerank known:karate --nodes 4 --fabric sim --consistency rcp",
     kRunGroups,
     {{"PROGRAM", "the program; leeway run PROGRAM --help lists its settings"},
      {"GRAPH", "as --graph", true}},
     run_run},
    {"simulate",
     "run a simulation of fish, bodies or heat",
     "Runs a simulation: a school of fish (fish), also with food (fish-food), bodies that attract "
     "each other (nbody), or heat "
     "on a plate (jacobi). Same as leeway run with that program.",
     "leeway simulate fish --nodes 4 --fabric sim --frames film.json",
     kRunGroups,
     {{"PROGRAM",
       "fish, fish-food, nbody or jacobi; leeway simulate PROGRAM --help lists its settings"}},
     run_simulate},
    {"info",
     "show the properties of a graph",
     "Reads a graph and prints its size, direction, weights, degrees and memory.",
     "leeway info known:karate",
     kCommon | kLoad | kJson,
     {kGraph},
     run_info},
    {"convert",
     "convert a graph to another format",
     "Reads a graph and writes it in the format given by the output's suffix; a further suffix "
     ".gz, .zst or .xz compresses it.",
     "leeway convert web.txt.zst web.lwg",
     kCommon | kLoad | kJson | kWrite | kOutput,
     {kGraph, {"OUT", "the file to write; - for standard output"}},
     run_convert},
    {"generate",
     "generate a graph from a spec",
     "Writes a generated graph. The same spec and seed give the same graph on any number of "
     "threads.",
     "leeway generate kron:16:16 kron16.lwg --seed 7",
     kCommon | kLoad | kJson | kWrite | kOutput,
     {{"SPEC", "what to generate; see below"}, {"OUT", "the file to write; - for standard output"}},
     run_generate},
    {"partition",
     "divide a graph into parts",
     "Divides a graph's vertices into N parts, reports the cut, the balance and each part's size, "
     "and writes one line per vertex, with its name and part. An output that ends in .lwg contains "
     "the whole graph, stored part by part.",
     "leeway partition known:karate 4 owners.txt --partition metis",
     kCommon | kLoad | kJson | kPartition | kOutput,
     {kGraph, {"N", "number of parts"}, {"OUT", "file for the owners; default: not written", true}},
     run_partition},
    {"plan",
     "estimate the memory that a graph needs",
     "Estimates the memory of each of N nodes for a graph, and the peak memory of loading and "
     "partitioning it.",
     "leeway plan kron:16:16 --nodes 8",
     kCommon | kLoad | kJson | kPartition | kPlan,
     {kGraph},
     run_plan},
    {"check",
     "test a PIE program for the conditions of asynchronous runs",
     "Runs a program of the pie engine under random schedules and reports whether it violates one "
     "of AAP's conditions, with a counterexample: T1, its values are from a finite domain; T2, "
     "IncEval moves results in one direction; T3, more messages never give a result that is behind "
     "the result of fewer. Under all three, every schedule gives the same answer. Exit code 1 if "
     "one is violated. Finding no counterexample proves nothing. Default of --partition: hash.",
     "leeway check sssp kron:8:8 --weights random",
     kCommon | kLoad | kJson | kPartition | kCheck,
     {{"PROGRAM", "a program of the pie engine"}, {"GRAPH", "as --graph", true}},
     run_check},
    {"replay",
     "regenerate and grade the papers' figures",
     "Measures a table or figure of a paper in a virtual cluster, in virtual seconds, and prints "
     "our numbers next to the paper's claims, each with a verdict by a fixed rule: agrees, same "
     "direction but another size, or disagrees. Every figure is run with five seeds and graded by "
     "their median. NAME is one figure, a group of figures, or all. " +
         replay_groups() +
         " The group loopback is measured in real time on threads of this machine. modes: the "
         "eight programs of ASPIRE's Table 1 under every mode, on one graph; optimizations: the "
         "same "
         "without each of ASPIRE's four optimizations; schedules: what leeway run does, by default "
         "and under every schedule, on three networks. Under mpiexec or leeway launch, these three "
         "measure real time. cache: time as a function of the cache size. The groups loopback and "
         "ours are not part of all. Figures of asytick use 256 workers by default; as part of all "
         "16, unless --full-scale is given. --out also writes a page for a browser.",
     "leeway replay modes --programs pagerank,sssp --out modes",
     kCommon | kJson | kReplay | kOutput,
     {{"NAME", "a figure, a group of figures, or all"},
      {.name = "GRAPH", .help = "a graph file or spec to replay on", .optional = true}},
     run_replay},
    {"compare",
     "compare reports of runs",
     "Compares the reports of several runs in a table. With --page FILE it also writes a page for "
     "a browser with times, convergence, staleness, messages and the activity of every node over "
     "time; the page needs no network. The first run is the baseline.",
     "leeway compare scp.json rcp.json --page comparison.html",
     kCommon | kJson | kCompare | kOutput,
     {{"REPORT", "a file written by leeway run --report; - for standard input", false, true}},
     run_compare},
    {"launch",
     "start a job of several processes",
     "Starts N processes of COMMAND on this machine or on the machines of --hosts and connects "
     "them over libfabric. COMMAND is a command of leeway or any program that joins a job. Ends "
     "when the last process has ended, with the exit code of the first that failed.",
     "leeway launch -n 2 -- run pagerank known:karate",
     kCommon | kLaunch,
     {{.name = "COMMAND",
       .help = "the command of every process, with its arguments, after --",
       .many = true}},
     run_launch},
    {"snapshot",
     "inspect the snapshots of a run",
     "Reads snapshots written by leeway run --snapshot. info shows job and progress of the newest "
     "snapshot in FOLDER; verify reads every snapshot completely and reports damaged ones; values "
     "prints one line per vertex, with the names of GRAPH if it is given. FOLDER may also be a "
     "single snapshot.",
     "leeway snapshot verify snapshots",
     kCommon | kJson,
     {{"ACTION", "info, verify or values"},
      {"FOLDER", "a folder of snapshots, or one snapshot"},
      {"GRAPH", "values: the graph, for vertex names; default: numbers from 0", true}},
     run_snapshot},
    {"supervise",
     "restart a job when it fails",
     "Runs COMMAND, which takes snapshots with --snapshot FOLDER, and restarts it with --resume "
     "FOLDER when it fails, unless its input or usage is wrong: at most --restarts times, after a "
     "pause that doubles. COMMAND is a command of leeway, or mpiexec or another launcher with "
     "leeway run as its last part. Ends with the job's exit code.",
     "leeway supervise -- run pagerank known:karate --snapshot snapshots",
     kCommon | kSupervise,
     {{.name = "COMMAND",
       .help = "the command to run, with its arguments, after --",
       .many = true}},
     run_supervise},
    {"doctor",
     "examine this machine",
     "Examines cores, memory, huge pages, limits, MPI and its launcher, and libfabric's providers; "
     "reports problems and their remedies. Exits with 3 if a problem prevents runs over several "
     "processes.",
     "leeway doctor",
     kCommon | kJson,
     {},
     run_doctor},
    {"programs",
     "list the programs",
     "Lists the programs of this build, with their engines and results.",
     "leeway programs",
     kCommon | kJson,
     {},
     run_programs},
    {"modes",
     "list the modes of consistency and the schedulers",
     "Lists what --consistency and --scheduler accept: the modes of consistency, which define the "
     "values that a "
     "read may return, and the schedulers, which define how nodes wait for each other. leeway "
     "replay modes "
     "compares the modes on your graph.",
     "leeway modes",
     kCommon | kJson,
     {},
     run_modes},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto all = commands();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Command& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void name_own_program(std::vector<std::string>& words) {
  if (words.empty() || find_command(words.front()) == nullptr) return;
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  words.insert(words.begin(), error ? "leeway" : self.string());
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

}  // namespace leeway::cli

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/format.h"
#include "cli/command.h"

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

/// `table`: the command whose table contains the key; null: the key is outside all tables and shared by all commands.
/// `meant`: the setting applies to the current command; false: it is only checked.
Status apply_pair(const toml::key& key, const toml::node& node, const std::string& name,
                  const Command* table, bool meant, CommandOptions& options) {
  const std::string where = place(name, key.source());
  const Setting* setting = find_setting(key.str());
  if (setting == nullptr && !renamed(key.str()).empty()) {
    return fail(input_error(where, format("unknown key '{}'", key.str()),
                            format("it is called '{}'", renamed(key.str()))));
  }
  if (setting == nullptr) {
    std::vector<std::string_view> valid = setting_names(table == nullptr ? ~0U : table->groups);
    if (table == nullptr)
      for (const Command& command : commands()) valid.push_back(command.name);
    std::string remedy = did_you_mean(key.str(), valid);
    if (find_command(key.str()) != nullptr) remedy = format("a table is written [{}]", key.str());
    if (remedy.starts_with("valid:"))
      remedy = "keys are flags without dashes; leeway COMMAND --help lists them";
    return fail(input_error(where, format("unknown key '{}'", key.str()), remedy));
  }
  if (table != nullptr && (setting->group & table->groups) == 0) {
    return fail(
        input_error(where, format("leeway {} has no setting '{}'", table->name, key.str()),
                    format("leave it out, or put it into the table of a command that has it; "
                           "see leeway {} --help",
                           table->name)));
  }
  CommandOptions elsewhere;
  Status applied;
  if (const auto value = value_text(node, where); value)
    applied = apply_setting(*setting, *value, where, meant ? options : elsewhere, table == nullptr);
  else
    applied = fail(value.error());
  if (applied) return applied;
  Error error = std::move(applied).error();
  error.what = format("{} {}", key.str(), error.what);
  if (!error.what.starts_with(format("{} must be", key.str())))
    error.what.insert(key.str().size(), ":");
  return fail(std::move(error));
}

/// TOML allows non-ASCII letters in strings and comments only. The parser (toml++ 3.3) assumes this when it skips
/// blanks, so each line is checked before parsing. Strings over several lines are refused; a configuration does not
/// need them.
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
      return fail(input_error(format("{}:{}", name, line), "a string over several lines",
                              "put its text between single quotation marks, on one line"));
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

/// Converts LEEWAY_LOG_LEVEL to log-level.
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
  std::vector<std::string_view> valid = setting_names(~0U);
  valid.emplace_back("config");
  const std::string name = setting_name(variable);
  for (const std::string_view each : valid)
    if (is_near(name, each)) return format("did you mean {}?", variable_name(each));
  return "unset it; LEEWAY_NAME sets --name, and leeway COMMAND --help lists the flags";
}

}  // namespace

Status apply_configuration(std::string_view text, const std::string& name, std::string_view command,
                           CommandOptions& options) {
  LEEWAY_TRY(check_letters(text, name));
  const toml::parse_result parsed = toml::parse(text, name);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return fail(input_error(place(name, error.source()), std::string(error.description()),
                            "write it as TOML: key = value, with text in quotes"));
  }
  // Shared keys are applied first, so that a command's own table overrides them.
  for (const auto& [key, node] : parsed.table()) {
    if (!node.is_table()) LEEWAY_TRY(apply_pair(key, node, name, nullptr, true, options));
  }
  for (const auto& [key, node] : parsed.table()) {
    const toml::table* table = node.as_table();
    if (table == nullptr) continue;
    const Command* const owner = find_command(key.str());
    if (owner == nullptr) {
      return fail(input_error(place(name, key.source()), format("unknown table [{}]", key.str()),
                              did_you_mean(key.str(), command_names())));
    }
    for (const auto& [inner, value] : *table) {
      LEEWAY_TRY(apply_pair(inner, value, name, owner, owner->name == command, options));
    }
  }
  return {};
}

namespace {

Status apply_configuration_file(const std::string& path, std::string_view command,
                                CommandOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(input_error(path, "cannot be opened",
                            "--config and LEEWAY_CONFIG name a readable TOML file"));
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

/// The configuration file that the environment names; empty: none.
std::string configuration_path_from(const char* const* environment) {
  constexpr std::string_view kVariable = "LEEWAY_CONFIG=";
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    if (entry.starts_with(kVariable)) return std::string(entry.substr(kVariable.size()));
  }
  return {};
}

/// Applies LEEWAY_NAME variables of `environment`, which has the form of ::environ: LEEWAY_LOG_LEVEL sets
/// --log-level.
Status apply_environment(const char* const* environment, CommandOptions& options) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const auto equals = entry.find('=');
    if (!entry.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view variable = entry.substr(0, equals);
    // LEEWAY_CONFIG has been read already; LEEWAY_DATA names a folder of test data and is not a setting.
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

// A parsed command line: the command, its arguments, and its flags in order. Values are not interpreted. An unknown
// command or flag is an Input error that suggests the nearest name.
struct CommandLine {
  const Command* command = nullptr;
  std::vector<std::string> arguments;
  std::vector<std::pair<const Setting*, std::string>> flags;
  std::string config;     ///< --config FILE
  std::string documents;  ///< --generate-documents FOLDER, used by the build
  bool help = false;
  bool help_all = false;  ///< with every flag
  bool version = false;
};

/// Receives the values that CLI11 parses.
struct Caught {
  std::map<const Setting*, std::string> values;
  std::map<const Setting*, std::string> switches;  ///< "true" without a value
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
  app.add_flag("--help-all", line.help_all);
  app.add_option("arguments", caught.arguments);
}

std::string called(const Command& command) {
  return command.own.empty() ? format("leeway {}", command.name) : std::string(command.own);
}

std::string usage_remedy(const Command* command) {
  return format("see {} --help", command == nullptr ? "leeway" : called(*command));
}

const Setting* setting_of(const Command& command, std::string_view name) {
  const Setting* const setting = find_setting(name);
  return setting != nullptr && (setting->group & command.groups) != 0 ? setting : nullptr;
}

/// For a flag that is a plain argument of the command, how to write it; else empty.
std::string argument_called(const Command& command, const std::string& bare) {
  for (const Argument& argument : command.arguments) {
    const bool parts = command.name == "partition" && argument.name == "N";
    if (bare != lower_case(argument.name) && !(parts && (bare == "parts" || bare == "nodes")))
      continue;
    std::string usage = called(command);
    for (const Argument& each : command.arguments)
      usage += each.optional ? format(" [{}]", each.name) : format(" {}", each.name);
    return format("{} is an argument without a flag: {}", argument.name, usage);
  }
  return {};
}

/// What to write instead of an unknown flag; `bare` is lower-case and without dashes.
std::string flag_remedy(const Command& command, const std::string& bare) {
  if (const auto now = renamed(bare); setting_of(command, now) != nullptr)
    return format("it is called --{}", now);
  if (setting_of(command, bare) != nullptr) return format("write --{}", bare);
  if (bare == "version") return "leeway --version";
  if (bare.starts_with("no-")) {
    const Setting* const on = setting_of(command, bare.substr(3));
    if (on != nullptr && on->value.empty()) return format("--{}=false", on->name);
  }
  if (const auto argument = argument_called(command, bare); !argument.empty()) return argument;
  std::vector<std::string_view> valid = setting_names(command.groups);
  valid.insert(valid.end(), {"config", "help", "help-all"});
  // --force overwrites files: it is suggested only for words that begin like it.
  if (!bare.starts_with("for")) std::erase(valid, "force");
  std::string remedy = did_you_mean(bare, valid);
  if (remedy.starts_with("valid:")) return usage_remedy(&command);
  remedy.insert(remedy.find('\'') + 1, "--");
  return remedy;
}

Error unknown_flag(const Command& command, const std::string& given) {
  const std::string name = given.substr(0, given.find('='));
  const std::string bare = lower_case(name.substr(name.find_first_not_of('-')));
  return input_error(called(command), format("unknown flag '{}'", name),
                     flag_remedy(command, bare));
}

/// Several letters after one dash: -np is not -n with the value p.
Status check_dashes(const Command& command, std::span<const std::string> words) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const std::string* before = nullptr;
  for (const std::string& word : words) {
    const std::string* const flag = std::exchange(before, &word);
    if (word.size() < 3 || word[0] != '-' || !letter(word[1]) || !letter(word[2])) continue;
    const Setting* const takes =
        flag == nullptr || !flag->starts_with("--") ? nullptr : find_setting(flag->substr(2));
    if (takes == nullptr || takes->value.empty()) return fail(unknown_flag(command, word));
  }
  return {};
}

/// A word such as "no" after a switch, which takes its value after "=": "--verify no".
std::string switch_before(const Command& command, std::span<const std::string> words,
                          const std::string& word) {
  static constexpr std::array<std::string_view, 6> kWords = {"yes",   "no", "true",
                                                             "false", "on", "off"};
  if (std::find(kWords.begin(), kWords.end(), word) == kWords.end()) return {};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] != word || !words[i - 1].starts_with("--")) continue;
    const Setting* const on = setting_of(command, words[i - 1].substr(2));
    if (on != nullptr && on->value.empty()) return format("write {}={}", words[i - 1], word);
  }
  return {};
}

/// `leeway simulate` with a program on a graph, with or without its graph.
Status check_is_simulation(std::span<const std::string> given) {
  const Program* const program = given.empty() ? nullptr : find_program(given.front());
  if (program == nullptr || !program->on_graph()) return {};
  return fail(input_error(
      "leeway simulate", format("{} is a program on a graph", program->name),
      format("leeway run {}{}", fmt::join(given, " "), given.size() > 1 ? "" : " GRAPH")));
}

/// `words`: the command line that the arguments come from.
Status check_arguments(const Command& command, std::span<const std::string> given,
                       std::span<const std::string> words) {
  for (std::size_t i = given.size(); i < command.arguments.size(); ++i) {
    if (command.arguments[i].optional) continue;
    return fail(input_error(called(command), format("{} is missing", command.arguments[i].name),
                            format("for example: {}", command.example)));
  }
  if (command.name == "simulate") LEEWAY_TRY(check_is_simulation(given));
  const bool many = !command.arguments.empty() && command.arguments.back().many;
  if (!many && given.size() > command.arguments.size()) {
    const std::string& extra = given[command.arguments.size()];
    std::string remedy = switch_before(command, words, extra);
    if (remedy.empty()) remedy = usage_remedy(&command);
    return fail(
        input_error(called(command), format("unexpected argument '{}'", extra), std::move(remedy)));
  }
  return {};
}

/// The value of a switch as true or false, if it is one of the usual words for them.
std::string switch_value(const std::string& word) {
  if (word == "yes" || word == "on" || word == "1") return "true";
  if (word == "no" || word == "off" || word == "0") return "false";
  return word;
}

Error needs_value(const Setting& setting, std::string_view example) {
  return input_error(format("--{}", setting.name), "needs a value",
                     format("as in --{} {}", setting.name, example));
}

/// `text`: the parser's message, which begins with the flag.
Error missing_value(const Command& command, std::string_view text) {
  const std::string_view flag = text.substr(0, text.find(':'));
  const Setting* const setting = find_setting(flag.substr(flag.rfind("--") + 2));
  if (setting == nullptr)
    return input_error(called(command), format("{} needs a value", flag), usage_remedy(&command));
  if (!setting->type.choices.empty()) return needs_value(*setting, setting->type.choices.front());
  static constexpr std::array<std::array<std::string_view, 2>, 8> kExamples = {
      {{"N", "4"},
       {"K", "3"},
       {"VERTEX", "0"},
       {"FOLDER", "snapshots"},
       {"GRAPH", "kron:10"},
       {"BYTES", "8"},
       {"SECONDS", "5"},
       {"MODE", "rcp"}}};
  for (const auto& [placeholder, example] : kExamples)
    if (setting->value == placeholder) return needs_value(*setting, example);
  if (setting->value == "FILE") {
    return needs_value(*setting,
                       setting->name == "page" ? "page.html" : format("{}.txt", setting->name));
  }
  return input_error(format("--{}", setting->name), format("needs a value, {}", setting->value),
                     usage_remedy(&command));
}

Status parse_flags(std::span<const char* const> words, CommandLine& line) {
  const Command& command = *line.command;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Caught caught;
  declare(app, command, line, caught);
  // Words after "--" are arguments of another program and are not parsed.
  const auto end = std::find(words.begin(), words.end(), std::string_view("--"));
  const std::vector<std::string> as_they_are(end == words.end() ? end : end + 1, words.end());
  const std::vector<std::string> own(words.begin(), end);
  LEEWAY_TRY(check_dashes(command, own));
  std::vector<std::string> reversed = own;
  std::reverse(reversed.begin(), reversed.end());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ArgumentMismatch& error) {
    return fail(missing_value(command, error.what()));
  } catch (const CLI::Error& error) {
    return fail(input_error(called(command), error.what(), usage_remedy(&command)));
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
      line.flags.emplace_back(setting, switch_value(on));
  }
  line.arguments = std::move(caught.arguments);
  line.arguments.insert(line.arguments.end(), as_they_are.begin(), as_they_are.end());
  if (line.help || line.help_all) return {};
  return check_arguments(command, line.arguments, own);
}

Error unknown_command(std::string_view first, std::span<const char* const> rest) {
  if (first == "-v" || first == "-V" || first == "version" ||
      (first.starts_with("--") && is_near(first, "--version"))) {
    return input_error(
        "leeway", format("unknown {} '{}'", first.starts_with("-") ? "flag" : "command", first),
        "did you mean leeway --version?");
  }
  if (first.starts_with("-"))
    return input_error("leeway", format("unknown flag '{}'", first),
                       "flags come after the command; see leeway --help");
  if (const Program* const program = find_program(first)) {
    const std::string_view graph = rest.empty() ? "GRAPH" : std::string_view(rest.front());
    return input_error("leeway", format("'{}' is a program, not a command", first),
                       format("leeway run {}{}{}", first, program->on_graph() ? " " : "",
                              program->on_graph() ? graph : ""));
  }
  return input_error("leeway", format("unknown command '{}'", first),
                     did_you_mean(first, command_names()));
}

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
    return fail(unknown_command(first, rest));
  }
  LEEWAY_TRY(parse_flags(rest, line));
  return line;
}

Result<Invocation> settle_invocation(const CommandLine& line) {
  Invocation invocation;
  invocation.begun = SteadyClock().now();
  invocation.command = line.command;
  invocation.arguments = line.arguments;
  const std::string config = line.config.empty() ? configuration_path_from(::environ) : line.config;
  if (!config.empty()) {
    LEEWAY_TRY(apply_configuration_file(config, line.command->name, invocation.options));
  }
  LEEWAY_TRY(apply_environment(::environ, invocation.options));
  for (const auto& [setting, value] : line.flags) {
    LEEWAY_TRY(apply_setting(*setting, value, format("--{}", setting->name), invocation.options));
  }
  LEEWAY_TRY(settle(invocation.options));
  // For `leeway run` and `leeway check`, applicability depends on the program; they check it.
  if ((line.command->groups & kLoad) != 0 && (line.command->groups & (kRun | kCheck)) == 0)
    LEEWAY_TRY(decide_reading(line.command->groups, invocation.argument(0), invocation.options));
  return invocation;
}

/// Refuses values that no file and no variable can make valid.
Status check_values(const CommandLine& line) {
  CommandOptions scratch;
  for (const auto& [setting, value] : line.flags)
    LEEWAY_TRY(apply_setting(*setting, value, format("--{}", setting->name), scratch));
  return {};
}

/// Commands that work in one process; a launcher may have started several nevertheless.
bool runs_alone(const Command& command) {
  return (command.groups & (kRun | kReplay | kLaunch | kSupervise)) == 0 &&
         (command.groups & (kLoad | kOutput)) != 0;
}

/// `first_prints`: set while only the first process of a job prints an error: all have the same command line.
Result<int> run(std::span<const char* const> arguments, CommandBody* body, bool& first_prints) {
  first_prints = true;
  LEEWAY_ASSIGN(const CommandLine line, parse_command_line(arguments));
  if (line.command != nullptr && !line.help) LEEWAY_TRY(check_values(line));
  first_prints = false;
  if (line.help || line.help_all || line.version) {
    std::string text = line.version ? format("leeway {}\n", LEEWAY_VERSION) : help_text();
    if (line.command != nullptr) {
      LEEWAY_ASSIGN(text, help_text(*line.command, line.arguments, line.help_all));
    }
    LEEWAY_TRY(print(text));
    return 0;
  }
  if (!line.documents.empty()) {
    LEEWAY_TRY(write_documents(line.documents));
    return 0;
  }
  LEEWAY_ASSIGN(Invocation invocation, settle_invocation(line));
  invocation.words.assign(arguments.begin(), arguments.end());
  set_log_level(invocation.options.log_level);
  report_warnings(invocation.options);
  if (runs_alone(*line.command)) warn_of_others(called(*line.command));
  if ((line.command->groups & kOutput) != 0)
    protect_files(called(*line.command), invocation.options.force);
  return (body != nullptr ? body : line.command->run)(invocation);
}

}  // namespace

Result<OwnInvocation> read_own(const Command& command, std::span<const char* const> words) {
  CommandLine line;
  line.command = &command;
  LEEWAY_TRY(parse_flags(words, line));
  OwnInvocation own;
  own.help = line.help || line.help_all;
  if (own.help) return own;
  LEEWAY_ASSIGN(own.invocation, settle_invocation(line));
  return own;
}

int invoke(std::span<const char* const> arguments, CommandBody* body) {
  bool first_prints = false;
  const Result<int> outcome = guarded([&] { return run(arguments, body, first_prints); });
  if (outcome) return *outcome;
  if (!first_prints || started_by_launcher().self == 0)
    std::fprintf(stderr, "%s\n", outcome.error().to_string().c_str());
  return outcome.error().exit_code();
}

}  // namespace leeway::cli
