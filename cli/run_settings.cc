// The settings of `leeway run`, as rows of the one table.
#include <array>

#include "leeway/cli/setting_values.h"

namespace leeway::cli {

namespace {

using Value = std::string_view;

constexpr Choices<Fabric, 5> kFabrics = {{{"auto", Fabric::Auto},
                                          {"loopback", Fabric::Loopback},
                                          {"sim", Fabric::Sim},
                                          {"mpi", Fabric::Mpi},
                                          {"ofi", Fabric::Ofi}}};
constexpr Choices<EngineName, 2> kEngines = {
    {{"vertex", EngineName::Vertex}, {"pie", EngineName::Pie}}};
constexpr Choices<bool, 2> kCuts = {{{"edge", false}, {"vertex", true}}};
constexpr Choices<Scheduler, 6> kSchedulers = {{{"do-work", Scheduler::DoWork},
                                                {"bsp", Scheduler::Bsp},
                                                {"ap", Scheduler::Ap},
                                                {"ssp", Scheduler::Ssp},
                                                {"aap", Scheduler::Aap},
                                                {"hsync", Scheduler::Hsync}}};
constexpr Choices<Visit, 3> kVisits = {
    {{"auto", Visit::Auto}, {"all", Visit::All}, {"active", Visit::Active}}};
constexpr Choices<WorkOrder, 4> kOrders = {{{"auto", WorkOrder::Auto},
                                            {"owner", WorkOrder::Owner},
                                            {"degree", WorkOrder::Degree},
                                            {"priority", WorkOrder::Priority}}};

constexpr Choices<Stepper, 2> kSteppers = {
    {{"tick", Stepper::Tick}, {"asytick", Stepper::AsyTick}}};

std::vector<std::string_view> scheduler_names() {
  std::vector<std::string_view> names = names_of(kSchedulers);
  for (const std::string_view name : names_of(kSteppers)) names.push_back(name);
  return names;
}

/// One of the vertex engines' schedulers, or an engine that goes by ticks.
Status choose_scheduler(Options& o, Value v) {
  o.run.scheduler.reset();
  o.run.simulation.stepper.reset();
  for (const auto& [name, stepper] : kSteppers) {
    if (name == v) {
      o.run.simulation.stepper = stepper;
      return {};
    }
  }
  Scheduler scheduler{};
  if (!choose(kSchedulers, v, scheduler)) return fail(unknown_value(v, scheduler_names()));
  o.run.scheduler = scheduler;
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
       "rcp",
       "scp, scp+rw, scp+pb, stale-N, rcp, rcp-T or rcp+push",
       kRun,
       {},
       [](Options& o, Value v) -> Status {
         LEEWAY_ASSIGN(o.run.policy, parse_policy(v));
         return {};
       }},
      {"scheduler", "NAME", "do-work; bsp where LDBC asks for rounds; pie: aap",
       "who waits for whom", kRun, scheduler_names(), choose_scheduler},
      {"staleness",
       "C",
       "3; cf 0",
       "ssp: iterations a node may be ahead of the slowest; aap: rounds, no bound unless given",
       kRun,
       {},
       [](Options& o, Value v) {
         o.run.staleness_said = true;
         return number(v, 0U, 1'000'000U, o.run.staleness);
       }},
      {"visit", "WHICH", "auto", "vertices an iteration visits: all, or those with news", kRun,
       names_of(kVisits), [](Options& o, Value v) { return choose(kVisits, v, o.run.visit); }},
      {"order", "HOW", "auto", "in which a node works off its vertices", kRun, names_of(kOrders),
       [](Options& o, Value v) { return choose(kOrders, v, o.run.order); }},
      {"partition",
       "HOW",
       "metis",
       "how vertices are dealt out: a method's name, or a file with an owner a line",
       kRun,
       {},
       [](Options& o, Value v) { return parse_partition_method(v, o.partition); }},
      {"replicate", "", "on", "fill the caches before the first iteration", kRun, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.replicate); }},
      {"deterministic", "", "off",
       "the same result, bit for bit, each time; refused where that cannot be", kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.deterministic); }},
  };
}

std::vector<Setting> fragment_settings() {
  return {
      {"engine", "NAME", "vertex; pie where the scheduler is its own", "what runs the program",
       kRun, names_of(kEngines),
       [](Options& o, Value v) { return choose(kEngines, v, o.run.engine.emplace()); }},
      {"workers",
       "M",
       "one a node",
       "pie: fragments, each a virtual worker",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1U, kMaxParts, o.run.workers); }},
      {"cut", "WHICH", "edge", "pie: whether vertices are dealt out, or arcs", kRun,
       names_of(kCuts), [](Options& o, Value v) { return choose(kCuts, v, o.run.vertex_cut); }},
      {"predictor",
       "HOW",
       "mean",
       "pie: how AAP predicts round times: mean, or forest[:FILE], trained on a log of earlier "
       "rounds",
       kRun,
       {},
       choose_predictor},
      {"round-log",
       "FILE",
       "none",
       "pie: write what each round was given and took, for --predictor forest:FILE",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.round_log); }},
      {"hops",
       "D",
       "0",
       "pie: hops behind an edge cut of which a fragment keeps copies of the lists",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0U, 1000U, o.run.hops); }},
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
       [](Options& o, Value v) { return keep(v, o.run.source); }},
      {"damping",
       "D",
       "0.85",
       "pagerank: the share that follows arcs",
       kRun,
       {},
       [](Options& o, Value v) {
         o.run.damping_said = true;
         return number(v, 0.0, 0.9999, o.run.damping);
       }},
      {"rate",
       "R",
       "0.02",
       "cf: how far one rating moves factors",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 1e-6, 1.0, o.run.rate); }},
      {"regulariser",
       "LAMBDA",
       "0.05",
       "cf: what factors pay for being large",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 10.0, o.run.regulariser); }},
      {"tolerance",
       "T",
       "1e-8; heat and wave 1e-9",
       "a smaller change is no change",
       kRun,
       {},
       [](Options& o, Value v) { return number(v, 0.0, 1.0, o.run.tolerance.emplace()); }},
      {"ldbc", "", "off", "LDBC Graphalytics' semantics and output", kRun, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.ldbc); }},
      {"verify", "", "on up to a million arcs", "hold the result against a sequential oracle", kRun,
       names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.verify.emplace()); }},
      {"cost", "", "off", "time a tuned single-thread program beside it", kRun, names_of(kSwitch),
       [](Options& o, Value v) { return choose(kSwitch, v, o.run.cost); }},
      {"report",
       "FILE",
       "none",
       "write everything the run tells of itself, as JSON",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.report); }},
      {"trace",
       "FILE",
       "none",
       "write who did what when, for chrome://tracing or Perfetto",
       kRun,
       {},
       [](Options& o, Value v) { return keep(v, o.run.trace); }},
  };
}

}  // namespace

std::vector<Setting> run_settings() {
  std::vector<Setting> all = cluster_settings();
  for (Setting& setting : fragment_settings()) all.push_back(std::move(setting));
  for (Setting& setting : program_settings()) all.push_back(std::move(setting));
  for (Setting& setting : simulation_settings()) all.push_back(std::move(setting));
  return all;
}

}  // namespace leeway::cli
