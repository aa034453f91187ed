// The settings of `leeway run`, as rows of the one table: what every engine has, the engines on graphs, and their
// programs.

#include "cli/settings.h"

#include <array>

#include "cli/applicability.h"
#include "leeway/graph.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;
using O = Options;
using R = RunChoices;
using E = EngineOptions;
using F = pie::FragmentOptions;
using P = ProgramSettings;

constexpr Choices<Fabric, 5> kFabrics = {{{"auto", Fabric::Auto},
                                          {"loopback", Fabric::Loopback},
                                          {"sim", Fabric::Sim},
                                          {"mpi", Fabric::Mpi},
                                          {"ofi", Fabric::Ofi}}};
constexpr Choices<pie::Cut, 2> kCuts = {{{"edge", pie::Cut::Edge}, {"vertex", pie::Cut::Vertex}}};
constexpr Choices<Visit, 3> kVisits = {
    {{"auto", Visit::Auto}, {"all", Visit::All}, {"active", Visit::Active}}};
constexpr Choices<Eviction, 2> kEvictions = {{{"lru", Eviction::Lru}, {"clock", Eviction::Clock}}};
constexpr Choices<WorkOrder, 4> kOrders = {{{"auto", WorkOrder::Auto},
                                            {"owner", WorkOrder::Owner},
                                            {"degree", WorkOrder::Degree},
                                            {"priority", WorkOrder::Priority}}};

constexpr Choices<std::optional<Service>, 3> kServices = {
    {{"auto", std::nullopt}, {"thread", Service::Background}, {"inline", Service::Inline}}};

std::vector<Value> engine_names() {
  std::vector<Value> names;
  for (const EngineInfo& info : engines()) names.push_back(info.name);
  return names;
}

Status read_engine(Options& o, Value v) {
  for (const EngineInfo& info : engines()) {
    if (info.name != v) continue;
    o.run.engine = info.engine;
    return {};
  }
  return fail(unknown_value(v, engine_names()));
}

/// Those that some engine has.
std::vector<Value> scheduler_names() {
  std::vector<Value> names;
  for (const SchedulerInfo& info : schedulers()) names.push_back(info.name);
  return names;
}

Status read_scheduler(Options& o, Value v) {
  for (const SchedulerInfo& info : schedulers()) {
    if (info.name != v) continue;
    o.run.scheduler = info.scheduler;
    return {};
  }
  if (v == "tick") {
    return fail(input_error("", "'tick' is no scheduler: what steps by ticks is an engine",
                            "give --engine tick"));
  }
  return fail(unknown_value(v, scheduler_names()));
}

