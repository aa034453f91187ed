// The settings of `leeway run`, as rows of the one table: what every engine has, the engines on graphs, and their
// programs.
#include <array>

#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_type.h"

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

}  // namespace leeway::cli
