#include "test/campaign/snapshot_run.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/format.h"
#include "snapshot/folder.h"
#include "snapshot/recorder.h"
#include "snapshot/source.h"
#include "test/campaign/library_graph.h"
#include "test/campaign/value_judge.h"

namespace leeway::campaign {

namespace {

namespace fs = std::filesystem;

class Job {
 public:
  Job(const SnapshotOptions& plan, std::string folder)
      : plan_(plan),
        graph_(library_graph(plan.graph, WeightKind::Integer)),
        folder_(std::move(folder)) {
    settings_.source = VertexId(plan.source);
    settings_.source_given = plan.program->takes(Parameter::Source);
    identity_ = {.engine = std::string(plan.engine_word()),
                 .program = std::string(plan.program->name),
                 .graph = "drawn",
                 .graph_hash = format("{:016x}", plan.seed),
                 .vertices = graph_.vertex_count(),
                 .arcs = graph_.arc_count()};
  }

  SnapshotOutcome run() {
    for (const Leg& leg : plan_.legs) {
      fs::create_directories(snapshots());
      if (!open_previous() || !run_leg(leg)) break;
      look_at_snapshots();
      if (!outcome_.wrong.empty()) break;
    }
    fs::remove_all(folder_);
    return outcome_;
  }

 private:
  /// Begin and end of a run's computation, on the virtual clock.
  struct Stretch {
    Instant begin{};
    Duration length{};
    [[nodiscard]] Instant at(double share) const {
      return std::max(begin + part(share), Instant(Duration(1)));
    }
    [[nodiscard]] Duration part(double share) const {
      return Duration(static_cast<Duration::rep>(static_cast<double>(length.count()) * share));
    }
  };

  [[nodiscard]] std::string snapshots() const { return folder_ + "/snapshots"; }

  bool wrong(std::string what) {
    outcome_.wrong = std::move(what);
    return false;
  }

  /// Opens the snapshot that the previous run has left, if there is one.
  bool open_previous() {
    resume_.reset();
    if (snapshot::numbers_in(snapshots())->empty()) return true;
    auto source = snapshot::Source::open_for(snapshots(), identity_);
    if (!source) return wrong("it cannot be resumed: " + source.error().to_string());
    ++outcome_.resumed;
    resume_ = std::make_shared<const snapshot::Source>(std::move(*source));
    return true;
  }

  bool run_leg(const Leg& leg) {
    RunOptions options = leg.options;
    // The same run without faults. It must end well too, and its duration determines when faults
    // strike.
    auto alone = run_once(leg, options, folder_ + "/alone");
    if (!alone) return wrong("without faults, it failed: " + alone.error().to_string());
    if (!judge(*alone, "left alone") || !took_some(leg, alone->record)) return false;
    fs::remove_all(folder_ + "/alone");
    const Stretch stretch = stretch_of(alone->record);
    Faults& faults = options.cluster.faults;
    if (leg.pause_at) {
      faults.pauses.push_back(
          {NodeId(leg.node), stretch.at(*leg.pause_at), stretch.part(leg.pause_share)});
    }
    if (leg.cut_at)
      faults.cuts.push_back({leg.side, stretch.at(*leg.cut_at), stretch.part(leg.cut_share)});
    if (leg.crash_at) faults.crashes.push_back({NodeId(leg.node), stretch.at(*leg.crash_at)});
    const auto faulty = run_once(leg, options, snapshots());
    if (faulty) return judge(*faulty, "with faults");
    ++outcome_.lost;
    const std::string what = faulty.error().to_string();
    const bool lost = leg.crash_at && what.find("a node was lost") != std::string::npos;
    return lost || wrong("it failed: " + what);
  }

  Result<ProgramResult> run_once(const Leg& leg, RunOptions options, const std::string& folder) {
    auto plan = std::make_shared<snapshot::SnapshotOptions>();
    plan->folder = folder;
    plan->every_seconds = leg.every_seconds;
    plan->every_rounds = leg.every_rounds;
    plan->kept = leg.kept;
    plan->of.job = identity_;
    plan->of.fabric = "sim";
    plan->of.scheduler = scheduler_name(options.vertex.scheduler);
    plan->of.consistency = options.cluster.policy.name;
    if (resume_) {
      plan->rounds_before = resume_->manifest().progress;
      plan->seconds_before = resume_->manifest().seconds;
    }
    options.snapshots = plan;
    options.resume = resume_;
    return plan_.program->on(plan_.engine)->run(graph_, settings_, options);
  }

  bool judge(const ProgramResult& run, const char* how) {
    ++outcome_.runs;
    outcome_.digest = outcome_.digest * 31 + run.record.digest;
    const snapshot::Counts counts = run.record.snapshots();
    outcome_.snapshots += counts.taken;
    if (!run.record.converged()) return wrong(format("{}, it has not converged", how));
    if (counts.failed > 0)
      return wrong(format("{}, {} parts could not be written", how, counts.failed));
    const std::string found = wrong_values({.program = plan_.program->name,
                                            .graph = plan_.graph,
                                            .source = plan_.source,
                                            .rounds = plan_.rounds,
                                            .supersteps = plan_.rounds > 0},
                                           run.values);
    return found.empty() ? true : wrong(format("{}, {}", how, found));
  }

  /// Synchronous schedulers agree on a due snapshot in the next round; it is complete after all
  /// nodes ended that round.
  bool took_some(const Leg& leg, const Record& record) {
    const Scheduler scheduler = leg.options.vertex.scheduler;
    const bool in_step = !pie() && (scheduler == Scheduler::Bsp || scheduler == Scheduler::DoWork);
    const bool due = in_step && leg.every_rounds > 0 && record.iterations() > leg.every_rounds + 1;
    return !due || record.snapshots().taken > 0 || wrong("no snapshot was taken, and one was due");
  }
  [[nodiscard]] bool pie() const { return plan_.engine == EngineName::Pie; }

  static Stretch stretch_of(const Record& record) {
    Instant begin = Instant::max(), end = Instant::min();
    for (const NodeRecord& node : record.nodes) {
      begin = std::min(begin, node.begin);
      end = std::max(end, node.end);
    }
    return {begin, end - begin};
  }

  /// Every numbered snapshot in the folder must be complete and belong to this job.
  void look_at_snapshots() {
    const auto numbers = snapshot::numbers_in(snapshots());
    if (!numbers) return (void)wrong(numbers.error().to_string());
    for (const std::uint64_t number : *numbers) {
      const auto source =
          snapshot::Source::open_for(snapshot::folder_of(snapshots(), number), identity_);
      if (!source) return (void)wrong("a snapshot is incomplete: " + source.error().to_string());
    }
  }

  const SnapshotOptions& plan_;
  const Graph graph_;
  const std::string folder_;
  ProgramParameters settings_;
  snapshot::Identity identity_;
  std::shared_ptr<const snapshot::Source> resume_;
  SnapshotOutcome outcome_;
};

}  // namespace

void SnapshotOutcome::add(const SnapshotOutcome& other) {
  runs += other.runs;
  snapshots += other.snapshots;
  lost += other.lost;
  resumed += other.resumed;
  digest = digest * 31 + other.digest;
}

SnapshotOutcome run_snapshot_plan(const SnapshotOptions& plan, const std::string& folder) {
  return Job(plan, folder).run();
}

}  // namespace leeway::campaign