/// "500" objects, or "10%" of what a node reads from others.
Status read_cache(Options& o, Value v) {
  CacheBound& cache = o.run.vertex.cache;
  cache.objects = 0;
  cache.percent = 0;
  if (!v.ends_with('%')) return number(v, 1U, 1'000'000'000U, cache.objects);
  return number(v.substr(0, v.size() - 1), 0.001, 100.0, cache.percent);
}

Status read_consistency(Options& o, Value v) {
  LEEWAY_ASSIGN(o.run.policy, parse_policy(v));
  return {};
}

Status read_predictor(Options& o, Value v) {
  static constexpr std::array<Value, 3> kHow = {"mean", "forest", "forest:FILE"};
  constexpr Value kFrom = "forest:";
  const bool from_log = v.starts_with(kFrom) && v.size() > kFrom.size();
  if (v != "mean" && v != "forest" && !from_log) return fail(unknown_value(v, kHow));
  o.run.prediction.forest = v != "mean";
  o.run.prediction.log = from_log ? v.substr(kFrom.size()) : Value();
  return {};
}

std::string show_predictor(const Options& o) {
  const pie::PredictorOptions& told = o.run.prediction;
  if (!told.log.empty()) return "forest:" + told.log;
  return told.forest ? "forest" : "mean";
}

const std::vector<AppliesTo> kVertex = {{.engines = {EngineName::Vertex}}};
const std::vector<AppliesTo> kPie = {{.engines = {EngineName::Pie}}};
const std::vector<AppliesTo> kVertexAndPie = {{.engines = {EngineName::Vertex, EngineName::Pie}}};
const std::vector<AppliesTo> kCf = {{.programs = {"cf"}}};
const std::vector<AppliesTo> kCells = {{.programs = {"heat", "wave"}}};

/// What runs a program, over what, and how nodes keep in step.
std::vector<Setting> engine_settings() {
  return {
      Setting("engine", "NAME", "what runs the program",
              {.choices = engine_names(), .read = read_engine}, kRun,
              "the program's first (leeway programs)"),
      Setting("fabric", "NAME", "what carries messages; auto: by the launcher, else loopback",
              chosen_from<&O::run, &R::fabric>(kFabrics), kRun),
      Setting(
          "consistency", "MODE",
          "which values a read may return: scp, scp+rw, scp+pb, stale-N, rcp, rcp-T or rcp+push",
          {.read = read_consistency}, kRun, std::string(kDefaultMode),
          {{.engines = {EngineName::Vertex}, .when = kLateReads}}),
      Setting("scheduler", "NAME", "how nodes wait for each other",
              {.choices = scheduler_names(), .read = read_scheduler}, kRun,
              "do-work; bsp where LDBC asks for rounds; pie: aap", kVertexAndPie),
      Setting(
          "staleness", "C",
          "ssp: iterations a node may be ahead of the slowest; aap: rounds, no bound unless given",
          within<&O::run, &R::staleness>(0, 1'000'000), kRun, "3; cf 0",
          {{.engines = {EngineName::Vertex, EngineName::Pie},
            .schedulers = {Scheduler::Ssp, Scheduler::Aap}}}),
      Setting("deterministic", "",
              "the same result, bit for bit, each time; refused where that cannot be",
              on_off<&O::run, &R::deterministic>(), kRun, {}, kVertexAndPie, Told::Always),
  };
}

std::vector<Setting> vertex_settings() {
  return {
      Setting("visit", "WHICH", "vertices an iteration visits: all, or those with news",
              chosen_from<&O::run, &R::vertex, &E::visit>(kVisits), kRun, {},
              {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFreeVisits}}),
      Setting(
          "order", "HOW", "in which a node processes its vertices",
          chosen_from<&O::run, &R::vertex, &E::order>(kOrders), kRun, {},
          {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFittingOrder}}),
      Setting("service", "WHO",
              "what handles a node's messages while its program computes: a service thread, or "
              "(inline) the compute threads, between batches",
              chosen_from<&O::run, &R::service>(kServices), kRun,
              "auto: thread where a core is free for it", kVertex),
      Setting("replicate", "", "fill the caches before the first iteration",
              on_off<&O::run, &R::vertex, &E::replicate>(), kRun, {},
              {{.engines = {EngineName::Vertex}, .when = kLateCaches}}, Told::Always),
      Setting("collocate", "",
              "the node that computes a vertex is its home; false: another node is",
              on_off<&O::run, &R::optimizations, &Optimizations::collocation>(), kRun, {},
              {{.engines = {EngineName::Vertex}, .when = kOwnHomes}}),
      Setting("aggregate", "", "messages to one node share a frame",
              on_off<&O::run, &R::optimizations, &Optimizations::aggregation>(), kRun, {}, kVertex),
      Setting("flatten", "", "equal requests, and repeated invalidations, merge",
              on_off<&O::run, &R::optimizations, &Optimizations::flattening>(), kRun, {}, kVertex),
      Setting(
          "cache", "N",
          "copies of other nodes' values a node keeps, as a number or as 10% of what it reads from "
          "them",
          {.read = read_cache}, kRun | kReplay, "all that it reads", kVertex),
      Setting("eviction", "WHICH",
              "the copy that a full cache evicts: lru, the one read longest ago, or clock, one not "
              "read recently",
              chosen_from<&O::run, &R::vertex, &E::cache, &CacheBound::eviction>(kEvictions),
              kRun | kReplay, {}, {{.engines = {EngineName::Vertex}, .when = kBoundedCache}}),
  };
}

