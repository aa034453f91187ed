#include "app/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <utility>

#include "app/applicability.h"
#include "app/settings.h"
#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "datasets/graph.h"

namespace leeway::app {

namespace {

using Value = std::string_view;
using Opt = CommandOptions;

Status read_log_level(CommandOptions& o, Value v) {
  LEEWAY_ASSIGN(o.log_level, parse_log_level(v));
  return {};
}

Status read_seed(CommandOptions& o, Value v) {
  LEEWAY_TRY(number<std::uint64_t>(v, 0, UINT64_MAX, o.load.seed));
  o.partition.seed = o.load.seed;
  return {};
}

Status read_network(CommandOptions& o, Value v) {
  LEEWAY_ASSIGN(o.network, parse_profile(v));
  return {};
}

std::string show_seed(const CommandOptions& o) { return format("{}", o.load.seed); }

std::string show_network(const CommandOptions& o) { return o.network ? o.network->name : ""; }

std::string show_iterations(const CommandOptions& o) {
  return o.iterations ? format("{}", *o.iterations) : "until convergence";
}

Status read_page(CommandOptions& o, Value v) {
  o.page = v == "none" ? "" : v;
  return {};
}

constexpr std::string_view kNothingRandom = "nothing in this run is random";
constexpr std::string_view kOneThread =
    "nodes compute on one thread each under --fabric sim and under asytick";

std::vector<Setting> common_settings() {
  return {
      Setting("quiet", "", "no progress on standard error", on_off<&Opt::quiet>(), kCommon,
              kIfGiven | kUsual | kPerProcess | kTerminal),
      Setting("log-level", "LEVEL", "how much to log on standard error",
              {.choices = {"trace", "debug", "info", "warning", "error", "off"},
               .read = read_log_level},
              kCommon, kIfGiven | kPerProcess, "warning"),
      Setting("strict", "", "refuse settings that have no effect instead of warning",
              on_off<&Opt::strict>(), kCommon, kIfGiven | kOwnCluster | kOwnPie | kOwnTick),
      Setting("json", "", "print JSON instead of a table", on_off<&Opt::json>(), kJson,
              kIfGiven | kUsual | kTerminal),
      Setting(
          "threads", "N",
          "threads for reading, generating and partitioning; run: compute threads per node, "
          "default: the machine's cores divided by its nodes; 1 for pie but its pagerank, asytick "
          "and --fabric sim",
          within<&Opt::load, &LoadOptions::threads>(1, 1024), kLoad | kReplay,
          kAlways | kOwnVertex | kOwnPie | kOwnTick | kOwnPiece | kUsual | kSummary | kPerProcess,
          "all cores",
          {{.engines = {EngineName::Vertex},
            .schedulers = kNotByPieces,
            .fabrics = kRealTime,
            .otherwise = kOneThread},
           {.engines = {EngineName::Pie, EngineName::Tick, EngineName::Piece},
            .fabrics = kRealTime,
            .otherwise = kOneThread}}),
      Setting("seed", "N", "seed of all random choices", {.read = read_seed, .show = show_seed},
              kLoad | kReplay,
              kAlways | kOwnVertex | kOwnPiece | kUsual | kOwnPie | kOwnTick | kOwnCluster, "1",
              {{.programs = takes<Parameter::Seed>, .otherwise = kNothingRandom},
               {.programs = takes<Parameter::SceneSeed>, .when = kDrawnScene},
               {.fabrics = {Fabric::Sim}, .otherwise = kNothingRandom},
               {.fabrics = {Fabric::Loopback}, .when = kDelays, .otherwise = kNothingRandom},
               {.on_graph = true, .when = kDrawnWeights, .otherwise = kNothingRandom},
               {.on_graph = true, .when = kDrawnGraph, .otherwise = kNothingRandom},
               {.on_graph = true, .when = kDrawnDivision, .otherwise = kNothingRandom}}),
  };
}

std::vector<Setting> replay_settings() {
  return {
      Setting("graph", "GRAPH", "the graph, instead of the argument GRAPH", text<&Opt::graph>(),
              kReplay | kRun, kNever | kMustApply | kTerminal,
              "none; replay: a social graph in the folder LEEWAY_DATA", kOnGraph),
      Setting(
          "net", "PROFILE",
          "network profile: delays of messages on --fabric sim, and in real time on loopback: "
          "ideal, "
          "infiniband, gigabit, ec2, custom:…",
          {.read = read_network, .show = show_network}, kReplay | kRun,
          kAlways | kOwnVertex | kOwnPiece | kUsual | kMustApply | kOwnPie | kOwnTick | kOwnCluster,
          "infiniband on sim, else ideal: no delays; replay: the figure's",
          {{.fabrics = {Fabric::Sim, Fabric::Loopback},
            .several = true,
            .otherwise = "delays are added on --fabric sim and loopback only"}},
          "ideal infiniband gigabit ec2"),
      Setting("iterations", "N", "exact number of sweeps, supersteps, passes or ticks",
              shown_by(within<&Opt::iterations>(1, 1'000'000'000), show_iterations), kReplay | kRun,
              kAlways | kOwnVertex | kOwnPiece | kUsual | kMustApply | kDecides | kOwnTick,
              "depends on the figure; run: until convergence; cdlp --ldbc 10; cf at most 100; "
              "engine tick 100, its pagerank 180",
              {{.engines = {EngineName::Vertex, EngineName::Tick, EngineName::Piece}},
               {.programs = takes<Parameter::Passes>}}),
      Setting(
          "out", "PATH",
          "replay: folder for each figure's numbers, as JSON and CSV; run: file for the values, in "
          "the format of its suffix: .txt, .csv, .tsv, .npy, .npz or .mtx; - is standard output",
          text<&Opt::out>(), kReplay | kRun, kNever | kUsual | kTerminal, "none"),
      Setting("programs", "LIST",
              "replay modes: a comma-separated list of cdlp, cc, coloring, paths, pagerank, sssp, "
              "heat and wave; replay schedules: of cc, coloring, pagerank, sssp and heat",
              words_of_list<&Opt::replayed_programs>(), kReplay, kIfGiven, "all"),
      Setting("schedulers", "LIST",
              "replay modes: additional schedulers, a comma-separated list of ap, ssp and aap; "
              "replay schedules: those to compare, and scp",
              words_of_list<&Opt::replayed_schedulers>(), kReplay, kIfGiven, "none"),
      Setting("seeds", "N",
              "replay: number of seeds, from --seed on; claims are graded by the median over them",
              within<&Opt::seeds>(1, 1000), kReplay, kIfGiven, "5; groups loopback and ours 1"),
      Setting("jobs", "N", "replay: number of seeds that are simulated at the same time",
              within<&Opt::jobs>(1, 256), kReplay, kIfGiven, "one for each core; loopback 1"),
      Setting(
          "full-scale", "",
          "replay all: run AsyTick's figures on 256 workers instead of 16; replay schedules: use "
          "graphs of 8,000 to 10,000 vertices",
          on_off<&Opt::full_scale>(), kReplay, kIfGiven),
  };
}

std::vector<Setting> launch_settings() {
  return {
      Setting("encrypt", "",
              "encrypt messages between nodes; without it they are authenticated only",
              on_off<&Opt::encrypt>(), kLaunch, kIfGiven),
      Setting("hosts", "FILE",
              "file with one host per line, optionally followed by its number of nodes",
              text<&Opt::hosts>(), kLaunch, kIfGiven, "this machine"),
      Setting("launcher", "CMD",
              "program that starts a command on a host, called as CMD HOST COMMAND",
              text<&Opt::launcher>(), kLaunch, kIfGiven),
      Setting("provider", "NAME", "libfabric provider; leeway doctor shows which ones work",
              text<&Opt::provider>(), kLaunch, kIfGiven | kPerProcess, "tcp;ofi_rxm"),
      Setting("rendezvous", "ADDRESS", "address of this machine at which the processes meet",
              text<&Opt::rendezvous>(), kLaunch, kIfGiven, "chosen by the hosts"),
      Setting(
          "spares", "K",
          "number of lost processes that are replaced, each by the next host of --hosts beyond "
          "the first N if there is one, else on the same host; the others keep their graph, and "
          "all resume from the newest snapshot of COMMAND",
          within<&Opt::spares>(0, 1'000'000), kLaunch, kIfGiven),
      Setting("schedules", "N", "number of random schedules", within<&Opt::schedules>(1, 1'000'000),
              kCheck, kIfGiven, "30"),
      Setting("verdict", "SECONDS", "silence after which a node is declared dead",
              within<&Opt::verdict_s>(0.1, 3600), kLaunch, kIfGiven | kPerProcess),
      Setting("restarts", "N", "maximum number of restarts", within<&Opt::restarts>(0, 1'000'000),
              kSupervise, kIfGiven),
      Setting(
          "pause", "SECONDS",
          "pause before the first restart; doubles up to a minute until there is a newer snapshot",
          within<&Opt::pause_s>(0, 3600), kSupervise, kIfGiven),
  };
}

std::vector<Setting> output_settings() {
  return {
      Setting("page", "FILE", "write a page for a browser", {.read = read_page}, kCompare, kIfGiven,
              "none"),
      Setting("force", "",
              "replace files that this command did not write, or that were changed since",
              on_off<&Opt::force>(), kOutput, kNever),
      Setting("to", "NAME", "the output's format", format_of<&Opt::to>(writable_formats()), kWrite,
              kIfGiven, "by the suffix"),
      Setting("value-size", "BYTES", "bytes per vertex that a program stores",
              within<&Opt::value_size>(1, 1U << 20U), kPlan, kIfGiven),
  };
}

/// The default value of a setting, as text.
std::string default_of(const Setting& setting, const CommandOptions& defaults) {
  LEEWAY_CHECK(setting.type.show != nullptr, setting.name);
  const std::string shown = setting.type.show(defaults);
  if (!setting.value.empty()) return shown;
  return shown == "yes" ? "on" : "off";
}

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> gathered = load_settings();
    for (auto more : {output_settings(), partition_settings(), run_settings(), replay_settings(),
                      launch_settings(), common_settings()}) {
      gathered.insert(gathered.end(), more.begin(), more.end());
    }
    const CommandOptions defaults;
    for (Setting& each : gathered) {
      LEEWAY_CHECK(each.roles.valid(), each.name);
      if (each.roles.has(kAlways)) LEEWAY_CHECK(each.type.show != nullptr, each.name);
      if (each.fallback.empty()) each.fallback = default_of(each, defaults);
    }
    return gathered;
  }();
  return all;
}

const Setting* find_setting(std::string_view name) {
  const auto all = settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string_view renamed(std::string_view name) {
  // Earlier names, and those of other tools.
  static constexpr std::array<std::array<std::string_view, 2>, 21> kNames = {{
      {"method", "partition"},
      {"ticks", "iterations"},
      {"iters", "iterations"},
      {"iter", "iterations"},
      {"max-iter", "iterations"},
      {"max-iters", "iterations"},
      {"max-iterations", "iterations"},
      {"tol", "tolerance"},
      {"eps", "tolerance"},
      {"epsilon", "tolerance"},
      {"np", "nodes"},
      {"ranks", "nodes"},
      {"procs", "nodes"},
      {"processes", "nodes"},
      {"mode", "consistency"},
      {"network", "net"},
      {"o", "out"},
      {"output", "out"},
      {"j", "threads"},
      {"num-threads", "threads"},
      {"src", "source"},
  }};
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each[0] == name; });
  return found == kNames.end() ? std::string_view() : (*found)[1];
}

std::vector<std::string_view> setting_names(unsigned groups) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings()) {
    if ((setting.group & groups) != 0) names.push_back(setting.name);
  }
  return names;
}

