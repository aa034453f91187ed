#include "leeway/cli/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/nearest.h"
#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"
#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/write_graph.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

std::vector<Setting> common_settings() {
  return {
      {"quiet", "", "off", "no progress on standard error", kCommon, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.quiet); }},
      {"log-level",
       "LEVEL",
       "warning",
       "how much to log on standard error",
       kCommon,
       {"trace", "debug", "info", "warning", "error", "off"},
       [](Options& o, Value v) -> Status {
         LEEWAY_ASSIGN(o.log_level, parse_log_level(v));
         return {};
       }},
      {"json", "", "off", "print JSON instead of a table", kJson, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.json); }},
      {"threads",
       "N",
       "every core",
       "threads to read, generate and partition with; run: to compute with at each node, unless "
       "told "
       "the machine's cores divided among its nodes, or 1 for pie, asytick and --fabric sim",
       kLoad | kReplay,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1024U, o.load.threads); },
       {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .fabrics = kRealTime},
        {.engines = {EngineName::Pie, EngineName::Tick, EngineName::Piece}, .fabrics = kRealTime}}},
      {"seed",
       "N",
       "1",
       "for everything drawn at random",
       kLoad | kReplay,
       {},
       [](Options& o, Value v) -> Status {
         LEEWAY_TRY(number<std::uint64_t>(v, 0, UINT64_MAX, o.load.seed));
         o.partition.seed = o.load.seed;
         return {};
       },
       {{.programs = {"fish", "jacobi", "nbody"}},
        {.programs = {"cf"}},
        {.fabrics = {Fabric::Sim}},
        {.fabrics = {Fabric::Loopback}, .when = kDelays},
        {.on_graph = true, .when = kDrawnWeights},
        {.on_graph = true, .when = kDrawnGraph},
        {.on_graph = true, .when = kDrawnDivision}}},
  };
}

std::vector<Setting> replay_settings() {
  return {
      {"graph",
       "GRAPH",
       "a social graph of the folder LEEWAY_DATA names",
       "a graph file or spec to replay on",
       kReplay | kRun | kAdvise,
       {},
       [](Options& o, Value v) { return keep(v, o.graph); },
       kOnGraph,
       false},
      {"net",
       "PROFILE",
       "infiniband; advise: measured",
       "the network, simulated, or on loopback imitated in real time: ideal, infiniband, gigabit, "
       "ec2, custom:…; advise: or measured",
       kReplay | kRun | kAdvise,
       {},
       [](Options& o, Value v) -> Status {
         o.measure_network = v == "measured";
         o.network.reset();
         if (o.measure_network) return {};
         LEEWAY_ASSIGN(o.network, parse_profile(v));
         return {};
       },
       {{.fabrics = {Fabric::Sim, Fabric::Loopback}}}},
      {"iterations",
       "N",
       "each figure's own; run: until nothing changes, cdlp 10, cf at most 100, in ticks 100, "
       "pagerank in ticks 180",
       "exactly so many sweeps, supersteps, passes or ticks",
       kReplay | kRun,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1'000'000'000U, o.iterations.emplace()); },
       {{.engines = {EngineName::Vertex, EngineName::Tick, EngineName::Piece}},
        {.programs = {"cf"}}}},
      {"out",
       "PATH",
       "none",
       "replay: a folder for each figure's numbers, as JSON and CSV; run: a file of values, its "
       "format by its suffix: "
       ".txt, .csv, .tsv, .npy, .npz or .mtx; - is standard output",
       kReplay | kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.out); },
       {},
       false},
      {"full-scale", "", "off",
       "replay all: AsyTick's figures on 256 workers, not 16; replay law: larger graphs, and every "
       "condition; replay auto: 16 nodes, too",
       kReplay, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.full_scale); }},
  };
}

std::vector<Setting> launch_settings() {
  return {
      {"encrypt", "", "off",
       "let nobody on the network read what nodes send; without it nobody can change it", kLaunch,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.encrypt); }},
      {"hosts",
       "FILE",
       "this machine",
       "one host a line, or a host and how many nodes it takes",
       kLaunch,
       {},
       [](Options& o, Value v) { return keep(v, o.hosts); }},
      {"launcher",
       "CMD",
       "ssh",
       "what starts a command on a host, called as CMD HOST COMMAND",
       kLaunch,
       {},
       [](Options& o, Value v) { return keep(v, o.launcher); }},
      {"provider",
       "NAME",
       "tcp;ofi_rxm",
       "libfabric's provider; leeway doctor shows which work",
       kLaunch,
       {},
       [](Options& o, Value v) { return keep(v, o.provider); }},
      {"rendezvous",
       "ADDRESS",
       "by the hosts",
       "the address of this machine where the processes meet",
       kLaunch,
       {},
       [](Options& o, Value v) { return keep(v, o.rendezvous); }},
      {"spares",
       "K",
       "0",
       "how many lost nodes are replaced, each by the next host of --hosts beyond the first N if "
       "there is one, "
       "else on its own; all go on from the last --snapshot of COMMAND",
       kLaunch,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1'000'000U, o.spares); }},
      {"verdict",
       "SECONDS",
       "10",
       "silence after which a node counts as dead",
       kLaunch,
       {},
       [](Options& o, Value v) { return number(v, 0.1, 3600.0, o.verdict_s); }},
  };
}

std::vector<Setting> supervise_settings() {
  return {
      {"restarts",
       "N",
       "5",
       "how often a job is started again before it is given up",
       kSupervise,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1'000'000U, o.restarts); }},
      {"pause",
       "SECONDS",
       "0.5",
       "before the first restart; doubles, up to a minute, until there is a newer snapshot",
       kSupervise,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 3600.0, o.pause_s); }},
  };
}

std::vector<Setting> output_settings() {
  return {
      {"page",
       "FILE",
       "none",
       "write a page for a browser",
       kCompare,
       {},
       [](Options& o, Value v) -> Status {
         o.page = v == "none" ? "" : v;
         return {};
       }},
      {"force",
       "",
       "off",
       "replace files that this command did not write, or that were changed since",
       kOutput,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.force); },
       {},
       false},
      {"to", "NAME", "by the output's name", "the output's format", kWrite,
       format_names(writable_formats()),
       [](Options& o, Value v) { return one_of(v, writable_formats(), true, o.to); }},
      {"nodes",
       "N",
       "1; replay: 16; advise: the job's, else 16",
       "how many nodes share the graph; launch: how many processes; advise: the most there may be",
       kPlan | kReplay | kLaunch | kRun | kAdvise,
       {},
       [](Options& o, Value v) -> Status {
         LEEWAY_TRY(number(v, 1U, kMaxParts, o.nodes.emplace()));
         return {};
       }},
      {"value-size",
       "BYTES",
       "8",
       "what a program keeps for each vertex",
       kPlan,
       {},
       [](Options& o, Value v) { return number<std::uint64_t>(v, 1, 1U << 20U, o.value_size); }},
  };
}

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> all = [] {
    std::vector<Setting> gathered = load_settings();
    for (auto more : {output_settings(), partition_settings(), run_settings(), replay_settings(),
                      launch_settings(), supervise_settings(), common_settings()}) {
      gathered.insert(gathered.end(), more.begin(), more.end());
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
  Status applied = setting.apply(options, value);
  if (!applied) {
    Error error = std::move(applied).error();
    error.where = std::move(where);
    return fail(std::move(error));
  }
  std::erase_if(options.said, [&](const Said& each) { return each.setting == &setting; });
  options.said.push_back({&setting, std::string(value), std::move(where), shared});
  return {};
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
  const SimulationChoices& told = options.run.simulation;
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