std::vector<Setting> pie_settings() {
  return {
      Setting("workers", "M", "pie: fragments, each a virtual worker",
              within<&O::run, &R::fragments, &F::workers>(1, kMaxParts), kRun, "one a thread",
              kPie),
      Setting("cut", "WHICH", "pie: whether vertices are dealt out, or arcs",
              chosen_from<&O::run, &R::fragments, &F::cut>(kCuts), kRun, {}, kPie, Told::Always),
      Setting("predictor", "HOW",
              "pie: how AAP predicts round times: mean, or forest[:FILE], trained on a log of "
              "earlier rounds",
              {.read = read_predictor, .show = show_predictor}, kRun, {},
              {{.engines = {EngineName::Pie}, .schedulers = {Scheduler::Aap}}}, Told::Always),
      Setting("round-log", "FILE",
              "pie: write what each round was given and took, for --predictor forest:FILE",
              text<&O::run, &R::round_log>(), kRun, {}, kPie, Told::Never),
      Setting("hops", "D",
              "pie: hops behind an edge cut of which a fragment keeps copies of the lists",
              within<&O::run, &R::fragments, &F::hops>(0, 1000), kRun, {},
              {{.engines = {EngineName::Pie}, .when = kEdgeCut}}, Told::Always),
  };
}

std::vector<Setting> program_settings() {
  return {
      Setting("source", "VERTEX", "where paths begin, by its name in the input",
              text<&O::run, &R::source>(), kRun, "the first",
              {{.programs = {"bfs", "paths", "shortest-path-counts", "sssp"}}}),
      Setting("damping", "D", "pagerank: the share that follows arcs",
              within<&O::run, &R::program, &P::damping>(0, 0.9999), kRun, {},
              {{.programs = {"pagerank"}}}, Told::Always),
      Setting("rate", "R", "cf: how far one rating moves factors",
              within<&O::run, &R::program, &P::rate>(1e-6, 1), kRun, {}, kCf, Told::Always),
      Setting("regulariser", "LAMBDA", "cf: what factors pay for being large",
              within<&O::run, &R::program, &P::regulariser>(0, 10), kRun, {}, kCf, Told::Always),
      Setting(
          "rhs", "FILE",
          "heat and wave: the right side, as `vertex value` lines (0 elsewhere), a value a line, "
          "or a Matrix Market column",
          text<&O::run, &R::rhs>(), kRun, "1 for a matrix; a heated cell in 16 for a grid", kCells),
      Setting("start", "FILE", "heat and wave: values to begin with, as --rhs",
              text<&O::run, &R::start>(), kRun, "0", kCells),
      Setting("fixed", "FILE", "heat and wave: cells that keep a value, as `vertex value` lines",
              text<&O::run, &R::fixed>(), kRun, "none", kCells),
      Setting(
          "tolerance", "T",
          "a change by at most this share of the values' size is no change; where there is none, a "
          "run ends",
          within<&O::run, &R::program, &P::tolerance>(0, 1), kRun,
          "1e-8; pie 1e-9; piece 1e-13; heat and wave 1e-9; jacobi none",
          {{.programs = {"heat", "pagerank", "wave"},
            .engines = {EngineName::Vertex},
            .when = kOpenEnd},
           {.programs = {"pagerank"}, .engines = {EngineName::Pie}},
           {.programs = {"jacobi", "pagerank"}, .engines = {EngineName::Piece}, .when = kOpenEnd}}),
      Setting("patience", "N",
              "iterations in a row without progress after which a run is given up, with exit code "
              "5; one is progress if it changes "
              "fewer values than any before, or moves them by less",
              within<&O::run, &R::vertex, &E::patience>(1, 1'000'000'000), kRun,
              "100000; cdlp 1000",
              {{.programs = {"cdlp", "heat", "pagerank", "wave"},
                .engines = {EngineName::Vertex},
                .when = kOpenEnd},
               {.programs = {"pagerank"}, .engines = {EngineName::Pie}}}),
      Setting("ldbc", "", "LDBC Graphalytics' semantics and output",
              on_off<&O::run, &R::program, &P::ldbc>(), kRun, {},
              {{.programs = {"bfs", "cc", "cdlp", "lcc", "pagerank", "sssp"},
                .engines = {EngineName::Vertex, EngineName::Pie}}},
              Told::Always),
  };
}

std::vector<Setting> outcome_settings() {
  return {
      Setting("verify", "", "hold the result against a sequential oracle",
              on_off<&O::run, &R::verify>(), kRun, "on up to a million arcs"),
      Setting("cost", "", "time a tuned single-thread program beside it",
              on_off<&O::run, &R::cost>(), kRun, {},
              {{.programs = {"bfs", "cc", "cdlp", "lcc", "pagerank", "paths",
                             "shortest-path-counts", "sssp"},
                .engines = {EngineName::Vertex, EngineName::Pie}}}),
      Setting("top", "K", "show so many vertices, those with the greatest values first",
              within<&O::run, &R::top>(0, 1'000'000), kRun, {},
              {{.programs = {"bfs", "degree", "heat", "lcc", "pagerank", "paths",
                             "shortest-path-counts", "sssp", "wave"}}},
              Told::Never),
      Setting(
          "out-parts", "",
          "each process writes the values of its own vertices: into FILE-00000-of-00004.txt and so "
          "on where --out says FILE.txt",
          on_off<&O::run, &R::out_parts>(), kRun, {},
          {{.programs = {"bfs", "cc", "cdlp", "coloring", "degree", "pagerank", "paths",
                         "shortest-path-counts", "sssp"},
            .engines = {EngineName::Vertex},
            .fabrics = {Fabric::Ofi, Fabric::Mpi},
            .when = kValuesOfMany}},
          Told::Never),
      Setting("report", "FILE", "write everything the run tells of itself, as JSON",
              text<&O::run, &R::report>(), kRun, {}, {}, Told::Never),
      Setting("trace", "FILE", "write who did what when, for chrome://tracing or Perfetto",
              text<&O::run, &R::trace>(), kRun, {}, {}, Told::Never),
  };
}

}  // namespace

