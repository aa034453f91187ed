// The settings of `leeway run`, as rows of the one table.
#include <array>

#include "leeway/cli/conditions.h"
#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

constexpr Choices<Fabric, 5> kFabrics = {{{"auto", Fabric::Auto},
                                          {"loopback", Fabric::Loopback},
                                          {"sim", Fabric::Sim},
                                          {"mpi", Fabric::Mpi},
                                          {"ofi", Fabric::Ofi}}};
constexpr Choices<bool, 2> kCuts = {{{"edge", false}, {"vertex", true}}};
constexpr Choices<Visit, 3> kVisits = {
    {{"auto", Visit::Auto}, {"all", Visit::All}, {"active", Visit::Active}}};
constexpr Choices<WorkOrder, 4> kOrders = {{{"auto", WorkOrder::Auto},
                                            {"owner", WorkOrder::Owner},
                                            {"degree", WorkOrder::Degree},
                                            {"priority", WorkOrder::Priority}}};

std::vector<std::string_view> engine_names() {
  std::vector<std::string_view> names;
  for (const EngineInfo& info : engines()) names.push_back(info.name);
  return names;
}

Status choose_engine(Options& o, Value v) {
  for (const EngineInfo& info : engines()) {
    if (info.name != v) continue;
    o.run.engine = info.engine;
    return {};
  }
  return fail(unknown_value(v, engine_names()));
}

/// Those that some engine has.
std::vector<std::string_view> scheduler_names() {
  std::vector<std::string_view> names;
  for (const SchedulerInfo& info : schedulers()) names.push_back(info.name);
  names.emplace_back("auto");
  return names;
}

Status choose_scheduler(Options& o, Value v) {
  o.run.auto_scheduler = v == "auto";
  o.run.scheduler.reset();
  if (o.run.auto_scheduler) return {};
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
Status choose_cache(Options& o, Value v) {
  o.run.cache = CacheBound();
  if (!v.ends_with('%')) return number(v, 1U, 1'000'000'000U, o.run.cache.objects);
  return number(v.substr(0, v.size() - 1), 0.001, 100.0, o.run.cache.percent);
}

Status choose_consistency(Options& o, Value v) {
  o.run.auto_consistency = v == "auto";
  LEEWAY_ASSIGN(o.run.policy, parse_policy(o.run.auto_consistency ? kDefaultMode : v));
  return {};
}

Status choose_predictor(Options& o, Value v) {
  static constexpr std::array<Value, 3> kHow = {"mean", "forest", "forest:FILE"};
  constexpr Value kFrom = "forest:";
  const bool from_log = v.starts_with(kFrom) && v.size() > kFrom.size();
  if (v != "mean" && v != "forest" && !from_log) return fail(unknown_value(v, kHow));
  o.run.forest = v != "mean";
  o.run.forest_log = from_log ? v.substr(kFrom.size()) : Value();
  return {};
}

std::vector<Setting> cluster_settings() {
  return {
      {"fabric", "NAME", "auto", "what carries messages; auto: by the launcher, else loopback",
       kRun, names_of(kFabrics),
       [](Options& o, Value v) { return choose(kFabrics, v, o.run.fabric); }},
      {"consistency",
       "MODE",
       kDefaultMode,
       "scp, scp+rw, scp+pb, stale-N, rcp, rcp-T, rcp+push, or auto: see --scheduler",
       kRun,
       {},
       choose_consistency,
       {{.engines = {EngineName::Vertex}, .when = kLateReads}}},
      {"scheduler",
       "NAME",
       "do-work; bsp where LDBC asks for rounds; pie: aap",
       "who waits for whom; auto: by the law (leeway advise), which also chooses --consistency and "
       "--engine where these are not said, and changes its choice if rounds take longer than it "
       "expects; for cc, heat, pagerank and sssp",
       kRun,
       scheduler_names(),
       choose_scheduler,
       {{.engines = {EngineName::Vertex, EngineName::Pie}}}},
      {"staleness",
       "C",
       "3; cf 0",
       "ssp: iterations a node may be ahead of the slowest; aap: rounds, no bound unless given",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1'000'000U, o.run.staleness.emplace()); },
       {{.engines = {EngineName::Vertex, EngineName::Pie},
         .schedulers = {Scheduler::Ssp, Scheduler::Aap}}}},
      {"visit",
       "WHICH",
       "auto",
       "vertices an iteration visits: all, or those with news",
       kRun,
       names_of(kVisits),
       [](Options& o, Value v) { return choose(kVisits, v, o.run.visit); },
       {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFreeVisits}}},
      {"order",
       "HOW",
       "auto",
       "in which a node works off its vertices",
       kRun,
       names_of(kOrders),
       [](Options& o, Value v) { return choose(kOrders, v, o.run.order); },
       {{.engines = {EngineName::Vertex}, .schedulers = kNotByPieces, .when = kFittingOrder}}},
      {"replicate",
       "",
       "on",
       "fill the caches before the first iteration",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.replicate); },
       {{.engines = {EngineName::Vertex}, .when = kLateCaches}}},
      {"deterministic",
       "",
       "off",
       "the same result, bit for bit, each time; refused where that cannot be",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.deterministic); },
       {{.engines = {EngineName::Vertex, EngineName::Pie}}}},
  };
}

