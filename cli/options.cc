#include "cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "cli/applicability.h"
#include "cli/settings.h"
#include "leeway/graph.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;
using O = Options;

Status read_log_level(Options& o, Value v) {
  LEEWAY_ASSIGN(o.log_level, parse_log_level(v));
  return {};
}

Status read_seed(Options& o, Value v) {
  LEEWAY_TRY(number<std::uint64_t>(v, 0, UINT64_MAX, o.load.seed));
  o.partition.seed = o.load.seed;
  return {};
}

Status read_network(Options& o, Value v) {
  LEEWAY_ASSIGN(o.network, parse_profile(v));
  return {};
}

Status read_page(Options& o, Value v) {
  o.page = v == "none" ? "" : v;
  return {};
}

std::vector<Setting> common_settings() {
  return {
      Setting("quiet", "", "no progress on standard error", on_off<&O::quiet>(), kCommon),
      Setting("log-level", "LEVEL", "how much to log on standard error",
              {.choices = {"trace", "debug", "info", "warning", "error", "off"},
               .read = read_log_level},
              kCommon, "warning"),
      Setting("json", "", "print JSON instead of a table", on_off<&O::json>(), kJson),
      Setting("threads", "N",
              "threads to read, generate and partition with; run: to compute with at each node, "
              "unless told the machine's cores divided among its nodes, or 1 for pie, asytick and "
              "--fabric sim",
              within<&O::load, &LoadOptions::threads>(1, 1024), kLoad | kReplay, "every core",
              {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .fabrics = kRealTime},
               {.engines = {EngineName::Pie, EngineName::Tick, EngineName::Piece},
                .fabrics = kRealTime}}),
      Setting("seed", "N", "for everything drawn at random", {.read = read_seed}, kLoad | kReplay,
              "1",
              {{.programs = {"fish", "jacobi", "nbody"}},
               {.programs = {"cf"}},
               {.fabrics = {Fabric::Sim}},
               {.fabrics = {Fabric::Loopback}, .when = kDelays},
               {.on_graph = true, .when = kDrawnWeights},
               {.on_graph = true, .when = kDrawnGraph},
               {.on_graph = true, .when = kDrawnDivision}}),
  };
}

