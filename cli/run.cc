#include "cli/run.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/parallel.h"
#include "cli/applicability.h"
#include "cli/command.h"
#include "cli/engine_reports.h"
#include "cli/graph_argument.h"
#include "cli/job_agreement.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/result_table.h"
#include "cli/scene.h"
#include "cli/snapshots.h"
#include "datasets/binary.h"
#include "datasets/graph_hash.h"
#include "datasets/text_input.h"
#include "datasets/vertex_column.h"
#include "leeway/pie_program.h"
#include "programs/pie/filtering.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/pie/predictor.h"
#include "transport/launch.h"

namespace leeway::cli {

namespace {
constexpr std::uint32_t kMostNodes = 4096;
constexpr unsigned kWorkersToMove = 4;  // default number per node, if workers move
constexpr std::uint64_t kVerifiedCellTicks = 20'000'000;
constexpr double kVerifiedPairTicks = 2e9;
}  // namespace

unsigned threads_of_node(const CommandOptions& options, const ClusterOptions& cluster) {
  if (options.load.threads > 0) return options.load.threads;
  if (cluster.fabric == Fabric::Sim) return 1;
  const std::uint32_t here =
      cluster.job != nullptr ? cluster.job->nodes_on_this_host() : cluster.nodes;
  return std::max(1U, thread_count(0) / std::max(1U, here));
}

bool needs_hash(const CommandOptions& options) {
  return options.saving.any() || options.json || !options.report.empty() || options.kept != nullptr;
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

bool verifies_cells(const CommandOptions& options, std::uint64_t cells, std::uint64_t ticks) {
  return options.verify.value_or(cells * ticks <= kVerifiedCellTicks);
}

bool verifies_pairs(const CommandOptions& options, std::uint64_t things, double range, double width,
                    std::uint64_t ticks) {
  const double pairs = reference::swept_pairs(things, range, width);
  return options.verify.value_or(pairs * static_cast<double>(ticks) <= kVerifiedPairTicks);
}

namespace {

/// Why each process keeps the whole graph: a setting, or the program's name if it cannot run on parts; none: it keeps its part.
std::optional<std::string_view> whole_because(const ProgramInfo& program,
                                              const CommandOptions& options, Job& job) {
  if (program.run_part == nullptr) return program.name;
  if (!options.rhs.empty()) return "--rhs";
  if (!options.start.empty()) return "--start";
  if (!options.fixed.empty()) return "--fixed";
  if (!options.scene.frames.empty()) return "--frames";
  if (program.engine != "pie") return std::nullopt;
  const std::uint32_t workers = options.pie.workers_on(job.node_count());
  if (options.pie.rebalance > 0) return "--rebalance";
  if (options.pie.forest) return "--predictor";
  if (!options.round_log.empty()) return "--round-log";
  if (job.replaces_lost()) return "leeway launch --spares";
  if (workers < job.node_count()) return "--workers";
  const bool of_workers =
      options.partition.method == PartitionMethod::File || options.partition.skew;
  return of_workers && workers != job.node_count() ? std::optional<std::string_view>("--partition")
                                                   : std::nullopt;
}

}  // namespace

Status check_own_part(const Request& run, const CommandOptions& options, Job* job) {
  const bool asks = options.own_part || options.out_parts;
  if (!asks || job == nullptr || job->node_count() == 1) return {};
  const bool on_graph = run.engine == EngineName::Vertex || run.engine == EngineName::Pie;
  std::string what = format("the {} engine", engine_info(run.engine).name);
  if (on_graph) {
    const ProgramInfo& program = *program_on(run.engine, run.name());
    const auto because = whole_because(program, options, *job);
    if (!because) return {};
    what = because == program.name ? run.name() : format("{} with {}", what, *because);
  }
  return fail(input_error(options.own_part ? "gather" : "--out-parts",
                          format("{} has its results on process 0 only", what),
                          options.own_part ? "leave gather out" : "leave it out"));
}

void time_baseline(const ProgramInfo& program, const Graph& graph,
                   const ProgramParameters& parameters, std::uint32_t iterations,
                   ReportFigures& figures) {
  const Baseline& baseline = program.baseline;
  if (graph.vertex_count() == 0 || baseline.time == nullptr) return;
  figures.cost_seconds = baseline.time(graph, parameters, iterations);
  figures.cost_method = baseline.method;
}

namespace {

// How a run of the vertex and pie engines ended, and whether its result can be verified.

/// The number of iterations that the program itself defines, if --iterations was not given.
std::optional<std::uint32_t> own_iterations(const ProgramCall& call,
                                            const CommandOptions& options) {
  if (options.iterations) return std::nullopt;
  if (call.program->name == "cf") return pie::FilteringParameters().most_rounds;
  return call.options.vertex.iterations;
}

bool changed_at_last(const Record& record) {
  return std::any_of(record.nodes.begin(), record.nodes.end(), [](const NodeRecord& node) {
    return !node.iterations.empty() && node.iterations.back().changed > 0;
  });
}

}  // namespace

bool did_its_iterations(const ProgramCall& call, const CommandOptions& options,
                        const Record& record) {
  const std::uint64_t done = record.all_iterations();
  if (options.iterations) return done >= *options.iterations;
  const auto own = own_iterations(call, options);
  return own && done >= *own && (call.program->name == "cf" || changed_at_last(record));
}

bool has_converged(const ProgramCall& call, const CommandOptions& options, const Record& record) {
  return record.converged() && !did_its_iterations(call, options, record);
}

namespace {

/// Readers verify that an undirected graph has both directions of each edge, except of a .lwg file.
Status check_symmetric(const Graph& graph, const std::string& name) {
  if (graph.directed()) return {};
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    for (const VertexId to : graph.neighbors(v)) {
      const auto back = graph.neighbors(to);
      if (std::binary_search(back.begin(), back.end(), v)) continue;
      return fail(input_error(
          name,
          format(
              "vertex {0} lists {1}, but {1} does not list {0}, although the graph is undirected",
              graph.names().name(v), graph.names().name(to)),
          "make the file again with `leeway convert`"));
    }
  }
  return {};
}

}  // namespace

Status check_result(const ProgramCall& call, const Graph& graph, const CommandOptions& options,
                    const ProgramResult& run, Report& report) {
  const bool counted =
      (options.iterations || own_iterations(call, options)) && call.program->checks_rounds;
  if (!has_converged(call, options, run.record) && !counted) {
    if (options.verify == true) report.verified = "not checked: the run ended before it converged";
    return {};
  }
  if (!options.verify.value_or(graph.arc_count() <= kVerifiedArcs)) return {};
  const CheckingPhase phase(report);
  Result<std::string> verified =
      call.program->verify(graph, call.parameters, call.options, run.values);
  if (!verified) LEEWAY_TRY(check_symmetric(graph, *options.graph));
  LEEWAY_ASSIGN(report.verified, std::move(verified));
  return {};
}

std::string why(const ProgramCall& call, const CommandOptions& options, const Record& record) {
  if (did_its_iterations(call, options, record)) {
    if (options.iterations) return "the requested iterations are complete";
    if (call.program->name != "cf") return "the iterations that define its result are complete";
    return format("all {} passes are complete, the default of --iterations",
                  record.all_iterations());
  }
  if (record.converged())
    return "nothing changes, no stale value was used, no message is in transit";
  return format(
      "stopped after {} iterations, the last {} of which made no progress (--patience {})",
      record.iterations(), call.options.vertex.patience, call.options.vertex.patience);
}

namespace {

constexpr std::uint32_t kLdbcRounds = 10;

void set_rounds(const Request& run, const CommandOptions& options, EngineOptions& engine) {
  engine.iterations = options.iterations;
  engine.scheduler = *run.scheduler;
  if (run.engine == EngineName::Pie) return;
  const bool rounds = by_rounds(run.name(), options);
  if (rounds && !engine.iterations && engine.scheduler == Scheduler::Bsp)
    engine.iterations = kLdbcRounds;
  if (engine.iterations && !rounds) engine.visit = Visit::All;
  if (find_given(options, "patience") == nullptr) engine.patience = run.program->info->patience;
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
                       !(call.program->splits_rounds && call.options.pie.workers == 1);
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
  return run.engine == EngineName::Pie && call.program->splits_rounds && !options.deterministic &&
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
  call.program = program_on(run.engine, run.name());
  const ProgramInfo& program = *call.program;
  LEEWAY_ASSIGN(call.options.cluster, cluster_of(options, job));
  EngineOptions& engine = call.options.vertex;
  engine = options.vertex;
  settle_weights(options, engine.alpha, engine.beta);
  engine.pieces = options.pieces;
  const bool descends = program.name == "cf";
  if (descends && !engine.staleness) engine.staleness = 0;
  call.options.pie = options.pie;
  call.options.pie.keep_round_log = !options.round_log.empty();
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
  LEEWAY_TRY(about_flag(check_eviction(engine, program.selects && works_by_list(engine))));
  if (descends && (engine.scheduler == Scheduler::Ap || engine.scheduler == Scheduler::Hsync)) {
    return fail(input_error(
        "--scheduler",
        format("cf needs a bound on staleness, and {} has none", scheduler_name(engine.scheduler)),
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

namespace {

bool leads_away(const Graph& graph, VertexId vertex) {
  const auto reached = graph.neighbors(vertex);
  return std::any_of(reached.begin(), reached.end(), [&](VertexId v) { return v != vertex; });
}

}  // namespace

Status find_source(const Graph& graph, const CommandOptions& options, ProgramCall& call) {
  if (!options.source) {
    if (!call.program->source) return {};
    VertexId first(0);
    while (first.value() < graph.vertex_count() && !leads_away(graph, first)) first = first.next();
    if (first.value() < graph.vertex_count()) call.parameters.source = first;
    return {};
  }
  const auto vertex = graph.names().find(*options.source);
  if (!vertex) {
    return fail(no_such_source(*options.source));
  }
  call.parameters.source = *vertex;
  call.parameters.source_given = true;
  return {};
}

namespace {

/// Reads the files of cell values.
Status read_cells(const Graph& graph, const CommandOptions& options, CellValues& cells) {
  const VertexNames& names = graph.names();
  if (!options.rhs.empty()) {
    LEEWAY_ASSIGN(cells.right_side, read_vertex_values(options.rhs, names, 0));
  }
  if (!options.start.empty()) {
    LEEWAY_ASSIGN(cells.start, read_vertex_values(options.start, names, 0));
  }
  if (options.fixed.empty()) return {};
  LEEWAY_ASSIGN(cells.fixed, read_vertex_values(options.fixed, names, std::nan("")));
  return {};
}

Status read_parameters(const Graph& graph, const CommandOptions& options, ProgramCall& call) {
  LEEWAY_TRY(find_source(graph, options, call));
  return read_cells(graph, options, call.parameters.cells);
}

void look_at_source(const Graph& graph, const ProgramCall& call) {
  if (!call.program->source || graph.vertex_count() == 0) return;
  const VertexId source = call.parameters.source;
  if (leads_away(graph, source)) return;
  const VertexId busiest = reference::busiest(graph);
  warn_of_isolated_source(graph.names().name(source),
                          leads_away(graph, busiest) ? graph.names().name(busiest) : std::string());
}

std::string shown_source(const Graph& graph, const ProgramCall& call,
                         const CommandOptions& options) {
  if (graph.vertex_count() == 0) return "none";
  const std::string name(graph.names().name(call.parameters.source));
  return options.source ? name : default_source(name, call.parameters.source);
}

template <class T>
Result<T> in_graph(Result<T> result, const CommandOptions& options) {
  if (result || options.borrowed != nullptr || !options.graph) return result;
  return fail(in_graph(std::move(result).error(), options));
}

}  // namespace

Error in_graph(Error error, const CommandOptions& options) {
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

Error no_such_source(const std::string& name) {
  return input_error("--source", format("the graph has no vertex '{}'", name),
                     "name a vertex as the input does; leeway info shows the first names");
}

std::string default_source(const std::string& name, VertexId vertex) {
  return format("{} ({})", name,
                vertex == VertexId(0) ? "the first" : "the first with an arc to another vertex");
}

void warn_of_isolated_source(const std::string& name, const std::string& busiest) {
  const auto needs_no_quotes = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  const bool plain = std::all_of(busiest.begin(), busiest.end(), needs_no_quotes);
  log_warning("source '{}' reaches no other vertex; {}", name,
              busiest.empty() ? "no vertex has an arc to another"
                              : format("--source {} is the vertex with most arcs",
                                       plain ? busiest : shell_quoted(busiest)));
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

namespace {

/// A report with program, configuration and input.
Report begin_report(const ProgramCall& call, const Request& decided, const Graph& graph,
                    std::string hash, const CommandOptions& options) {
  const ClusterOptions& cluster = call.options.cluster;
  std::string_view because;
  if (cluster.job != nullptr)
    because = whole_because(*call.program, options, *cluster.job).value_or("its caller");
  Report report;
  report.engine = call.program->engine;
  report.program = call.program->name;
  report.configuration = configuration(call, decided, shown_source(graph, call, options), options);
  if (hash.empty() && needs_hash(options)) hash = hash_of(graph);
  report.input = {*options.graph, std::move(hash), graph.vertex_count(), graph.arc_count(),
                  whole_graph_held(cluster, graph.bytes(), because)};
  return report;
}

/// For cf, a CSV file is a table of ratings. To read and check weights takes as long as the rest of a binary file, and is left
/// out if nothing needs them.
void choose_what_is_read(const Request& run, CommandOptions& options) {
  LoadOptions& load = options.load;
  if (run.name() == "cf" && load.has_csv_options() && !load.format) load.format = "ratings";
  const ProgramInfo* const program = program_on(run.engine, run.name());
  const bool needs_weights = needs_hash(options) || program == nullptr ||
                             program->memory == nullptr || program->memory().needs.weights;
  if (!needs_weights && load.weights == Weights::File && is_binary_name(options.graph.value_or("")))
    load.weights = Weights::None;
}

/// True if each process holds only a part of the graph.
bool keeps_parts(const ProgramInfo& program, const CommandOptions& options, Job* job) {
  if (job == nullptr || job->node_count() == 1) return false;
  const bool keeps_whole = options.kept != nullptr && !options.own_part;
  return !keeps_whole && !whole_because(program, options, *job);
}

/// The name of this process's values file, if each process writes one.
std::string own_values(const CommandOptions& options, Job* job) {
  if (!options.out_parts) return {};
  return part_name(*options.out, job->self().value(), job->node_count());
}

/// Returns values to a caller inside the process, and the names of a graph that the caller did not provide.
Status keep(ProgramResult& run, const Graph& graph, const CommandOptions& options, Kept& kept) {
  kept.values = std::move(run.values);
  if (options.borrowed != nullptr) return {};
  LEEWAY_ASSIGN(kept.names, names_of_range(graph.names(), 0, graph.vertex_count()));
  return {};
}

/// The log of one query, for training of predictors.
std::string query_log(const ProgramInfo& program, const Graph& graph,
                      const std::vector<pie::RoundSample>& samples) {
  pie::RoundLog log{.program = std::string(program.name),
                    .vertices = graph.vertex_count(),
                    .embedding = pie::kEmbedding,
                    .samples = samples,
                    .queries = {0}};
  if (!samples.empty())
    log.embedding =
        static_cast<std::uint32_t>(samples.front().features.size()) - pie::kScalarFeatures;
  return pie::round_log_text(log);
}

/// Plans snapshots, if requested, and returns the graph's hash; empty: not needed yet.
Result<std::string> hash_for_snapshots(const Graph& graph, const Request& decided,
                                       const CommandOptions& options, ProgramCall& call) {
  if (!options.saving.any()) return std::string();
  std::string hash = hash_of(graph);
  LEEWAY_TRY(prepare_snapshots(options, configuration(call, decided, {}, options),
                               {*options.graph, hash, graph.vertex_count(), graph.arc_count()},
                               call));
  return hash;
}

/// The frames of cells in a plane, if requested.
std::function<std::string()> film_of(const ProgramInfo& program, const CommandOptions& options,
                                     const Record& record) {
  if (options.scene.frames.empty()) return {};
  return [&] {
    CellFilm film{.program = std::string(program.name)};
    std::tie(film.width, film.height) = plane_of(*options.graph).value();
    for (const ResultFrame& frame : record.frames) {
      CellFilm::CellFrame& picture = film.pictures.emplace_back();
      picture.iteration = frame.iteration;
      picture.values.resize(frame.results.size() / sizeof(double));
      std::memcpy(picture.values.data(), frame.results.data(),
                  picture.values.size() * sizeof(double));
    }
    return film_json(film);
  };
}

Status check_requested(const Request& run, const CommandOptions& options, Job* job) {
  if (run.program->graph && !options.graph) {
    return fail(
        input_error("leeway run", "the graph is missing",
                    format("for example: leeway run {} {}", run.name(),
                           run.program->info->matrix ? "matrix:dominant:500:20" : "known:karate")));
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

}  // namespace

Result<int> run_in(const Invocation& given, Job* job) {
  const std::string name = given.argument(0);
  LEEWAY_TRY(program_called(name));
  Invocation invocation = given;
  LEEWAY_ASSIGN(const Request decided, decide_run(name, invocation.options, job));
  choose_what_is_read(decided, invocation.options);
  const bool first = job == nullptr || job->self() == NodeId(0);
  if (first) report_warnings(invocation.options);
  const CommandOptions& options = invocation.options;
  if (first)
    log_info("running {} on the {} engine, {} nodes over {}", name,
             engine_info(decided.engine).name, decided.nodes, fabric_name(decided.fabric));
  LEEWAY_TRY(agree_in_job(job, check_requested(decided, options, job)));
  if (decided.engine == EngineName::Tick || decided.engine == EngineName::Piece) {
    LEEWAY_ASSIGN(const ClusterOptions cluster, cluster_of(options, job));
    return decided.engine == EngineName::Tick ? run_tick(invocation, decided, cluster)
                                              : run_piece(invocation, decided, cluster);
  }
  LEEWAY_ASSIGN(ProgramCall call, call_of(decided, options, job));
  LEEWAY_ASSIGN(Outputs outputs,
                agree_in_job(job, Outputs::open(options, first, own_values(options, job))));
  if (keeps_parts(*call.program, options, job))
    return run_on_parts(invocation, decided, std::move(call), outputs);
  const Stopwatch loading;
  LEEWAY_ASSIGN(const OpenedGraph held, OpenedGraph::in(job, options));
  const Graph& graph = *held;
  const double load = loading.elapsed_seconds();
  LEEWAY_TRY(read_parameters(graph, options, call));
  if (first) look_at_source(graph, call);
  LEEWAY_TRY(in_graph(admit(*call.program, graph, call.parameters, call.options), options));
  LEEWAY_ASSIGN(const double dividing, settle_division(*options.graph, graph, call.options));
  const ProgramInfo* const program = call.program;
  LEEWAY_ASSIGN(std::string hash, hash_for_snapshots(graph, decided, options, call));
  std::optional<Watch> watch(std::in_place, options);
  watch->progress()->start("setting up " + std::string(program->name));
  call.options.progress = call.options.partition.progress = watch->progress();
  const GraphCopy copy(graph, decided.engine == EngineName::Pie ? job : nullptr, options);
  LEEWAY_ASSIGN(ProgramResult run,
                in_graph(program->run(graph, call.parameters, call.options), options));
  if (!first) return 0;
  run.record.phases.load = load;
  run.record.phases.partition += dividing;
  Report report = begin_report(call, decided, graph, std::move(hash), options);
  add_snapshots(call.options, run.record, report);
  report.why = why(call, options, run.record);
  report.converged = has_converged(call, options, run.record);
  report.gave_up = !*report.converged && !did_its_iterations(call, options, run.record);
  log_info("{} iterations; {}", run.record.iterations(), report.why);
  LEEWAY_TRY(check_result(call, graph, options, run, report));
  watch.reset();
  ReportFigures figures{.figures = std::move(run.figures),
                        .cache_bounded = call.options.vertex.cache.any()};
  if (options.cost)
    time_baseline(*program, graph, call.parameters, run.record.iterations(), figures);
  LEEWAY_TRY(write_to(outputs.round_log,
                      [&] { return query_log(*program, graph, run.record.rounds->round_log()); }));
  add_vertex_run(run.record, figures, report);
  answer_of(*program, run.values, graph.vertex_count(), nullptr)
      .write(shown_source(graph, call, options), report.answer);
  report.frames = options.scene.frames;
  const bool ldbc = call.parameters.ldbc;
  const ReportedResults results{.values = values_table(graph.names(), run.values, ldbc),
                                .ranked = ranked_table(*program, graph.names(), run.values, ldbc),
                                .film = film_of(*program, options, run.record),
                                .top = options.top,
                                .taken = outputs.kept != nullptr};
  LEEWAY_TRY(finish(report, results, outputs, options.json, invocation.begun));
  if (outputs.kept != nullptr) LEEWAY_TRY(keep(run, graph, options, *outputs.kept));
  return exit_code_of(report.gave_up, options, run.record.snapshots());
}

}  // namespace leeway::cli

// `leeway run` and `leeway simulate` from the command line, as a single process or as a process that a launcher
// started.
extern char** environ;

namespace leeway::cli {

bool prints(const Error& agreed, Job& job) {
  if (job.node_count() == 1) return true;
  if (is_reported_elsewhere(agreed)) return false;
  const bool of_a_node = agreed.where.starts_with("node ") && agreed.where.ends_with(" failed");
  return !of_a_node || agreed.where == format("node {} failed", job.self());
}

namespace {

/// Joins the job, runs, and leaves as the launcher requires.
[[noreturn]] void run_as_process(const Invocation& invocation, Job& job) {
  Invocation mine = invocation;
  mine.options.quiet = invocation.options.quiet || job.self() != NodeId(0);
  const Result<int> outcome = guarded([&]() -> Result<int> {
    LEEWAY_TRY(agree_on_settings(mine, job));
    return run_in(mine, &job);
  });
  // A failure on one process becomes the error and exit code of all processes.
  const Status agreed = job.agree(outcome ? Status{} : fail(outcome.error()));
  int code = agreed ? *outcome : agreed.error().exit_code();
  if (!agreed && prints(agreed.error(), job))
    std::fprintf(stderr, "%s\n", agreed.error().to_string().c_str());
  if (const Status left = job.leave(); !left) {
    std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
    if (code == 0) code = left.error().exit_code();
  }
  job.exit(code);
}

/// Only one process of a job has the launcher's standard input, and a pipe delivers each byte once.
Status check_shared_input(const CommandOptions& options) {
  if (!options.graph || !gives_once(*options.graph)) return {};
  return fail(input_error("GRAPH",
                          format("the processes of a job cannot share {}",
                                 *options.graph == "-" ? "standard input" : *options.graph),
                          "write it to a file that all of them can read"));
}

}  // namespace

Result<int> run_simulate(const Invocation& invocation) {
  const std::string name = invocation.argument(0);
  const auto simulations = simulation_names();
  if (std::find(simulations.begin(), simulations.end(), name) == simulations.end()) {
    return fail(input_error("leeway simulate", format("'{}' is not a simulation", name),
                            did_you_mean(name, simulations)));
  }
  return run_run(invocation);
}

Result<int> run_run(const Invocation& given) {
  Invocation invocation = given;
  LEEWAY_TRY(take_graph_argument(invocation.argument(1), invocation.options));
  Fabric fabric = invocation.options.fabric;
  if (fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(fabric, detect_fabric(::environ));
  }
  if (fabric != Fabric::Mpi && fabric != Fabric::Ofi) {
    warn_of_others(format("--fabric {}", fabric_name(fabric)));
    answer_job_signals(!invocation.options.saving.folder.empty());
    return run_in(invocation, nullptr);
  }
  if (fabric == Fabric::Mpi && !read_launch(::environ).pmi) {
    return fail(input_error("--fabric", "mpi needs mpiexec",
                            format("mpiexec -n {} leeway {}", invocation.options.nodes.value_or(2),
                                   fmt::join(invocation.words, " "))));
  }
  LEEWAY_TRY(check_shared_input(invocation.options));
  if (fabric == Fabric::Ofi && !read_launch(::environ).rendezvous) {
    return fail(
        input_error("--fabric", "ofi needs leeway launch",
                    format("leeway launch -n {} -- {}", invocation.options.nodes.value_or(2),
                           fmt::join(invocation.words, " "))));
  }
  JobOptions joining;
  joining.fabric = fabric;
  joining.provider = invocation.options.provider;
  LEEWAY_ASSIGN(const std::unique_ptr<Job> job, join_job(joining));
  run_as_process(invocation, *job);
}

}  // namespace leeway::cli