std::vector<Setting> cache_settings() {
  return {
      {"cache",
       "N",
       "all that it reads",
       "copies of other nodes' values a node keeps, as a number or as 10% of what it reads from "
       "them; "
       "the one read longest ago goes first",
       kRun,
       {},
       choose_cache,
       {{.engines = {EngineName::Vertex}, .schedulers = {Scheduler::DoWork, Scheduler::Bsp}}}},
  };
}

std::vector<Setting> fragment_settings() {
  return {
      {"engine", "NAME", "the program's first (leeway programs)", "what runs the program", kRun,
       engine_names(), choose_engine},
      {"workers",
       "M",
       "one a thread",
       "pie: fragments, each a virtual worker",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1U, kMaxParts, o.run.workers); },
       {{.engines = {EngineName::Pie}}}},
      {"cut",
       "WHICH",
       "edge",
       "pie: whether vertices are dealt out, or arcs",
       kRun,
       names_of(kCuts),
       [](Options& o, Value v) { return choose(kCuts, v, o.run.vertex_cut); },
       {{.engines = {EngineName::Pie}}}},
      {"predictor",
       "HOW",
       "mean",
       "pie: how AAP predicts round times: mean, or forest[:FILE], trained on a log of earlier "
       "rounds",
       kRun,
       {},
       choose_predictor,
       {{.engines = {EngineName::Pie}, .schedulers = {Scheduler::Aap}}}},
      {"round-log",
       "FILE",
       "none",
       "pie: write what each round was given and took, for --predictor forest:FILE",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.round_log); },
       {{.engines = {EngineName::Pie}}},
       false},
      {"hops",
       "D",
       "0",
       "pie: hops behind an edge cut of which a fragment keeps copies of the lists",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1000U, o.run.hops); },
       {{.engines = {EngineName::Pie}, .when = kEdgeCut}}},
  };
}

std::vector<Setting> program_settings() {
  return {
      {"source",
       "VERTEX",
       "the first",
       "where paths begin, by its name in the input",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.source); },
       {{.programs = {"bfs", "paths", "sssp"}}}},
      {"damping",
       "D",
       "0.85",
       "pagerank: the share that follows arcs",
       kRun,
       {},
       [](Options& o, Value v) {
         o.run.damping_said = true;
         return number(v, 0.0, 0.9999, o.run.damping);
       },
       {{.programs = {"pagerank"}}}},
      {"rate",
       "R",
       "0.02",
       "cf: how far one rating moves factors",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1e-6, 1.0, o.run.rate); },
       {{.programs = {"cf"}}}},
      {"regulariser",
       "LAMBDA",
       "0.05",
       "cf: what factors pay for being large",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 10.0, o.run.regulariser); },
       {{.programs = {"cf"}}}},
      {"tolerance",
       "T",
       "1e-8; pie 1e-9; piece 1e-13; heat and wave 1e-9; jacobi none",
       "a change by at most this share of the values' size is no change; where there is none, a "
       "run "
       "ends",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.tolerance.emplace()); },
       {{.programs = {"heat", "pagerank", "wave"},
         .engines = {EngineName::Vertex},
         .when = kOpenEnd},
        {.programs = {"pagerank"}, .engines = {EngineName::Pie}},
        {.programs = {"jacobi", "pagerank"}, .engines = {EngineName::Piece}, .when = kOpenEnd}}},
      {"ldbc",
       "",
       "off",
       "LDBC Graphalytics' semantics and output",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.ldbc); },
       {{.programs = {"bfs", "cc", "cdlp", "lcc", "pagerank", "sssp"},
         .engines = {EngineName::Vertex, EngineName::Pie}}}},
  };
}

std::vector<Setting> outcome_settings() {
  return {
      {"verify", "", "on up to a million arcs", "hold the result against a sequential oracle", kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.verify.emplace()); }},
      {"cost",
       "",
       "off",
       "time a tuned single-thread program beside it",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.cost); },
       {{.programs = {"bfs", "cc", "cdlp", "lcc", "pagerank", "paths", "sssp"},
         .engines = {EngineName::Vertex, EngineName::Pie}}}},
      {"top",
       "K",
       "0",
       "show so many vertices, those with the greatest values first",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1'000'000U, o.run.top); },
       {{.programs = {"bfs", "degree", "heat", "lcc", "pagerank", "paths", "sssp", "wave"}}},
       false},
      {"out-parts",
       "",
       "off",
       "each process writes the values of its own vertices: into FILE-00000-of-00004.txt and so on "
       "where --out says FILE.txt",
       kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.out_parts); },
       {{.programs = {"bfs", "cc", "cdlp", "coloring", "degree", "pagerank", "paths", "sssp"},
         .engines = {EngineName::Vertex},
         .fabrics = {Fabric::Ofi, Fabric::Mpi},
         .when = kValuesOfMany}},
       false},
      {"report",
       "FILE",
       "none",
       "write everything the run tells of itself, as JSON",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.report); },
       {},
       false},
      {"trace",
       "FILE",
       "none",
       "write who did what when, for chrome://tracing or Perfetto",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.trace); },
       {},
       false},
  };
}

}  // namespace

std::vector<Setting> run_settings() {
  std::vector<Setting> all = cluster_settings();
  for (Setting& setting : cache_settings()) all.push_back(std::move(setting));
  for (Setting& setting : fragment_settings()) all.push_back(std::move(setting));
  for (Setting& setting : program_settings()) all.push_back(std::move(setting));
  for (Setting& setting : snapshot_settings()) all.push_back(std::move(setting));
  for (Setting& setting : outcome_settings()) all.push_back(std::move(setting));
  for (Setting& setting : simulation_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
