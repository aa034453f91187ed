#include "leeway/cli/run_choice.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "leeway/base/clock.h"
#include "leeway/base/format.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/machines.h"
#include "leeway/cli/settled_division.h"
#include "leeway/cli/watch.h"
#include "leeway/runtime/endpoint.h"

namespace leeway::cli {

namespace {

/// Threads of one process: what an answer takes that another thread has to wake up for.
constexpr std::string_view kThreads = "custom:latency_us=5,gbit=50,send_us=0.5,receive_us=0.5";

/// What belongs to one way of running, or to runs that do not come to rest by themselves.
constexpr std::array<std::string_view, 19> kOfOneWay = {
    "visit",  "order",   "staleness",     "cache",   "iterations", "snapshot",  "resume",
    "ldbc",   "workers", "deterministic", "cut",     "hops",       "predictor", "round-log",
    "pieces", "alpha",   "beta",          "threads", "out-parts"};

std::string where_asked(const Options& options) {
  const Said* const by =
      find_said(options, options.run.auto_scheduler ? "scheduler" : "consistency");
  return by == nullptr ? "--scheduler" : by->where;
}

/// What is said besides closes modes to the choice.
law::Allowed allowed_by(const Options& options) {
  law::Allowed allowed = law::all_allowed();
  const bool mode_said =
      find_said(options, "consistency") != nullptr && !options.run.auto_consistency;
  for (std::size_t i = 0; i < law::kModes; ++i) {
    const law::Mode& mode = law::modes()[i];
    const bool engine = !options.run.engine || (*options.run.engine == EngineName::Pie) == mode.pie;
    const bool schedule = !options.run.scheduler || *options.run.scheduler == mode.scheduler;
    const bool consistency =
        !mode_said || (!mode.pie && (mode.scheduler == Scheduler::Bsp ||
                                     mode.consistency == options.run.policy.name));
    allowed[i] = engine && schedule && consistency;
  }
  return allowed;
}

bool any_form(std::string_view program, const law::Allowed& allowed) {
  for (std::size_t i = 0; i < law::kModes; ++i) {
    if (allowed[i] && law::has_form(program, law::modes()[i])) return true;
  }
  return false;
}

/// Of a run's own network, where it is simulated or imitated; else of what its processes measure.
Result<Machines> machines_for(const Plan& plan, const Options& options, Job* job) {
  const ClusterOptions& cluster = plan.options.cluster;
  if (job != nullptr && job->node_count() > 1) return machines_of(options, job);
  Machines machines;
  machines.cost = cluster.cost;
  if (cluster.fabric == Fabric::Sim || options.network) {
    machines.network = cluster.network;
    machines.basis = format("the profile {}, which this run is {}", cluster.network.name,
                            cluster.fabric == Fabric::Sim ? "simulated over" : "slowed down to");
    return machines;
  }
  LEEWAY_ASSIGN(machines.network, parse_profile(kThreads));
  machines.basis = "assumed of threads of one process: 5 us a message";
  return machines;
}

/// What every process must know to choose alike.
struct LawFacts {
  law::ProgramFacts facts;
  law::NetworkFacts network;
};
static_assert(std::is_trivially_copyable_v<LawFacts>);

Result<LawFacts> look(const Graph& graph, const Plan& plan, const Machines& machines,
                      const Options& options, RunChoice& choice) {
  PartitionOptions how = plan.options.partition;
  settle_method(plan.options.cluster, graph, how);
  choice.method = how.method;
  LEEWAY_ASSIGN(choice.division,
                stored_division(*options.graph, graph.vertex_count(), plan.options.partition));
  if (!choice.division) {
    LEEWAY_ASSIGN(Partition division, divide_graph(graph, how, options));
    choice.division = std::make_shared<const Partition>(std::move(division));
  }
  Watch watch(options);
  watch.progress()->start(format("choosing how to run {}", plan.program->name));
  law::Setup setup;
  setup.graph = &graph;
  setup.division = choice.division;
  setup.program = plan.program->name;
  setup.settings = plan.settings;
  setup.cost = machines.cost;
  setup.seed = options.load.seed;
  LawFacts told;
  LEEWAY_ASSIGN(told.facts, law::facts_of(setup));
  told.network = law::facts_of(machines.network, choice.division->part_count);
  return told;
}

constexpr std::byte kReady{1};
constexpr std::byte kTold{2};
constexpr std::byte kFailed{3};

/// Node 0 looks, and tells the others once all are done with measuring.
Status share(Endpoint& endpoint, const std::function<Result<LawFacts>()>& look, LawFacts& told) {
  const bool first = endpoint.self() == NodeId(0);
  if (!first) endpoint.send(NodeId(0), {kReady});
  std::uint32_t ready = 1;
  bool over = false;
  bool failed = false;
  const Endpoint::Handler take = [&](NodeId, std::span<const std::byte> frame) {
    if (first) {
      ++ready;
      return;
    }
    over = true;
    failed = frame.size() != 1 + sizeof told;
    if (!failed) std::memcpy(static_cast<void*>(&told), frame.data() + 1, sizeof told);
  };
  while (first ? ready < endpoint.node_count() : !over) {
    if (endpoint.receive(take) == 0) endpoint.wait();
  }
  if (!first) {
    if (!failed) return {};
    return fail(Error{ErrorKind::Peer, "auto", "node 0 could not choose", "look at its message"});
  }
  Result<LawFacts> looked = look();
  Frame frame{looked ? kTold : kFailed};
  if (looked) {
    told = *looked;
    frame.resize(1 + sizeof told);
    std::memcpy(frame.data() + 1, &told, sizeof told);
  }
  for (std::uint32_t to = 1; to < endpoint.node_count(); ++to) endpoint.send(NodeId(to), frame);
  return looked ? Status{} : fail(std::move(looked).error());
}

}  // namespace

bool chooses(const Options& options) {
  return options.run.auto_scheduler || options.run.auto_consistency;
}

Status check_choice(const DecidedRun& run, const Options& options) {
  Result<std::size_t> known = law::program_place(run.name());
  if (!known) {
    Error error = std::move(known).error();
    error.where = where_asked(options);
    error.remedy = format("name a way of running; auto knows {}", fmt::join(law::programs(), ", "));
    return fail(std::move(error));
  }
  for (const std::string_view name : kOfOneWay) {
    const Said* const by = find_said(options, name);
    if (by == nullptr) continue;
    return fail(input_error(
        by->where,
        format("does not go with {} auto, which may take ways that it does not apply to",
               where_asked(options)),
        "leave it out, or name the scheduler"));
  }
  if (options.own_part) {
    return fail(input_error(where_asked(options), "auto needs the whole graph at every process",
                            "name the scheduler where each process keeps its own part"));
  }
  if (any_form(run.name(), allowed_by(options))) return {};
  return fail(input_error(where_asked(options), "what else is said leaves nothing to choose from",
                          "leave out --engine, --scheduler or --consistency"));
}

Result<RunChoice> choose_way(const Graph& graph, const Plan& plan, const Options& options,
                             Job* job) {
  RunChoice choice;
  const ClusterOptions& cluster = plan.options.cluster;
  if (cluster.nodes == 1) {
    choice.alone = true;
    return choice;
  }
  const SteadyClock clock;
  const Instant started = clock.now();
  LEEWAY_ASSIGN(const Machines machines, machines_for(plan, options, job));
  choice.basis = machines.basis;
  const auto look_here = [&] { return look(graph, plan, machines, options, choice); };
  LawFacts told;
  if (job == nullptr) {
    LEEWAY_ASSIGN(told, look_here());
  } else {
    const auto shared = run_endpoints(
        cluster, [&](Endpoint& endpoint) { return share(endpoint, look_here, told); });
    if (!shared) return fail(shared.error());
    choice.division = nullptr;  // which node 0 alone has
  }
  LEEWAY_ASSIGN(const std::size_t program, law::program_place(plan.program->name));
  choice.law = law::choose(program, told.facts, told.network, allowed_by(options));
  choice.seconds = seconds(clock.now() - started);
  return choice;
}

Status take_choice(const RunChoice& choice, Options& options, DecidedRun& run, Plan& plan,
                   Job* job) {
  if (choice.alone) return {};
  const law::Mode& mode = law::modes()[choice.law.best];
  const bool mode_said =
      find_said(options, "consistency") != nullptr && !options.run.auto_consistency;
  options.run.scheduler = mode.scheduler;
  options.run.engine = mode.pie ? EngineName::Pie : EngineName::Vertex;
  if (!mode_said) {
    LEEWAY_ASSIGN(options.run.policy, parse_policy(mode.consistency));
  }
  LEEWAY_ASSIGN(run, decide_run(run.name(), options, job));
  LEEWAY_ASSIGN(Plan chosen, plan_of(run, options, job));
  chosen.settings.source = plan.settings.source;
  chosen.settings.source_said = plan.settings.source_said;
  chosen.options.divided = choice.division;
  if (choice.method != PartitionMethod::Auto) chosen.options.partition.method = choice.method;
  chosen.options.engine.several_ways = choice.law.ways != nullptr;
  chosen.options.ways = choice.law.ways;
  plan = std::move(chosen);
  return {};
}

namespace {

double expected_round(const Way& way) { return way.seconds / std::max(1.0, way.rounds); }
double measured_round(const WayTrial& trial) {
  return trial.seconds / static_cast<double>(std::max<std::uint64_t>(1, trial.rounds));
}

std::string json_of(const RunChoice& choice, const std::vector<WayTrial>& trials, double took) {
  const law::Choice& law = choice.law;
  JsonWriter json;
  json.object([&] {
    json.member("mode", law::modes()[law.best].name);
    json.member("expected_seconds", law.forecast.seconds[law.best]).member("seconds", took);
    json.member("runner_up", law::modes()[law.second].name);
    json.member("runner_up_seconds", law.forecast.seconds[law.second]);
    json.member("basis", choice.basis).member("choosing_seconds", choice.seconds);
    json.member("checked", law.ways != nullptr);
    json.key("ways").array(trials, [&](const WayTrial& trial) {
      const Way& way = law.ways->ways[trial.way];
      json.object([&] {
        json.member("mode", way.name).member("rounds", trial.rounds);
        json.member("seconds", trial.seconds).member("messages", trial.messages);
        json.member("expected_round_seconds", expected_round(way));
        json.member("round_seconds", measured_round(trial));
      });
    });
  });
  return std::move(json).text();
}

std::string words_of(const RunChoice& choice, const std::vector<WayTrial>& trials, double took) {
  const law::Choice& law = choice.law;
  std::string text = format("{}; {:.3g} s expected, {:.3g} s taken", law::modes()[law.best].name,
                            law.forecast.seconds[law.best], took);
  if (law.ways == nullptr) return text + "; a run by fragments cannot change";
  for (std::size_t i = 1; i < trials.size(); ++i) {
    const WayTrial& left = trials[i - 1];
    const Way& way = law.ways->ways[left.way];
    text += format("; then {}, for {} rounds of {} took {:.3g} s each, not {:.3g}",
                   law.ways->ways[trials[i].way].name, left.rounds, way.name, measured_round(left),
                   expected_round(way));
  }
  return text;
}

}  // namespace

void add_choice(const RunChoice& choice, const RunRecord& record, Report& report) {
  if (choice.alone) {
    report.own.text("choice", "chosen by the law", "one node: there is nothing to choose");
    return;
  }
  const std::vector<WayTrial> trials =
      record.nodes.empty() ? std::vector<WayTrial>() : record.nodes.front().trials;
  const double took = record.phases.compute;
  report.own.json_text("choice", "chosen by the law", words_of(choice, trials, took),
                       json_of(choice, trials, took));
  report.own.shown_only("choosing_seconds", "the choice took, seconds", choice.seconds);
}

}  // namespace leeway::cli