std::vector<Setting> replay_settings() {
  return {
      Setting("graph", "GRAPH", "a graph file or spec to replay on", text<&O::graph>(),
              kReplay | kRun, "a social graph of the folder LEEWAY_DATA names", kOnGraph,
              Told::Never),
      Setting("net", "PROFILE",
              "the network, simulated, or on loopback imitated in real time: ideal, infiniband, "
              "gigabit, ec2, custom:…",
              {.read = read_network}, kReplay | kRun, "infiniband",
              {{.fabrics = {Fabric::Sim, Fabric::Loopback}}}),
      Setting(
          "iterations", "N", "exactly so many sweeps, supersteps, passes or ticks",
          within<&O::iterations>(1, 1'000'000'000), kReplay | kRun,
          "each figure's own; run: until nothing changes, cdlp --ldbc 10, cf at most 100, in ticks "
          "100, pagerank in ticks 180",
          {{.engines = {EngineName::Vertex, EngineName::Tick, EngineName::Piece}},
           {.programs = {"cf"}}}),
      Setting(
          "out", "PATH",
          "replay: a folder for each figure's numbers, as JSON and CSV; run: a file of values, its "
          "format by its suffix: .txt, .csv, .tsv, .npy, .npz or .mtx; - is standard output",
          text<&O::out>(), kReplay | kRun, "none", {}, Told::Never),
      Setting("programs", "LIST",
              "replay modes: some of cdlp, cc, coloring, paths, pagerank, sssp, heat and wave, "
              "separated by commas",
              words_of_list<&O::replayed_programs>(), kReplay, "all of them"),
      Setting("schedulers", "LIST", "replay modes: ap, ssp or aap as well, separated by commas",
              words_of_list<&O::replayed_schedulers>(), kReplay, "none"),
      Setting("full-scale", "", "replay all: AsyTick's figures on 256 workers, not 16",
              on_off<&O::full_scale>(), kReplay),
  };
}

std::vector<Setting> launch_settings() {
  return {
      Setting("encrypt", "",
              "let nobody on the network read what nodes send; without it nobody can change it",
              on_off<&O::encrypt>(), kLaunch),
      Setting("hosts", "FILE", "one host a line, or a host and how many nodes it takes",
              text<&O::hosts>(), kLaunch, "this machine"),
      Setting("launcher", "CMD", "what starts a command on a host, called as CMD HOST COMMAND",
              text<&O::launcher>(), kLaunch),
      Setting("provider", "NAME", "libfabric's provider; leeway doctor shows which work",
              text<&O::provider>(), kLaunch, "tcp;ofi_rxm"),
      Setting("rendezvous", "ADDRESS", "the address of this machine where the processes meet",
              text<&O::rendezvous>(), kLaunch, "by the hosts"),
      Setting("spares", "K",
              "how many lost nodes are replaced, each by the next host of --hosts beyond the first "
              "N if there is one, else on its own; all go on from the last --snapshot of COMMAND",
              within<&O::spares>(0, 1'000'000), kLaunch),
      Setting("verdict", "SECONDS", "silence after which a node counts as dead",
              within<&O::verdict_s>(0.1, 3600), kLaunch),
      Setting("restarts", "N", "how often a job is started again before it is given up",
              within<&O::restarts>(0, 1'000'000), kSupervise),
      Setting("pause", "SECONDS",
              "before the first restart; doubles, up to a minute, until there is a newer snapshot",
              within<&O::pause_s>(0, 3600), kSupervise),
  };
}

std::vector<Setting> output_settings() {
  return {
      Setting("page", "FILE", "write a page for a browser", {.read = read_page}, kCompare, "none"),
      Setting("force", "",
              "replace files that this command did not write, or that were changed since",
              on_off<&O::force>(), kOutput, {}, {}, Told::Never),
      Setting("to", "NAME", "the output's format", format_of<&O::to>(writable_formats()), kWrite,
              "by the output's name"),
      Setting("nodes", "N", "how many nodes share the graph; launch: how many processes",
              within<&O::nodes>(1, kMaxParts), kPlan | kReplay | kLaunch | kRun, "1; replay: 16"),
      Setting("value-size", "BYTES", "what a program keeps for each vertex",
              within<&O::value_size>(1, 1U << 20U), kPlan),
  };
}

/// The default of what `Options` holds from the start, in words.
std::string default_of(const Setting& setting, const Options& untold) {
  LEEWAY_CHECK(setting.type.show != nullptr, setting.name);
  const std::string shown = setting.type.show(untold);
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
    const Options untold;
    for (Setting& each : gathered) {
      if (each.fallback.empty()) each.fallback = default_of(each, untold);
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
  if (name == "method") return "partition";
  return name == "ticks" ? "iterations" : "";
}

std::vector<std::string_view> setting_names(unsigned groups) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings()) {
    if ((setting.group & groups) != 0) names.push_back(setting.name);
  }
  return names;
}

Status apply_setting(const Setting& setting, std::string_view value, std::string where,
                     Options& options, bool shared) {
  Status applied = setting.type.read(options, value);
  if (!applied) {
    Error error = std::move(applied).error();
    error.where = std::move(where);
    return fail(std::move(error));
  }
  std::erase_if(options.said, [&](const Said& each) { return each.setting == &setting; });
  options.said.push_back({&setting, std::string(value), std::move(where), shared});
  return {};
}

const Said* find_said(const Options& options, std::string_view name) {
  const auto found = std::find_if(options.said.begin(), options.said.end(),
                                  [&](const Said& each) { return each.setting->name == name; });
  return found == options.said.end() ? nullptr : &*found;
}

Status settle(Options& options) {
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
  if (options.json && options.run.top > 0) {
    return fail(input_error("--top", "is shown as text alone, and --json asks for none",
                            "leave one of the two out; --out writes all values"));
  }
  const AsyTickChoices& told = options.run.asytick;
  if (told.pieces == 0) {
    return fail(input_error("--pieces", "zero pieces hold nothing", "give at least 1"));
  }
  if (told.alpha && told.beta && std::abs(*told.alpha + *told.beta - 1) > 1e-9) {
    return fail(
        input_error("--alpha, --beta",
                    format("{} and {} are no shares of one priority", *told.alpha, *told.beta),
                    "give one of them, or two that sum to 1"));
  }
  if (options.directed) options.load.direction = Direction::Directed;
  if (options.undirected) options.load.direction = Direction::Undirected;
  return {};
}

}  // namespace leeway::cli
