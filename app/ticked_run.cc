// A run by ticks: the steps of a TickedRun with its input, snapshots, report and outputs.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/applicability.h"
#include "app/engine_reports.h"
#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/output.h"
#include "app/report.h"
#include "app/run.h"
#include "app/run_options.h"
#include "app/snapshots.h"
#include "app/source.h"
#include "base/clock.h"
#include "base/format.h"
#include "datasets/graph_hash.h"
#include "programs/catalog/ticked_run.h"

namespace leeway::app {

namespace {

constexpr std::string_view kDefaultTicksAreDone =
    "the program's default number of ticks is complete; --iterations sets another";

class TickedFlow final : public RunFlow {
 public:
  TickedFlow(const CommandOptions& options, const Request& decided, const ClusterOptions& cluster,
             Instant begun)
      : RunFlow(options, decided, cluster.job, begun), cluster_(cluster) {}

 private:
  Status open() override {
    if (decided().engine == EngineName::Piece)
      LEEWAY_TRY(piece::admit_options(piece_options(options(), cluster_)));
    if (decided().program->on_graph()) LEEWAY_TRY(open_graph());
    set_settings();
    if (held_) LEEWAY_TRY(agree_in_job(job(), read_parameters()));
    run_ = decided().on().ticked(settings_);
    for (const MemoryDemand& each : run_->memory())
      LEEWAY_TRY(admit_memory(each.flag, each.things, each.count, each.bytes_each));
    LEEWAY_TRY(agree_in_job(job(), run_->open()));
    subject_ = run_->subject();
    return {};
  }

  Status open_graph() {
    const Stopwatch watch;
    LEEWAY_ASSIGN(held_, OpenedGraph::in(job(), options()));
    load_seconds_ = watch.elapsed_seconds();
    const Graph& graph = **held_;
    const bool chosen = options().partition.method != PartitionMethod::Auto;
    settings_.partition = options().partition;
    settle_method(cluster_, graph, settings_.partition);
    // METIS finds nothing to divide in a dense matrix.
    const std::uint64_t rows = graph.vertex_count();
    const bool matrix = decided().program->input == ProgramInput::Matrix;
    if (matrix && !chosen && 4 * graph.arc_count() >= rows * rows)
      settings_.partition.method = PartitionMethod::Block;
    settings_.graph = &graph;
    settings_.graph_name = *options().graph;
    settings_.graph_hash = hash_of(graph);
    return {};
  }

  void set_settings() {
    settings_.scene = options().scene;
    settings_.parameters = options().program;
    settings_.iterations = options().iterations;
    settings_.seed = options().load.seed;
    settings_.cluster = cluster_;
    settings_.tick = tick_options(options(), cluster_);
    settings_.piece = piece_options(options(), cluster_);
    settings_.weighs = options().alpha || options().beta;
    settings_.pieces = options().pieces;
    settings_.makes_state = is_first() || options().saving.any();
    settings_.measures = measures(options());
    settings_.first = is_first();
  }

  /// Checks the graph and reads what else the user gives about it.
  Status read_parameters() {
    const Graph& graph = *settings_.graph;
    const auto admit_graph = decided().program->admit;
    if (admit_graph != nullptr) LEEWAY_TRY(admit_graph(graph, settings_.parameters));
    return read_vertex_files(graph, options(), settings_.parameters);
  }

  Status save() override {
    snapshot::Identity what = subject_.identity;
    what.engine = engine_info(decided().engine).name;
    what.program = decided().name();
    LEEWAY_ASSIGN(Saving saving, saving_of(options(), true));
    saving.requests = watch_requests(options());
    span_ = run_->interval();
    last_ = span_.ticks;
    LEEWAY_ASSIGN(snapshots_, TickSnapshots::open(saving, std::move(what), cluster_, span_));
    return {};
  }

  /// Many pieces take time to create before the first tick.
  Status execute(Progress& progress) override {
    if (decided().engine == EngineName::Tick)
      progress.start("computing", span_.ticks, "ticks");
    else
      progress.start(format("making {} pieces", format_count(options().pieces)));
    const Stopwatch watch;
    LEEWAY_ASSIGN(record_, run_->run(*snapshots_, span_));
    whole_ = watch.elapsed();
    if (const auto* const pieces = std::get_if<PieceEngineRecord>(&record_))
      last_ = snapshots_->first() + pieces->record.ticks;
    return {};
  }

