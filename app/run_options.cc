#include "app/run_options.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "app/graph_argument.h"
#include "app/output.h"
#include "app/report.h"
#include "app/snapshots.h"
#include "base/format.h"
#include "base/parallel.h"
#include "datasets/binary.h"
#include "programs/catalog/ticked_run.h"

namespace leeway::app {

namespace {

constexpr std::uint32_t kMostNodes = 4096;
constexpr unsigned kWorkersToMove = 4;  // default number per node, if workers move

}  // namespace

unsigned threads_of_node(const CommandOptions& options, const ClusterOptions& cluster) {
  if (options.load.threads > 0) return options.load.threads;
  if (cluster.fabric == Fabric::Sim) return 1;
  const std::uint32_t here =
      cluster.job != nullptr ? cluster.job->nodes_on_this_host() : cluster.nodes;
  return std::max(1U, thread_count(0) / std::max(1U, here));
}

bool continues_from_snapshot(const CommandOptions& options) {
  std::error_code ignored;
  return !options.from.empty() && std::filesystem::is_directory(options.from, ignored);
}

bool needs_hash(const CommandOptions& options) {
  return options.saving.any() || continues_from_snapshot(options) || options.json ||
         !options.report.empty() || options.kept != nullptr;
}

Result<ClusterOptions> cluster_of(const CommandOptions& options, Job* job) {
  ClusterOptions cluster;
  cluster.job = job;
  if (job != nullptr) {
    cluster.fabric = job->fabric();
    cluster.nodes = job->node_count();
    if (options.nodes && *options.nodes != cluster.nodes) {
      const GivenSetting* const given = find_given(options, "nodes");
      return fail(input_error(
          given != nullptr ? given->where : "--nodes",
          format("the launcher started {} processes, not {}", cluster.nodes, *options.nodes),
          "leave nodes out: every process is one"));
    }
  } else {
    cluster.fabric = options.fabric == Fabric::Sim ? Fabric::Sim : Fabric::Loopback;
    cluster.nodes = options.nodes.value_or(1);
  }
  if (cluster.nodes > kMostNodes) {
    return fail(input_error("--nodes",
                            format("{} is more than one process supports", cluster.nodes),
                            format("give at most {}", kMostNodes)));
  }
  if (job == nullptr) LEEWAY_TRY(admit_nodes(cluster.nodes, cluster.fabric == Fabric::Loopback));
  cluster.seed = options.load.seed;
  cluster.policy = options.policy;
  cluster.policy.optimizations = options.optimizations;
  cluster.service = options.service;
  if (options.network) {
    cluster.network = *options.network;
  } else if (cluster.fabric == Fabric::Sim) {
    LEEWAY_ASSIGN(cluster.network, parse_profile("infiniband"));
  }
  return cluster;
}

std::optional<std::string_view> whole_because(const Program& program, const EngineRun& run,
                                              const CommandOptions& options, Job& job) {
  if (run.run_part == nullptr) return program.name;
  if (!options.rhs.empty()) return "--rhs";
  if (options.continues()) return "--changes";
  if (!options.personalization.empty()) return "--personalization";
  if (!options.start.empty()) return "--start";
  if (!options.fixed.empty()) return "--fixed";
  if (!options.scene.frames.empty()) return "--frames";
  if (run.engine != EngineName::Pie) return std::nullopt;
  const std::uint32_t workers = options.pie.workers_on(job.node_count());
  if (options.pie.rebalance > 0) return "--rebalance";
  if (workers < job.node_count()) return "--workers";
  const bool of_workers =
      options.partition.method == PartitionMethod::File || options.partition.skew;
  return of_workers && workers != job.node_count() ? std::optional<std::string_view>("--partition")
                                                   : std::nullopt;
}

Status check_own_part(const Request& run, const CommandOptions& options, Job* job) {
  const bool asks = options.own_part || options.out_parts;
  if (!asks || job == nullptr || job->node_count() == 1) return {};
  const bool on_graph = run.engine == EngineName::Vertex || run.engine == EngineName::Pie;
  std::string what = format("the {} engine", engine_info(run.engine).name);
  if (on_graph) {
    const auto because = whole_because(*run.program, run.on(), options, *job);
    if (!because) return {};
    what = because == run.name() ? run.name() : format("{} with {}", what, *because);
  }
  return fail(input_error(options.own_part ? "gather" : "--out-parts",
                          format("{} has its results on process 0 only", what),
                          options.own_part ? "leave gather out" : "leave it out"));
}

namespace {

constexpr std::uint32_t kLdbcRounds = 10;

void set_rounds(const Request& run, const CommandOptions& options, EngineOptions& engine) {
  engine.iterations = options.iterations;
  engine.scheduler = *run.scheduler;
  if (run.engine == EngineName::Pie) return;
  const bool rounds = by_rounds(*run.program, options);
  if (rounds && !engine.iterations && engine.scheduler == Scheduler::Bsp)
    engine.iterations = kLdbcRounds;
  if (engine.iterations && !rounds) engine.visit = Visit::All;
  if (find_given(options, "patience") == nullptr) engine.patience = run.program->patience;
}

/// The library's error about an option, as one about the flag.
Status about_flag(Status checked) {
  if (checked) return {};
  Error error = std::move(checked).error();
  error.where = "--" + error.where;
  return fail(std::move(error));
}

Status check_deterministic(const ProgramCall& call) {
  const EngineOptions& engine = call.options.vertex;
  const ClusterOptions& cluster = call.options.cluster;
  const bool alone = cluster.nodes == 1 && engine.threads == 1;
  const bool in_step = engine.scheduler == Scheduler::Bsp &&
                       !(call.run->splits_rounds && call.options.pie.workers == 1);
  const bool same = call.program->exact || cluster.fabric == Fabric::Sim || alone || in_step;
  if (same) return {};
  return fail(input_error(
      "--deterministic",
      format("{} under {} uses values as they arrive, so its last digits depend on timing",
             call.program->name, scheduler_name(engine.scheduler)),
      "give --scheduler bsp, --fabric sim, or one node with one thread"));
}

/// Whether one fragment uses all threads of the node, instead of a fragment for each. The threads use values as they arrive.
bool splits_rounds(const Request& run, const ProgramCall& call, const CommandOptions& options) {
  const pie::PieOptions& how = call.options.pie;
  return run.engine == EngineName::Pie && call.run->splits_rounds && !options.deterministic &&
         call.options.cluster.nodes == 1 && how.workers <= 1 && how.rebalance == 0 &&
         options.partition.method != PartitionMethod::File;
}

/// Other fragments use several threads only on request, because each thread's fragment adds messages. Runs that must be
/// deterministic use one thread where more would change the result.
unsigned threads_of(const Request& run, const ProgramCall& call, const CommandOptions& options,
                    bool splits) {
  const Scheduler scheduler = run.scheduler.value_or(Scheduler::DoWork);
  const bool by_pieces = scheduler == Scheduler::AsyTick;
  const bool by_workers = run.engine == EngineName::Pie && !splits;
  const bool must_be_one =
      options.deterministic && !call.program->exact && scheduler != Scheduler::Bsp;
  if (options.load.threads == 0 && (by_workers || by_pieces || must_be_one)) return 1;
  return threads_of_node(options, call.options.cluster);
}

}  // namespace

Result<ProgramCall> call_of(const Request& run, const CommandOptions& options, Job* job) {
  ProgramCall call;
  call.program = run.program;
  call.run = &run.on();
  LEEWAY_ASSIGN(call.options.cluster, cluster_of(options, job));
  EngineOptions& engine = call.options.vertex;
  engine = options.vertex;
  settle_weights(options, engine.alpha, engine.beta);
  engine.pieces = options.pieces;
  if (call.run->needs_bound && !engine.staleness) engine.staleness = 0;
  call.options.pie = options.pie;
  engine.stop = options.stop;
  const bool splits = splits_rounds(run, call, options);
  engine.threads = threads_of(run, call, options, splits);
  call.options.cluster.compute_threads = engine.threads;
  // Most virtual workers compute on one thread at a time. A file of owners defines the number of workers itself.
  std::uint32_t& workers = call.options.pie.workers;
  if (run.engine == EngineName::Pie && workers == 0 &&
      options.partition.method != PartitionMethod::File) {
    const unsigned least = options.pie.rebalance > 0 ? kWorkersToMove : 1;
    const unsigned threads = splits ? 1 : engine.threads;
    workers = call.options.cluster.nodes * std::max(threads, least);
  }
  set_rounds(run, options, engine);
  LEEWAY_TRY(about_flag(check_cache(engine)));
  LEEWAY_TRY(about_flag(check_eviction(engine, call.run->selects && works_by_list(engine))));
  if (call.run->needs_bound &&
      (engine.scheduler == Scheduler::Ap || engine.scheduler == Scheduler::Hsync)) {
    return fail(input_error("--scheduler",
                            format("{} needs a bound on staleness, and {} has none", run.name(),
                                   scheduler_name(engine.scheduler)),
                            "give aap, ssp or bsp"));
  }
  call.options.partition = options.partition;
  call.options.trace = !options.trace.empty() || !options.report.empty();
  call.options.residuals = !options.report.empty() || options.kept != nullptr;
  call.parameters = options.program;
  if (options.deterministic) LEEWAY_TRY(check_deterministic(call));
  if (!options.scene.frames.empty()) call.options.frame_every = options.scene.frame_every;
  return call;
}

bool measures(const CommandOptions& options) {
  return !options.report.empty() || options.kept != nullptr;
}

tick::TickOptions tick_options(const CommandOptions& options, const ClusterOptions& cluster) {
  tick::TickOptions ticks = options.tick;
  ticks.ticks = tick::Tick(options.iterations.value_or(TickedSettings::kTicks));
  ticks.frames = options.scene.frames.empty() ? 0 : options.scene.frame_every;
  ticks.stop = options.stop;
  ticks.trace = !options.trace.empty() || !options.report.empty();
  ticks.threads = threads_of_node(options, cluster);
  ticks.measure = measured_every(measures(options), ticks.ticks.value());
  ticks.meter = cluster.fabric != Fabric::Sim && ticks.threads == 1;
  return ticks;
}

piece::PieceOptions piece_options(const CommandOptions& options, const ClusterOptions& cluster) {
  piece::PieceOptions engine = options.piece;
  settle_weights(options, engine.alpha, engine.beta);
  engine.ticks = options.iterations.value_or(TickedSettings::kTicks);
  engine.threads = threads_of_node(options, cluster);
  engine.stop = options.stop;
  engine.frame_every = options.scene.frames.empty() ? 0 : options.scene.frame_every;
  engine.trace = !options.trace.empty() || !options.report.empty();
  return engine;
}

Error in_graph(Error error, const CommandOptions& options) {
  if (!options.graph) return error;
  // The place of another node's error is at the beginning of its text.
  const bool of_node = error.where.starts_with("node ") && error.where.ends_with(" failed");
  std::string& place = of_node ? error.what : error.where;
  for (const std::string_view graph : {"--graph", "matrix"}) {
    const bool here = of_node ? place.starts_with(format("{}: ", graph)) : place == graph;
    if (!here) continue;
    place.replace(0, graph.size(), *options.graph);
    break;
  }
  if (place.starts_with("row ") || place.starts_with("arc "))
    place = format("{}: {}", *options.graph, place);
  return error;
}

namespace {

/// The options with all that a run has decided filled in.
CommandOptions resolved(const CommandOptions& options, const ProgramCall& call, const Request& run,
                        const std::string& source) {
  const EngineOptions& engine = call.options.vertex;
  const ClusterOptions& cluster = call.options.cluster;
  CommandOptions all = options;
  all.engine = run.engine;
  all.scheduler = engine.scheduler;
  all.vertex = engine;
  all.vertex.staleness = schedule_of(engine).bound;
  all.alpha = engine.alpha;
  all.beta = engine.beta;
  all.pie.workers = call.options.pie.workers_on(cluster.nodes);
  all.source = source;
  all.load.threads = engine.threads;
  all.partition = call.options.partition;
  all.iterations = engine.iterations;
  set_cluster(cluster, all);
  return all;
}

}  // namespace

void set_cluster(const ClusterOptions& cluster, CommandOptions& options) {
  options.fabric = cluster.fabric;
  options.policy = cluster.policy;
  options.service = service_of(cluster);
  options.nodes = cluster.nodes;
  options.network = cluster.network;
}

Configuration configuration(const ProgramCall& call, const Request& run, const std::string& source,
                            const CommandOptions& options) {
  Configuration pairs = configuration_of(resolved(options, call, run, source), options, run);
  if (!options.from_properties.empty())
    pairs.emplace_back(kFromProperties, options.from_properties);
  return pairs;
}

void choose_what_is_read(const Request& run, CommandOptions& options) {
  LoadOptions& load = options.load;
  const bool ratings = run.program->input == ProgramInput::Ratings;
  if (ratings && load.has_csv_options() && !load.format) load.format = "ratings";
  const EngineRun& on = run.on();
  const bool needs_weights =
      needs_hash(options) || on.memory == nullptr || on.memory().needs.weights;
  if (!needs_weights && load.weights == Weights::File && is_binary_name(options.graph.value_or("")))
    load.weights = Weights::None;
}

bool keeps_parts(const ProgramCall& call, const CommandOptions& options, Job* job) {
  if (job == nullptr || job->node_count() == 1) return false;
  const bool keeps_whole = options.kept != nullptr && !options.own_part;
  return !keeps_whole && !whole_because(*call.program, *call.run, options, *job);
}

Status check_requested(const Request& run, const CommandOptions& options, Job* job) {
  if (run.program->on_graph() && !options.graph) {
    return fail(input_error(
        "leeway run", "the graph is missing",
        format("for example: leeway run {} {}", run.name(), example_graph(run.program->input))));
  }
  const bool cells = run.engine == EngineName::Vertex;
  if (cells && !options.scene.frames.empty() && !plane_of(*options.graph)) {
    return fail(input_error(
        "--frames", format("the vertices of {} have no positions in a plane", *options.graph),
        "give grid2d:WxH, matrix:poisson2d:WxH or matrix:anisotropic:WxH:…"));
  }
  if (job == nullptr || job->self() == NodeId(0)) LEEWAY_TRY(check_snapshot_folder(options));
  return check_own_part(run, options, job);
}

}  // namespace leeway::app