Status apply_setting(const Setting& setting, std::string_view value, std::string where,
                     CommandOptions& options, bool shared) {
  Status applied = setting.type.read(options, value);
  if (!applied) {
    Error error = std::move(applied).error();
    error.where = std::move(where);
    return fail(std::move(error));
  }
  std::erase_if(options.given, [&](const GivenSetting& each) { return each.setting == &setting; });
  options.given.push_back({&setting, std::string(value), std::move(where), shared});
  return {};
}

Result<CommandOptions> with_settings(const CommandOptions& from,
                                     std::span<const GivenSetting> given) {
  CommandOptions options;
  options.quiet = from.quiet;
  options.borrowed = from.borrowed;
  options.continuation = from.continuation;
  options.kept = from.kept;
  options.own_part = from.own_part;
  options.stop = from.stop;
  options.warnings = from.warnings;
  for (const GivenSetting& each : given)
    LEEWAY_TRY(apply_setting(*each.setting, each.value, each.where, options, each.shared));
  LEEWAY_TRY(settle(options));
  return options;
}

const GivenSetting* find_given(const CommandOptions& options, std::string_view name) {
  const auto found =
      std::find_if(options.given.begin(), options.given.end(),
                   [&](const GivenSetting& each) { return each.setting->name == name; });
  return found == options.given.end() ? nullptr : &*found;
}

