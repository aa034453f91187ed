#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/guarded.h"
#include "leeway/cli/heeding.h"
#include "leeway/cli/ldbc_defaults.h"
#include "leeway/cli/output.h"
#include "leeway/cli/run_cost.h"
#include "leeway/cli/run_outputs.h"
#include "leeway/cli/run_report.h"
#include "leeway/cli/watch.h"
#include "leeway/datasets/byte_stream.h"
#include "leeway/runtime/pie/forest_forecaster.h"

extern char** environ;

namespace leeway::cli {

namespace {

constexpr std::uint32_t kLdbcRounds = 10;
constexpr std::uint32_t kMostNodes = 4096;
constexpr std::uint64_t kVerifiedArcs = 1'000'000;

/// Everything a run needs, decided.
struct Plan {
  const ProgramInfo* program = nullptr;
  ProgramSettings settings;
  RunOptions options;
};

Result<ClusterOptions> cluster_of(const Options& options, Job* job) {
  ClusterOptions cluster;
  cluster.job = job;
  if (job != nullptr) {
    cluster.fabric = job->fabric();
    cluster.nodes = job->node_count();
    if (options.nodes && *options.nodes != cluster.nodes) {
      return fail(input_error(
          "--nodes",
          format("the launcher started {} processes, not {}", cluster.nodes, *options.nodes),
          "leave --nodes out: every process is a node"));
    }
  } else {
    cluster.fabric = options.run.fabric == Fabric::Sim ? Fabric::Sim : Fabric::Loopback;
    cluster.nodes = options.nodes.value_or(1);
  }
  if (cluster.nodes > kMostNodes) {
    return fail(input_error("--nodes", format("{} is more than one process holds", cluster.nodes),
                            format("give at most {}", kMostNodes)));
  }
  if (job == nullptr) LEEWAY_TRY(admit_nodes(cluster.nodes, cluster.fabric == Fabric::Loopback));
  cluster.seed = options.load.seed;
  cluster.policy = options.run.policy;
  if (options.network) {
    cluster.network = *options.network;
  } else if (cluster.fabric == Fabric::Sim) {
    LEEWAY_ASSIGN(cluster.network, parse_profile("infiniband"));
  }
  return cluster;
}

void set_rounds(const DecidedRun& run, const Options& options, EngineOptions& engine) {
  engine.iterations = options.iterations;
  engine.scheduler = *run.scheduler;
  if (run.engine == EngineName::Pie) return;
  const bool rounds = by_rounds(run.name(), options);
  if (rounds && !engine.iterations && engine.scheduler == Scheduler::Bsp)
    engine.iterations = kLdbcRounds;
  if (engine.iterations && !rounds) engine.visit = Visit::All;
}

Status check_deterministic(const Plan& plan) {
  const EngineOptions& engine = plan.options.engine;
  const ClusterOptions& cluster = plan.options.cluster;
  const bool alone = cluster.nodes == 1 && engine.threads == 1;
  const bool same = plan.program->exact || cluster.fabric == Fabric::Sim || alone ||
                    engine.scheduler == Scheduler::Bsp;
  if (same) return {};
  return fail(input_error(
      "--deterministic",
      format("{} under {} uses values as they arrive, so its last digits depend on timing",
             plan.program->name, scheduler_name(engine.scheduler)),
      "give --scheduler bsp, --fabric sim, or one node with one thread"));
}

Result<Plan> plan_of(const DecidedRun& run, const Options& options, Job* job) {
  Plan plan;
  plan.program = program_on(run.engine, run.name());
  const ProgramInfo& program = *plan.program;
  LEEWAY_ASSIGN(plan.options.cluster, cluster_of(options, job));
  EngineOptions& engine = plan.options.engine;
  const bool descends = program.name == "cf";
  engine.staleness = options.run.staleness.value_or(descends ? 0 : engine.staleness);
  engine.visit = options.run.visit;
  engine.order = options.run.order;
  engine.replicate = options.run.replicate;
  engine.workers = options.run.workers;
  engine.vertex_cut = options.run.vertex_cut;
  engine.hops = options.run.hops;
  const SimulationChoices& told = options.run.simulation;
  engine.pieces = told.pieces;
  if (told.alpha || told.beta) {
    engine.alpha = told.alpha.value_or(1 - told.beta.value_or(0));
    engine.beta = told.beta.value_or(1 - engine.alpha);
  }
  engine.forest = options.run.forest;
  engine.forest_log = options.run.forest_log;
  engine.round_log = !options.run.round_log.empty();
  engine.bounded = options.run.staleness.has_value();
  engine.threads = options.load.threads == 0 ? 1 : options.load.threads;
  engine.cost = plan.options.cluster.cost;
  set_rounds(run, options, engine);
  if (descends && (engine.scheduler == Scheduler::Ap || engine.scheduler == Scheduler::Hsync)) {
    return fail(input_error(
        "--scheduler",
        format("cf needs a bound of staleness, and {} has none", scheduler_name(engine.scheduler)),
        "give aap, ssp or bsp"));
  }
  plan.options.partition = options.partition;
  plan.options.trace = !options.run.trace.empty() || !options.run.report.empty();
  plan.settings.damping = options.run.damping;
  plan.settings.tolerance = options.run.tolerance;
  plan.settings.ldbc = options.run.ldbc;
  plan.settings.rate = options.run.rate;
  plan.settings.regulariser = options.run.regulariser;
  if (options.run.deterministic) LEEWAY_TRY(check_deterministic(plan));
  return plan;
}

Status find_source(const Graph& graph, const Options& options, Plan& plan) {
  if (!options.run.source) return {};
  const auto vertex = graph.names().find(*options.run.source);
  if (!vertex) {
    return fail(input_error("--source", format("the graph has no vertex '{}'", *options.run.source),
                            "name a vertex as the input does; leeway info shows the first names"));
  }
  plan.settings.source = *vertex;
  plan.settings.source_said = true;
  return {};
}

/// A source from which no path leads is most often a slip: said, not answered with silence.
void warn_of_lonely_source(const Graph& graph, const Plan& plan) {
  if (!plan.program->source || graph.vertex_count() == 0) return;
  const VertexId source = plan.settings.source;
  const auto reached = graph.neighbors(source);
  const bool lonely =
      std::all_of(reached.begin(), reached.end(), [&](VertexId v) { return v == source; });
  if (lonely) log_warning("source '{}' reaches no other vertex", graph.names().name(source));
}

std::string shown_source(const Graph& graph, const Plan& plan, const Options& options) {
  if (graph.vertex_count() == 0) return "none";
  const std::string name(graph.names().name(plan.settings.source));
  return options.run.source ? name : format("{} (the first)", name);
}

Configuration configuration(const Plan& plan, const DecidedRun& run, const Graph& graph,
                            const Options& options) {
  const EngineOptions& engine = plan.options.engine;
  const ClusterOptions& cluster = plan.options.cluster;
  Configuration pairs = {
      {"engine", std::string(plan.program->engine)},
      {"fabric", std::string(fabric_name(cluster.fabric))},
      {"nodes", std::to_string(cluster.nodes)},
      {"net", cluster.network.name},
      {"consistency", cluster.policy.name},
      {"scheduler", std::string(scheduler_name(engine.scheduler))},
      {"visit", std::string(visit_name(engine.visit))},
      {"order", std::string(order_name(engine.order))},
      {"threads", std::to_string(engine.threads)},
      {"partition", partition_text(plan.options.partition)},
      {"balance", plan.options.partition.balance == BalanceBy::Arcs ? "arcs" : "vertices"},
      {"replicate", engine.replicate ? "yes" : "no"},
      {"iterations", engine.iterations ? std::to_string(*engine.iterations) : "until it rests"},
      {"seed", std::to_string(options.load.seed)},
      {"ldbc", plan.settings.ldbc ? "yes" : "no"},
      {"deterministic", options.run.deterministic ? "yes" : "no"},
  };
  const bool bounded =
      engine.scheduler == Scheduler::Ssp || engine.bounded || plan.program->name == "cf";
  if (bounded) pairs.emplace_back("staleness", std::to_string(engine.staleness));
  if (plan.program->engine == "pie") {
    pairs.emplace_back("workers",
                       std::to_string(engine.workers > 0 ? engine.workers : cluster.nodes));
    pairs.emplace_back("cut", engine.vertex_cut ? "vertex" : "edge");
    pairs.emplace_back("hops", std::to_string(engine.hops));
    pairs.emplace_back("predictor", engine.forest_log.empty() ? engine.forest ? "forest" : "mean"
                                                              : "forest:" + engine.forest_log);
  }
  pairs.emplace_back("pieces", std::to_string(engine.pieces));
  pairs.emplace_back("alpha", format("{}", engine.alpha));
  pairs.emplace_back("beta", format("{}", engine.beta));
  pairs.emplace_back("source", shown_source(graph, plan, options));
  pairs.emplace_back("damping", format("{}", plan.settings.damping));
  pairs.emplace_back("rate", format("{}", plan.settings.rate));
  pairs.emplace_back("regulariser", format("{}", plan.settings.regulariser));
  pairs = heeded_configuration(std::move(pairs), options, run);
  if (!options.run.from_properties.empty())
    pairs.emplace_back("from_properties", options.run.from_properties);
  return pairs;
}

Status write_values(ByteSink& sink, const Graph& graph, const ProgramValues& values, bool ldbc) {
  std::string text;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    text += graph.names().name(v);
    text += ' ';
    text += shown_value(values, v, graph.names(), ldbc);
    text += '\n';
    if (text.size() < (std::size_t{1} << 20U)) continue;
    LEEWAY_TRY(sink.write(text));
    text.clear();
  }
  LEEWAY_TRY(sink.write(text));
  return sink.finish();
}

std::string summary(const RunFacts& facts, const RunRecord& record, bool json) {
  const AccessCounts accesses = record.accesses();
  Facts shown;
  shown.text("program", "program", facts.program);
  shown.text("graph", "graph", facts.graph);
  for (const auto& [key, value] : facts.configuration) {
    if (key == "nodes" || key == "fabric" || key == "consistency" || key == "scheduler" ||
        key == "from_properties")
      shown.text(key, key, value);
  }
  shown.count("iterations", "iterations", record.iterations());
  shown.flag("converged", "converged", record.converged());
  shown.text("why", "because", facts.why);
  shown.flag("simulated", "simulated time", record.simulated);
  shown.real("load_seconds", "load, seconds", record.phases.load);
  shown.real("partition_seconds", "partition, seconds", record.phases.partition);
  shown.real("setup_seconds", "set up, seconds", record.phases.setup);
  shown.real("compute_seconds", record.simulated ? "compute, virtual seconds" : "compute, seconds",
             record.phases.compute);
  shown.count("messages", "messages", record.messages());
  shown.bytes("bytes", "sent", record.bytes());
  shown.count("blocked_fetches", "fetches that waited", record.blocked_fetches());
  for (const auto& [name, value] : facts.figures) shown.real(name, figure_label(name), value);
  const double uses = static_cast<double>(accesses.remote());
  if (uses > 0) {
    shown.real("current_share", "copies used that were current",
               1 - static_cast<double>(accesses.stale_hits) / uses);
  }
  if (facts.cost_seconds >= 0) {
    shown.real("cost_seconds", facts.cost_method + ", seconds", facts.cost_seconds);
  }
  if (!facts.verified.empty()) shown.text("verified", "verified", facts.verified);
  return shown.show(json);
}

/// Whether its check knows what so many iterations give; else only what it gives at rest.
bool checks_rounds(const ProgramInfo& program) {
  return program.name == "pagerank" || program.name == "cdlp" || program.name == "cf";
}

std::string why(const Plan& plan, const RunRecord& record) {
  if (plan.options.engine.iterations) return "as many iterations as were asked for";
  if (record.converged()) return "nothing changes, nothing stale was used, nothing is on its way";
  return format("given up after {} iterations that still changed something",
                plan.options.engine.most_iterations);
}

}  // namespace