  Status describe(Report& report, ReportedResults& results) override {
    std::visit([&](const auto& each) { add_record(each, report); }, record_);
    snapshot_counts_ = snapshots_->end();
    add_snapshots(*snapshots_, snapshot_counts_, report);
    report.input.graph = subject_.name;
    report.input.hash = subject_.identity.graph_hash;
    report.input.arcs = subject_.identity.arcs;
    if (held_) {
      report.input.held = whole_graph_held(cluster_, settings_.graph->bytes(), "this engine");
      report.phases.load = load_seconds_;
    }
    for (const TickedFigure& figure : found_)
      report.answer.real(figure.key, figure.label, figure.value);
    results.values = run_->table();
    results.film = [this] { return run_->film(); };
    results.taken = false;
    return {};
  }

  /// Judges and verifies the result.
  Status check(Report& report) override {
    if (!is_first()) return {};
    LEEWAY_TRY(run_->judge(last_, found_));
    if (!options().verify.value_or(run_->verifies(last_))) return {};
    const CheckingPhase phase(report);
    LEEWAY_ASSIGN(report.verified, run_->verify(last_));
    return {};
  }

  /// `resolved`: the options with the values that the engine has used.
  void add_configuration(CommandOptions resolved, Report& report) const {
    resolved.engine = decided().engine;
    resolved.partition = held_ ? settings_.partition : options().partition;
    set_cluster(cluster_, resolved);
    report.configuration = configuration_of(resolved, options(), decided());
    report.simulated = cluster_.fabric == Fabric::Sim;
    report.frames = options().scene.frames;
  }

  /// What the time from the call to the result exceeds the ticks is the set-up phase. Virtual time has none.
  void add_record(const TickEngineRecord& record, Report& report) const {
    const std::uint32_t ticks = span_.ticks;
    CommandOptions resolved = options();
    resolved.tick = record.used;
    resolved.iterations = ticks;
    resolved.load.threads = record.used.threads;
    add_configuration(std::move(resolved), report);
    report.phases.compute = seconds(record.elapsed);
    if (!report.simulated) report.phases.setup = std::max(0.0, seconds(whole_ - record.elapsed));
    report.digest = record.digest;
    add_tick_run(record.nodes, {ticks, subject_.identity.vertices, record.rebalanced}, report);
    if (!options().iterations) report.why = kDefaultTicksAreDone;
  }

  void add_record(const PieceEngineRecord& run, Report& report) const {
    const piece::PieceRecord& record = run.record;
    CommandOptions resolved = options();
    resolved.piece = run.used;
    resolved.alpha = run.used.alpha;
    resolved.beta = run.used.beta;
    resolved.load.threads = run.used.threads;
    resolved.iterations = record.terminated ? std::nullopt : std::optional(record.ticks);
    add_configuration(std::move(resolved), report);
    if (span_.terminates) report.converged = record.terminated;
    report.gave_up = span_.terminates && !record.terminated && !options().iterations;
    add_piece_run(record, subject_.identity.vertices, report);
    if (!options().iterations && !span_.terminates) report.why = kDefaultTicksAreDone;
    if (report.gave_up) report.why = format("no convergence within {} ticks", record.ticks);
  }

  [[nodiscard]] snapshot::Counts snapshot_counts() const override { return snapshot_counts_; }

  const ClusterOptions cluster_;
  std::optional<OpenedGraph> held_;
  double load_seconds_ = 0;
  TickedSettings settings_;
  std::unique_ptr<TickedRun> run_;
  TickedSubject subject_;
  TickInterval span_;       // the remaining ticks, after a restart
  std::uint32_t last_ = 0;  // tick, including those before a restart
  std::unique_ptr<TickSnapshots> snapshots_;
  TickedRecord record_;
  Duration whole_{};  // from the call to the result
  std::vector<TickedFigure> found_;
  snapshot::Counts snapshot_counts_;
};

}  // namespace

std::unique_ptr<RunFlow> run_by_ticks(const CommandOptions& options, const Request& decided,
                                      const ClusterOptions& cluster, Instant begun) {
  return std::make_unique<TickedFlow>(options, decided, cluster, begun);
}

}  // namespace leeway::app