std::string compared_value(const Setting& setting, std::string_view value) {
  // A pipe can be read only once.
  std::error_code none;
  if (!setting.roles.has(kByContent) || !std::filesystem::is_regular_file(value, none))
    return std::string(value);
  std::ifstream file{std::string(value), std::ios::binary};
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return format("a file with the checksum {:016x}", checksum(std::as_bytes(std::span(content))));
}

Status settle(CommandOptions& options) {
  if (options.directed && options.undirected) {
    return fail(input_error("--directed", "contradicts --undirected", "give one of the two"));
  }
  if (options.directed && options.load.symmetrize) {
    return fail(input_error("--symmetrize", "contradicts --directed: it makes the graph undirected",
                            "give one of the two"));
  }
  if (options.load.weight_low > options.load.weight_high) {
    return fail(input_error(
        "--weight-low",
        format("{} is above --weight-high, {}", options.load.weight_low, options.load.weight_high),
        "give a range that is not empty"));
  }
  if (options.pieces == 0) {
    return fail(input_error("--pieces", "zero pieces are not allowed", "give at least 1"));
  }
  if (options.alpha && options.beta && std::abs(*options.alpha + *options.beta - 1) > 1e-9) {
    return fail(input_error("--alpha, --beta",
                            format("{} and {} do not sum to 1", *options.alpha, *options.beta),
                            "give one of them, or two values that sum to 1"));
  }
  if (options.directed) options.load.direction = Direction::Directed;
  if (options.undirected) options.load.direction = Direction::Undirected;
  return {};
}

void settle_weights(const CommandOptions& options, double& of_distance, double& of_tick) {
  if (!options.alpha && !options.beta) return;
  of_distance = options.alpha.value_or(1 - options.beta.value_or(0));
  of_tick = options.beta.value_or(1 - of_distance);
}

}  // namespace leeway::app
