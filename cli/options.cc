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

constexpr Choices<Duplicates, 2> kDuplicates = {
    {{"keep", Duplicates::Keep}, {"merge", Duplicates::Merge}}};
constexpr Choices<MergeWeights, 5> kMergeWeights = {{{"sum", MergeWeights::Sum},
                                                     {"min", MergeWeights::Min},
                                                     {"max", MergeWeights::Max},
                                                     {"first", MergeWeights::First},
                                                     {"last", MergeWeights::Last}}};
constexpr Choices<SelfLoops, 2> kSelfLoops = {
    {{"keep", SelfLoops::Keep}, {"drop", SelfLoops::Drop}}};
constexpr Choices<Weights, 3> kWeights = {
    {{"file", Weights::File}, {"none", Weights::None}, {"random", Weights::Random}}};
Status one_of(std::string_view value, std::span<const FormatInfo> formats, bool binary,
              std::optional<std::string>& into) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (binary && std::find(names.begin(), names.end(), "binary") == names.end()) {
    names.push_back("binary");
  }
  if (std::find(names.begin(), names.end(), value) == names.end()) {
    return fail(unknown_value(value, names));
  }
  into = value;
  return {};
}

std::vector<std::string_view> format_names(std::span<const FormatInfo> formats) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : formats) names.push_back(info.name);
  if (std::find(names.begin(), names.end(), "binary") == names.end()) names.push_back("binary");
  return names;
}

using Value = std::string_view;
constexpr double kLargestWeight = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

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
       "threads to read, generate and partition with; run: to compute with at each node, 1 unless "
       "told",
       kLoad | kReplay,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1024U, o.load.threads); },
       {{.engines = {EngineName::Vertex},
         .schedulers = kNotByPieces,
         .fabrics = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi}}}},
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
       {{.programs = {"fish", "jacobi", "nbody"}, .when = kFromTheStart},
        {.programs = {"cf"}},
        {.fabrics = {Fabric::Sim}},
        {.fabrics = {Fabric::Loopback}, .when = kDelays},
        {.on_graph = true, .when = kDrawnWeights},
        {.on_graph = true, .when = kDrawnGraph},
        {.on_graph = true, .when = kDrawnDivision}}},
  };
}

std::vector<Setting> load_settings() {
  return {
      {"format",
       "NAME",
       "detected",
       "the input's format",
       kLoad,
       format_names(readable_formats()),
       [](Options& o, Value v) { return one_of(v, readable_formats(), true, o.load.format); },
       {{.on_graph = true, .when = kFile}}},
      {"directed", "", "as the file says, else directed", "take edges as arcs", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.directed); },
       kOnGraph},
      {"undirected", "", "as the file says, else directed", "take each edge both ways", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.undirected); },
       kOnGraph},
      {"symmetrize", "", "off", "add every arc's reverse; the graph becomes undirected", kLoad,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.load.symmetrize); },
       kOnGraph},
      {"duplicates", "WHAT", "keep; an error in Matrix Market",
       "parallel edges: keep or merge them", kLoad, names_of(kDuplicates),
       [](Options& o, Value v) { return choose(kDuplicates, v, o.load.duplicates); }, kOnGraph},
      {"merge-weights",
       "HOW",
       "sum",
       "the weight of a merged edge",
       kLoad,
       names_of(kMergeWeights),
       [](Options& o, Value v) { return choose(kMergeWeights, v, o.load.merge_weights); },
       {{.on_graph = true, .when = kMerged}}},
      {"self-loops", "WHAT", "keep", "edges from a vertex to itself: keep or drop them", kLoad,
       names_of(kSelfLoops),
       [](Options& o, Value v) { return choose(kSelfLoops, v, o.load.self_loops); }, kOnGraph},
      {"weights", "WHICH", "file", "the file's, none, or whole numbers drawn by the seed", kLoad,
       names_of(kWeights), [](Options& o, Value v) { return choose(kWeights, v, o.load.weights); },
       kOnGraph},
      {"weight-low",
       "W",
       "1",
       "the least random weight",
       kLoad,
       {},
       [](Options& o, Value v) {
         return number(v, -kLargestWeight, kLargestWeight, o.load.weight_low);
       },
       {{.on_graph = true, .when = kDrawnWeights}}},
      {"weight-high",
       "W",
       "100",
       "the greatest random weight",
       kLoad,
       {},
       [](Options& o, Value v) {
         return number(v, -kLargestWeight, kLargestWeight, o.load.weight_high);
       },
       {{.on_graph = true, .when = kDrawnWeights}}},
  };
}

std::vector<Setting> replay_settings() {
  return {
      {"graph",
       "GRAPH",
       "a social graph of the folder LEEWAY_DATA names",
       "a graph file or spec to replay on",
       kReplay | kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.graph); },
       kOnGraph,
       false},
      {"net",
       "PROFILE",
       "infiniband",
       "the network, simulated, or on loopback imitated in real time: ideal, infiniband, gigabit, "
       "ec2, custom:…",
       kReplay | kRun,
       {},
       [](Options& o, Value v) -> Status {
         LEEWAY_ASSIGN(o.network, parse_profile(v));
         return {};
       },
       {{.fabrics = {Fabric::Sim, Fabric::Loopback}}}},
      {"iterations",
       "N",
       "each figure's own; run: until nothing changes, cf 100, in ticks 100, pagerank in ticks 180",
       "exactly so many sweeps, supersteps, passes or ticks",
       kReplay | kRun,
       {},
       [](Options& o, Value v) { return number(v, 1U, 1'000'000'000U, o.iterations.emplace()); },
       {{.engines = {EngineName::Vertex, EngineName::Tick, EngineName::Piece}},
        {.programs = {"cf"}}}},
      {"out",
       "PATH",
       "none",
       "replay: a folder for each figure's numbers, as JSON and CSV; run: a file, a line a vertex",
       kReplay | kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.out); },
       {},
       false},
      {"full-scale", "", "off", "replay all: AsyTick's figures on 256 workers, not 16", kReplay,
       names_of(kSwitch), [](Options& o, Value v) { return choose(kSwitch, v, o.full_scale); }},
  };
}

std::vector<Setting> launch_settings() {
  return {
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
      {"verdict",
       "SECONDS",
       "10",
       "silence after which a node counts as dead",
       kLaunch,
       {},
       [](Options& o, Value v) { return number(v, 0.1, 3600.0, o.verdict_s); }},
  };
}

std::vector<Setting> output_settings() {
  return {
      {"page",
       "FILE",
       "comparison.html",
       "where the page for a browser goes; none for no page",
       kCompare,
       {},
       [](Options& o, Value v) -> Status {
         o.page = v == "none" ? "" : v;
         return {};
       }},
      {"to", "NAME", "by the output's name", "the output's format", kWrite,
       format_names(writable_formats()),
       [](Options& o, Value v) { return one_of(v, writable_formats(), true, o.to); }},
      {"nodes",
       "N",
       "1; replay: 16",
       "how many nodes share the graph; launch: how many processes",
       kPlan | kReplay | kLaunch | kRun,
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
                      launch_settings(), common_settings()}) {
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
