#include "leeway/cli/run_snapshots.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/cli/command.h"
#include "leeway/snapshot/files.h"
#include "leeway/snapshot/folder.h"
#include "leeway/snapshot/format.h"
#include "leeway/snapshot/salvage.h"

namespace leeway::cli {

namespace {

std::atomic<std::uint32_t> requests{0};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void count_request(int) { ++requests; }

/// Those of a configuration that decide what comes out.
constexpr std::array<std::string_view, 9> kDecisive = {
    "source", "damping", "tolerance", "rate", "regulariser", "rhs", "fixed", "ldbc", "iterations"};

snapshot::Identity identity_of(const Configuration& used, const ReportInput& input,
                               const Plan& plan) {
  snapshot::Identity job;
  job.engine = plan.program->engine;
  job.program = plan.program->name;
  job.graph = input.graph;
  job.graph_hash = input.hash;
  job.vertices = input.vertices;
  job.arcs = input.arcs;
  for (const auto& [name, value] : used) {
    if (std::find(kDecisive.begin(), kDecisive.end(), name) == kDecisive.end()) continue;
    // The same vertex may be named, or be the first.
    job.settings.emplace_back(
        name, name == "source" ? std::to_string(plan.settings.source.value()) : value);
  }
  // It tells the ratings that train from those that test.
  if (job.program == "cf")
    job.settings.emplace_back("seed", std::to_string(plan.options.cluster.seed));
  // So many iterations give what they give under one schedule only; a descent's passes are another descent anyway.
  if (plan.options.engine.iterations && job.program != "cf")
    job.settings.emplace_back("scheduler", scheduler_name(plan.options.engine.scheduler));
  return job;
}

}  // namespace

bool uses_snapshots(const Options& options) {
  return !options.run.snapshots.folder.empty() || !options.run.snapshots.resume.empty();
}

Status check_snapshot_folder(const Options& options) {
  const std::string& folder = options.run.snapshots.folder;
  return folder.empty() ? Status{} : snapshot::prepare_folder(folder);
}

int exit_code_of(bool gave_up, const Options& options, const snapshot::Counts& counts) {
  if (gave_up) return kGaveUp;
  if (counts.failed == 0) return 0;
  log_error(
      "{}: {} snapshot parts could not be written (the first warning says why); the result is "
      "complete. Make room, or name another folder for --snapshot",
      options.run.snapshots.folder, counts.failed);
  return kSnapshotsLost;
}

const std::atomic<std::uint32_t>* watch_requests(const Options& options) {
  if (options.kept != nullptr) return nullptr;
  std::signal(SIGUSR1, count_request);
  return &requests;
}

Status check_folder(const std::string& folder, const snapshot::Identity& job, bool force) {
  const auto numbers = snapshot::numbers_in(folder);
  if (force || !numbers) return {};
  std::optional<snapshot::Identity> there;
  for (auto number = numbers->rbegin(); number != numbers->rend() && !there; ++number) {
    const std::string path =
        snapshot::in_folder(snapshot::folder_of(folder, *number), snapshot::kManifestName);
    const auto text = snapshot::text_of(path);
    const auto manifest = text ? snapshot::parse_manifest(*text, path) : fail(text.error());
    if (manifest) there = manifest->job;
  }
  const auto salvaged = snapshot::Salvage::all_in(folder);
  if (!there && !salvaged.empty()) there = salvaged.back().manifest().job;
  if (!there || snapshot::check_same_job(*there, job, folder)) return {};
  return fail(input_error(
      folder, format("it holds snapshots of another job, {} on {}", there->program, there->graph),
      "give another folder, or --force to let them go"));
}

Result<std::shared_ptr<const snapshot::Source>> open_resumed(const std::string& path,
                                                             const snapshot::Identity& job,
                                                             bool says) {
  LEEWAY_ASSIGN(snapshot::Source source, snapshot::Source::open_for(path, job));
  if (says) {
    log_info("going on from {}, after {} iterations", source.path(), source.manifest().progress);
    for (const snapshot::Salvage& held : source.salvaged())
      log_info("and from what {} nodes held in {}", held.nodes().size(), held.path());
  }
  return std::make_shared<const snapshot::Source>(std::move(source));
}

snapshot::Plan plan_of(const SnapshotChoices& told, snapshot::Identity job, Fabric fabric,
                       const snapshot::Source* resumed) {
  snapshot::Plan plan;
  plan.folder = told.folder;
  plan.every_seconds = told.every_seconds;
  plan.every_rounds = told.every_rounds;
  plan.kept = told.kept;
  plan.of.job = std::move(job);
  plan.of.fabric = fabric_name(fabric);
  if (resumed != nullptr) {
    plan.rounds_before = resumed->manifest().progress;
    plan.seconds_before = resumed->manifest().seconds;
  }
  return plan;
}

Status plan_snapshots(const Options& options, const Configuration& used, const ReportInput& input,
                      Plan& plan) {
  const SnapshotChoices& told = options.run.snapshots;
  if (!uses_snapshots(options)) return {};
  const snapshot::Identity job = identity_of(used, input, plan);
  const ClusterOptions& cluster = plan.options.cluster;
  const bool first = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  if (!told.resume.empty()) {
    LEEWAY_ASSIGN(plan.options.resume, open_resumed(told.resume, job, first));
  }
  if (told.folder.empty()) return {};
  LEEWAY_TRY(check_folder(told.folder, job, options.force));
  auto how = std::make_shared<snapshot::Plan>(
      plan_of(told, job, cluster.fabric, plan.options.resume.get()));
  how->of.scheduler = scheduler_name(plan.options.engine.scheduler);
  how->of.consistency = cluster.policy.name;
  how->requests = watch_requests(options);
  plan.options.snapshots = std::move(how);
  return {};
}

void add_snapshots(const snapshot::Plan* plan, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report) {
  if (plan != nullptr) {
    const auto milliseconds = [](std::int64_t time) { return static_cast<double>(time) * 1e-6; };
    const double taken = static_cast<double>(std::max<std::uint64_t>(counts.taken, 1));
    JsonWriter json;
    json.object([&] {
      json.member("folder", plan->folder).member("taken", counts.taken);
      json.member("failed", counts.failed).member("skipped", counts.skipped);
      json.member("bytes", counts.bytes);
      json.member("seconds_each", milliseconds(counts.written_ns) * 1e-3 / taken);
      json.member("paused_seconds", milliseconds(counts.paused_ns) * 1e-3);
      json.member("longest_pause_seconds", milliseconds(counts.longest_ns) * 1e-3);
    });
    report.own.json_text(
        "snapshots", "snapshots",
        format("{}, {} in all, {:.1f} ms each; the run paused {:.1f} ms for one at the most{}",
               counts.taken, format_bytes(static_cast<double>(counts.bytes)),
               milliseconds(counts.written_ns) / taken, milliseconds(counts.longest_ns),
               (counts.failed > 0 ? format("; {} parts could not be written", counts.failed) : "") +
                   (counts.skipped > 0 ? format("; {} parts were skipped, for the one before was "
                                                "still being written",
                                                counts.skipped)
                                       : "")),
        std::move(json).text());
  }
  if (resumed == nullptr) return;
  const snapshot::Manifest& from = resumed->manifest();
  const auto& salvaged = resumed->salvaged();
  const std::uint64_t held = salvaged.empty() ? 0 : salvaged.back().nodes().size();
  JsonWriter json;
  json.object([&] {
    json.member("snapshot", resumed->path()).member("progress", from.progress);
    json.member("seconds", from.seconds).member("nodes", from.nodes);
    json.member("restarts", resumed->restarts());
    json.member("lost_seconds", resumed->lost_seconds());
    json.member("held_by_nodes", held);
  });
  const std::string lost = resumed->restarts() == 0
                               ? std::string()
                               : format("; restarts {}, {:.2f} s of work lost in all",
                                        resumed->restarts(), resumed->lost_seconds());
  report.own.json_text(
      "resumed", "went on from",
      (resumed->has_snapshot() ? format("{}, {} iterations and {:.2f} s into the run",
                                        resumed->path(), from.progress, from.seconds)
                               : "no snapshot") +
          lost + (held == 0 ? "" : format("; what {} nodes held since", held)),
      std::move(json).text());
}

}  // namespace leeway::cli