std::vector<Setting> run_settings() {
  std::vector<Setting> all = engine_settings();
  for (auto more : {vertex_settings(), pie_settings(), program_settings(), snapshot_settings(),
                    outcome_settings(), simulation_settings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

namespace {

// The settings of how a graph is read or drawn, as rows of the one table.
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

constexpr double kLargestWeight = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

Status read_delimiter(Options& o, std::string_view value) {
  if (value == "tab" || value == "\\t") value = "\t";
  if (value == "space") value = " ";
  const bool fits = value.size() == 1 && value != "\"" && value != "\n" && value != "\r" &&
                    static_cast<unsigned char>(value[0]) < 0x80;
  if (!fits) {
    return fail(
        input_error("", format("'{}' is not one character that can stand between columns", value),
                    "give one such as ',' or ';', or tab or space"));
  }
  o.load.delimiter = value[0];
  return {};
}

using L = LoadOptions;
const std::vector<AppliesTo> kFromFile = {{.on_graph = true, .when = kFile}};
const std::vector<AppliesTo> kWithRandomWeights = {{.on_graph = true, .when = kDrawnWeights}};

}  // namespace

std::vector<Setting> load_settings() {
  return {
      Setting("format", "NAME", "the input's format",
              format_of<&O::load, &L::format>(readable_formats()), kLoad, "detected", kFromFile),
      Setting("directed", "", "take edges as arcs", on_off<&O::directed>(), kLoad,
              "as the file says, else directed", kOnGraph),
      Setting("undirected", "", "take each edge both ways", on_off<&O::undirected>(), kLoad,
              "as the file says, else directed", kOnGraph),
      Setting("symmetrize", "", "add every arc's reverse; the graph becomes undirected",
              on_off<&O::load, &L::symmetrize>(), kLoad, {}, kOnGraph),
      Setting("duplicates", "WHAT", "parallel edges: keep or merge them",
              chosen_from<&O::load, &L::duplicates>(kDuplicates), kLoad,
              "keep; an error in Matrix Market", kOnGraph),
      Setting("merge-weights", "HOW", "the weight of a merged edge",
              chosen_from<&O::load, &L::merge_weights>(kMergeWeights), kLoad, {},
              {{.on_graph = true, .when = kMerged}}),
      Setting("self-loops", "WHAT", "edges from a vertex to itself: keep or drop them",
              chosen_from<&O::load, &L::self_loops>(kSelfLoops), kLoad, {}, kOnGraph),
      Setting("weights", "WHICH", "the file's, none, or whole numbers drawn by the seed",
              chosen_from<&O::load, &L::weights>(kWeights), kLoad, {}, kOnGraph),
      Setting("weight-low", "W", "the least random weight",
              within<&O::load, &L::weight_low>(-kLargestWeight, kLargestWeight), kLoad, {},
              kWithRandomWeights),
      Setting("weight-high", "W", "the greatest random weight",
              within<&O::load, &L::weight_high>(-kLargestWeight, kLargestWeight), kLoad, {},
              kWithRandomWeights),
      Setting("columns", "A,B[,W]",
              "CSV: which columns hold an edge's ends and its weight, by title or by place from 1",
              text<&O::load, &L::columns>(), kLoad, "by their titles, else the first", kFromFile),
      Setting("delimiter", "CHAR", "CSV: what stands between columns: one character, tab or space",
              {.read = read_delimiter}, kLoad, "detected", kFromFile),
      Setting("header", "", "CSV: the first row holds titles", on_off<&O::load, &L::header>(),
              kLoad, "detected", kFromFile),
  };
}

namespace {

// The settings of dividing a graph, as rows of the one table.
constexpr Choices<BalanceBy, 2> kBalance = {
    {{"vertices", BalanceBy::Vertices}, {"arcs", BalanceBy::Arcs}}};

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const PartitionMethodInfo& info : partition_methods()) names.push_back(info.name);
  return names;
}

Status read_method(Options& o, std::string_view value) {
  return parse_partition_method(value, o.partition);
}

using D = PartitionOptions;

}  // namespace

std::vector<Setting> partition_settings() {
  return {
      Setting("partition", "HOW",
              "how vertices are dealt out: a method's name, or a file with an owner a line "
              "(file:PATH, or a path)",
              {.choices = method_names(), .read = read_method}, kPartition, "auto", kOnGraph),
      Setting("balance", "WHAT", "what parts are to have the same amount of",
              chosen_from<&O::partition, &D::balance>(kBalance), kPartition, {},
              {{.on_graph = true, .when = kBalanced}}),
      Setting("edge-weights", "", "METIS: cut little weight rather than few edges",
              on_off<&O::partition, &D::edge_weights>(), kPartition, {},
              {{.on_graph = true, .when = kByMetis}}),
      Setting("tries", "N", "METIS: runs of which the best is kept",
              within<&O::partition, &D::tries>(1, 1000), kPartition, "by size",
              {{.on_graph = true, .when = kByMetis}}),
      Setting("skew", "R", "make the first part R times the median part",
              within<&O::partition, &D::skew>(1, 1e6), kPartition, "none", kOnGraph),
  };
}

namespace {

// The settings of snapshots and restarts, as rows of the one table.
constexpr double kLongest = 1e6;  // seconds
constexpr std::uint64_t kMostRounds = 1'000'000'000;

/// "10s" or "0.5s" are seconds, "5" is a count of iterations.
Status read_every(Options& o, std::string_view v) {
  SnapshotChoices& told = o.run.snapshots;
  const bool by_time = v.ends_with('s');
  double time = 0;
  std::uint64_t rounds = 0;
  const Status read = by_time ? number(v.substr(0, v.size() - 1), 1e-3, kLongest, time)
                              : number(v, std::uint64_t{1}, kMostRounds, rounds);
  if (!read) {
    return fail(input_error("", format("'{}' is no time and no count of iterations", v),
                            "give seconds, as in 10s, or iterations, as in 5"));
  }
  told.every_seconds = time;
  told.every_rounds = rounds;
  return {};
}

using S = SnapshotChoices;

}  // namespace

std::vector<Setting> snapshot_settings() {
  return {
      Setting("snapshot", "FOLDER",
              "keep what the run has reached there, to go on from with --resume; also on SIGUSR1",
              text<&O::run, &R::snapshots, &S::folder>(), kRun, {}, {}, Told::Never),
      Setting(
          "snapshot-every", "WHEN",
          "how often: seconds, as 10s, or iterations, as 5; by ticks a tenth of them unless said",
          {.read = read_every}, kRun, "10s", {{.when = kSnapshots}}),
      Setting("snapshots-kept", "N", "so many of them, the newest",
              within<&O::run, &R::snapshots, &S::kept>(1, 1'000'000), kRun, {},
              {{.when = kSnapshots}}, Told::Never),
      Setting("resume", "FOLDER",
              "go on from the newest snapshot there, or from this one; on as many nodes as there "
              "are now",
              text<&O::run, &R::snapshots, &S::resume>(), kRun, {}, {}, Told::Never),
  };
}

namespace {

// The settings of programs that go by ticks, and of the two engines that run them, as rows of the one table.
using piece::System;

constexpr Choices<tick::Sync, 5> kSyncs = {{{"barrier", tick::Sync::Barrier},
                                            {"local", tick::Sync::Local},
                                            {"schedule", tick::Sync::Schedule},
                                            {"replicate", tick::Sync::Replicate},
                                            {"combined", tick::Sync::Combined}}};
constexpr Choices<bool, 2> kSplits = {{{"grid", false}, {"quadtree", true}}};
constexpr Choices<System, 4> kSystems = {{{"oritick", System::OriTick},
                                          {"comtick", System::ComTick},
                                          {"asytick", System::AsyTick},
                                          {"asytick-plb", System::AsyTickPlb}}};
constexpr Choices<bool, 2> kPieceOrders = {{{"priority", true}, {"arrival", false}}};
constexpr std::uint32_t kMostTicks = 1'000'000'000;
constexpr std::uint32_t kMostThings = 100'000'000;

using Scene = SceneChoices;
using Asy = AsyTickChoices;

template <auto Field>
SettingType count(std::uint32_t low, std::uint32_t high) {
  return within<&O::run, &R::scene, Field>(low, high);
}
template <auto Field>
SettingType length() {
  return within<&O::run, &R::scene, Field>(1e-6, 1e9);
}

const std::vector<AppliesTo> kFish = {{.programs = {"fish"}}};
const std::vector<AppliesTo> kNBody = {{.programs = {"nbody"}}};
const std::vector<AppliesTo> kTick = {{.engines = {EngineName::Tick}}};
const std::vector<AppliesTo> kPiece = {{.engines = {EngineName::Piece}}};
const std::vector<AppliesTo> kTickReplicas = {{.engines = {EngineName::Tick}, .when = kReplicas}};
const std::vector<AppliesTo> kAsyTick = {
    {.engines = {EngineName::Piece}, .when = kByPriority},
    {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}};

std::vector<Setting> scene_settings() {
  return {
      Setting("fish", "N", "how many", count<&Scene::fish>(0, kMostThings), kRun, {}, kFish),
      Setting("informed", "N", "how many are drawn to each goal",
              count<&Scene::informed>(0, kMostThings), kRun, {}, kFish),
      Setting("goals", "N", "how many goals there are", count<&Scene::goals>(1, 2), kRun, {},
              {{.programs = {"fish"}, .when = kGoals}}),
      Setting("basin", "WxH", "the size of the waters, in body lengths",
              width_and_height<&Scene::width, &Scene::height, &O::run, &R::scene>(1e-3, 1e9), kRun,
              {}, kFish),
      Setting("visibility", "V", "how far one sees", length<&Scene::visibility>(), kRun, {}, kFish),
      Setting("reach", "R", "how far one swims in a tick", length<&Scene::reach>(), kRun, {},
              kFish),
      Setting("plate", "WxH", "columns and rows of cells",
              width_and_height<&Scene::columns, &Scene::rows, &O::run, &R::scene>(1, 1'000'000),
              kRun, {}, {{.programs = {"jacobi"}}}),
      Setting("bodies", "N", "how many", count<&Scene::bodies>(0, kMostThings), kRun, {}, kNBody),
      Setting("groups", "N", "groups that gather and part again", count<&Scene::groups>(0, 100'000),
              kRun, {}, kNBody),
      Setting(
          "box", "WxH", "the size of the box",
          width_and_height<&Scene::box_width, &Scene::box_height, &O::run, &R::scene>(1e-3, 1e9),
          kRun, {}, kNBody),
      Setting("cutoff", "R", "bodies farther apart do not feel each other",
              length<&Scene::cutoff>(), kRun, {}, kNBody),
      Setting(
          "frames", "FILE",
          "write where all are at some ticks, or the values of cells after some iterations, for a "
          "player",
          text<&O::run, &R::scene, &Scene::frames>(), kRun, {},
          {{.programs = {"fish", "heat", "nbody", "wave"}}}, Told::Never),
      Setting("frame-every", "T", "ticks or iterations from one frame to the next",
              count<&Scene::frame_every>(1, kMostTicks), kRun, {},
              {{.programs = {"fish", "heat", "nbody", "wave"}, .when = kFilm}}),
  };
}

std::vector<Setting> tick_settings() {
  return {
      Setting("sync", "MODE", "how the nodes' ticks are synchronized",
              chosen_from<&O::run, &R::tick, &tick::TickOptions::sync>(kSyncs), kRun, {}, kTick),
      Setting("depth", "D", "ticks stepped ahead of messages",
              within<&O::run, &R::tick, &tick::TickOptions::depth>(0, 1000), kRun, "1; combined 10",
              {{.engines = {EngineName::Tick}, .when = kAhead}}),
      Setting("every", "K", "messages go every K ticks",
              within<&O::run, &R::tick, &tick::TickOptions::every>(0, 1000), kRun, "2",
              kTickReplicas),
      Setting("replicas", "M", "layers of others' tuples stepped here",
              within<&O::run, &R::tick, &tick::TickOptions::replicas>(0, 1000), kRun, "K + 1",
              kTickReplicas),
      Setting("split", "HOW", "how the basin is divided",
              chosen_from<&O::run, &R::scene, &Scene::quadtree>(kSplits), kRun, {},
              {{.programs = {"fish"}, .engines = {EngineName::Tick}}}),
      Setting("rebalance", "T", "divide anew every so many ticks; 0: never",
              within<&O::run, &R::tick, &tick::TickOptions::rebalance>(0, kMostTicks), kRun, {},
              {{.programs = {"fish"}, .engines = {EngineName::Tick}, .when = kByLoad},
               {.programs = {"pagerank"}, .engines = {EngineName::Tick}, .when = kDealtBySeed}}),
      Setting("check", "", "catch a program that reads outside its context",
              on_off<&O::run, &R::tick, &tick::TickOptions::check>(), kRun, {}, kTick),
  };
}

std::vector<Setting> piece_settings() {
  return {
      Setting("system", "NAME", "which of the four systems",
              chosen_from<&O::run, &R::piece, &piece::PieceOptions::system>(kSystems), kRun, {},
              kPiece, Told::Always),
      Setting("pieces", "N", "pieces a worker's partition is cut into",
              within<&O::run, &R::asytick, &Asy::pieces>(0, 0xFFFFFFFF), kRun, {},
              {{.engines = {EngineName::Piece}},
               {.engines = {EngineName::Vertex}, .schedulers = {Scheduler::AsyTick}}},
              Told::Always),
      Setting("alpha", "A", "weight of the distance to the boundary in a piece's priority",
              within<&O::run, &R::asytick, &Asy::alpha>(0, 1), kRun, "0.45", kAsyTick),
      Setting("beta", "B", "weight of the tick; alpha and beta sum to 1",
              within<&O::run, &R::asytick, &Asy::beta>(0, 1), kRun, "0.55", kAsyTick),
      Setting("piece-order", "HOW", "pieces by priority, or as they become ready",
              chosen_from<&O::run, &R::piece, &piece::PieceOptions::scheduler>(kPieceOrders), kRun,
              {}, kPiece, Told::Always),
      Setting("balance-every", "T", "ticks from one redistribution of load to the next",
              within<&O::run, &R::piece, &piece::PieceOptions::balance_every>(2, 1'000'000), kRun,
              {}, {{.engines = {EngineName::Piece}, .when = kBalancer}}, Told::Always),
  };
}

}  // namespace

std::vector<Setting> simulation_settings() {
  std::vector<Setting> all = scene_settings();
  for (auto more : {tick_settings(), piece_settings()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace leeway::cli