namespace {

/// `job` null: all nodes live in this process. Only the first node speaks.
Result<int> run_in(const Invocation& said, Job* job) {
  const std::string name = said.argument(0);
  LEEWAY_TRY(program_called(name));
  Invocation invocation = said;
  LEEWAY_ASSIGN(DecidedRun decided, decide_run(name, said.options, job));
  if (decided.engine == EngineName::Vertex || decided.engine == EngineName::Pie) {
    LEEWAY_TRY(take_ldbc_defaults(*program_on(decided.engine, name), invocation.options));
    LEEWAY_ASSIGN(decided, decide_run(name, invocation.options, job));
  }
  LEEWAY_ASSIGN(invocation.options, heeded_options(invocation.options, decided));
  const Options& options = invocation.options;
  const bool first = job == nullptr || job->self() == NodeId(0);
  if (decided.program->graph && !options.graph) {
    return fail(
        input_error("leeway run", "--graph is missing",
                    format("for example: leeway run {} --graph known:karate", decided.name())));
  }
  if (decided.engine == EngineName::Tick || decided.engine == EngineName::Piece) {
    LEEWAY_ASSIGN(const ClusterOptions cluster, cluster_of(options, job));
    return decided.engine == EngineName::Tick ? run_tick(invocation, decided, cluster)
                                              : run_piece(invocation, decided, cluster);
  }
  LEEWAY_ASSIGN(Plan plan, plan_of(decided, options, job));
  const ProgramInfo* const program = plan.program;
  LEEWAY_ASSIGN(RunOutputs outputs, RunOutputs::open(options, first));
  const SteadyClock clock;
  Instant started = clock.now();
  LEEWAY_ASSIGN(const Graph graph, open_graph(*options.graph, options));
  const double load = seconds(clock.now() - started);
  LEEWAY_TRY(find_source(graph, options, plan));
  if (first) warn_of_lonely_source(graph, plan);
  LEEWAY_TRY(admit(*program, graph, plan.settings, plan.options));
  std::optional<Watch> watch(std::in_place, options);
  watch->progress()->start("running " + std::string(program->name), 0, "iterations");
  plan.options.progress = watch->progress();
  LEEWAY_ASSIGN(ProgramRun run, program->run(graph, plan.settings, plan.options));
  watch.reset();
  if (!first) return 0;
  run.record.phases.load = load;
  RunFacts facts{.program = std::string(program->name),
                 .graph = *options.graph,
                 .input_hash = hash_of(graph),
                 .vertices = graph.vertex_count(),
                 .arcs = graph.arc_count(),
                 .configuration = configuration(plan, decided, graph, options),
                 .why = why(plan, run.record),
                 .figures = std::move(run.figures)};
  const bool at_rest = !options.iterations || checks_rounds(*program);
  if (!at_rest && options.run.verify == true)
    facts.verified = "not checked: after so many iterations it need not be at rest";
  if (at_rest && options.run.verify.value_or(graph.arc_count() <= kVerifiedArcs) &&
      run.record.converged()) {
    LEEWAY_ASSIGN(facts.verified, program->verify(graph, plan.settings, plan.options, run.values));
  }
  if (options.run.cost) time_baseline(graph, plan.settings, run.record.iterations(), facts);
  started = clock.now();
  if (outputs.values)
    LEEWAY_TRY(write_values(*outputs.values, graph, run.values, plan.settings.ldbc));
  run.record.phases.output = seconds(clock.now() - started);
  LEEWAY_TRY(write_to(outputs.report, [&] { return report_json(facts, run.record); }));
  LEEWAY_TRY(write_to(outputs.trace, [&] { return trace_json(facts, run.record); }));
  LEEWAY_TRY(
      write_to(outputs.round_log, [&] { return pie::round_log_text(run.record.round_log); }));
  LEEWAY_TRY(print(summary(facts, run.record, options.json)));
  return 0;
}

/// A process that a launcher started: joins, runs, and leaves in the way the launcher wants.
[[noreturn]] void run_as_process(const Invocation& invocation, Job& job) {
  Invocation mine = invocation;
  mine.options.quiet = invocation.options.quiet || job.self() != NodeId(0);
  const Result<int> outcome = guarded([&] { return run_in(mine, &job); });
  // Whatever went wrong anywhere, before, in or after the run, is every process' error and exit code.
  const Status agreed = job.agree(outcome ? Status{} : fail(outcome.error()));
  int code = agreed ? *outcome : agreed.error().exit_code();
  if (!agreed) std::fprintf(stderr, "%s\n", agreed.error().to_string().c_str());
  if (const Status left = job.leave(); !left) {
    std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
    if (code == 0) code = left.error().exit_code();
  }
  job.exit(code);
}

}  // namespace

Result<int> run_run(const Invocation& invocation) {
  Fabric fabric = invocation.options.run.fabric;
  if (fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(fabric, detect_fabric(::environ));
  }
  if (fabric != Fabric::Mpi && fabric != Fabric::Ofi) return run_in(invocation, nullptr);
  JobOptions joining;
  joining.fabric = fabric;
  joining.provider = invocation.options.provider;
  LEEWAY_ASSIGN(const std::unique_ptr<Job> job, join_job(joining));
  run_as_process(invocation, *job);
}

}  // namespace leeway::cli
