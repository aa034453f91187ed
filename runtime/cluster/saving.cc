#include "runtime/cluster/saving.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/format.h"
#include "base/log.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"

namespace leeway {

namespace {

// The interval of runs by ticks that give none.
constexpr std::uint32_t kDefaultSnapshots = 10;
constexpr std::uint32_t kTicksBetweenSnapshots = 10;  ///< if the number of ticks is not known

bool is_first(const ClusterOptions& cluster) {
  return cluster.job == nullptr || cluster.job->self() == NodeId(0);
}

/// An Input error if the folder contains snapshots of another job, which this job would delete.
Status check_folder(const std::string& folder, const snapshot::Identity& job) {
  const auto numbers = snapshot::numbers_in(folder);
  if (!numbers) return {};
  // If a job writes there now, opening the folder reports that job.
  if (const auto free = snapshot::Folder::is_free(folder); free && !*free) return {};
  std::optional<snapshot::Identity> there;
  for (auto number = numbers->rbegin(); number != numbers->rend() && !there; ++number) {
    const std::string path =
        snapshot::in_folder(snapshot::folder_of(folder, *number), snapshot::kManifestName);
    const auto text = snapshot::text_of(path);
    const auto manifest = text ? snapshot::parse_manifest(*text, path) : fail(text.error());
    if (manifest) there = manifest->job;
  }
  if (!there || snapshot::check_same_job(*there, job, folder)) return {};
  return fail(input_error(
      folder, format("it holds snapshots of another job, {} on {}", there->program, there->graph),
      "give another folder, or --force to replace them"));
}

/// Ticks between snapshots. All nodes must know the ticks of snapshots in advance.
std::uint32_t interval(const Saving& saving, const TickInterval& span) {
  const std::uint64_t by_default =
      span.terminates ? kTicksBetweenSnapshots : std::max(1U, span.ticks / kDefaultSnapshots);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  return static_cast<std::uint32_t>(
      std::min(saving.every_rounds == 0 ? by_default : saving.every_rounds, kMost));
}

}  // namespace

snapshot::Identity identity_of(const Saving& saving, std::string_view engine) {
  return {.engine = std::string(engine),
          .program = saving.program,
          .graph = saving.graph,
          .settings = saving.settings};
}

Result<OpenedSaving> OpenedSaving::open(const Saving& saving, const snapshot::Identity& job,
                                        const ClusterOptions& cluster) {
  OpenedSaving opened;
  if (!saving.resume.empty()) {
    LEEWAY_ASSIGN(snapshot::Source source, snapshot::Source::open_for(saving.resume, job));
    if (is_first(cluster))
      log_info("resuming from {}, after {} iterations", source.path(), source.manifest().progress);
    opened.resumed = std::make_shared<const snapshot::Source>(std::move(source));
  }
  if (saving.folder.empty()) return opened;
  if (!saving.force) LEEWAY_TRY(check_folder(saving.folder, job));
  opened.taken = std::make_shared<snapshot::SnapshotOptions>();
  snapshot::SnapshotOptions& taken = *opened.taken;
  taken.folder = saving.folder;
  taken.every_seconds = saving.every_rounds > 0 ? 0 : saving.every_seconds;
  taken.every_rounds = saving.every_rounds;
  taken.kept = saving.kept;
  taken.requests = saving.requests;
  taken.of.job = job;
  taken.of.fabric = fabric_name(cluster.fabric);
  if (opened.resumed != nullptr) {
    taken.rounds_before = opened.resumed->manifest().progress;
    taken.seconds_before = opened.resumed->manifest().seconds;
  }
  return opened;
}

void use_saving(OpenedSaving opened, Scheduler scheduler, RunOptions& options) {
  options.resume = std::move(opened.resumed);
  if (opened.taken == nullptr) return;
  opened.taken->of.scheduler = scheduler_name(scheduler);
  opened.taken->of.consistency = options.cluster.policy.name;
  options.snapshots = std::move(opened.taken);
}

bool is_unopened(const RunOptions& options) {
  return options.saving.any() && options.snapshots == nullptr && options.resume == nullptr;
}

Status find_saving(RunOptions& options, std::string_view engine, Scheduler scheduler,
                   const GraphTotals& graph, std::string hash) {
  snapshot::Identity job = identity_of(options.saving, engine);
  job.graph_hash = std::move(hash);
  job.vertices = graph.vertices;
  job.arcs = graph.arcs;
  // The state after N iterations depends on the schedule.
  if (options.vertex.iterations) job.settings.emplace_back("scheduler", scheduler_name(scheduler));
  LEEWAY_ASSIGN(OpenedSaving opened, OpenedSaving::open(options.saving, job, options.cluster));
  use_saving(std::move(opened), scheduler, options);
  return {};
}

Status open_saving(RunOptions& options, std::string_view engine, Scheduler scheduler,
                   const GraphTotals& graph, std::string hash) {
  Status found = find_saving(options, engine, scheduler, graph, std::move(hash));
  Job* const job = options.cluster.job;
  return job == nullptr ? std::move(found) : job->agree(std::move(found));
}

Result<std::unique_ptr<TickSnapshots>> TickSnapshots::open(const Saving& saving,
                                                           const snapshot::Identity& job,
                                                           const ClusterOptions& cluster,
                                                           TickInterval& span) {
  std::unique_ptr<TickSnapshots> snapshots(new TickSnapshots);
  Status opened = snapshots->open_files(saving, job, cluster, span);
  if (cluster.job != nullptr) opened = cluster.job->agree(std::move(opened));
  LEEWAY_TRY(std::move(opened));
  return snapshots;
}

Status TickSnapshots::open_files(const Saving& saving, const snapshot::Identity& job,
                                 const ClusterOptions& cluster, TickInterval& span) {
  thing_bytes_ = span.thing_bytes;
  const std::uint32_t every = interval(saving, span);
  LEEWAY_ASSIGN(opened_, OpenedSaving::open(saving, job, cluster));
  if (opened_.resumed != nullptr) LEEWAY_TRY(resume(span));
  if (opened_.taken == nullptr) return {};
  span.every = every;
  if (!is_first(cluster)) {
    opened_.taken.reset();
    return {};
  }
  snapshot::SnapshotOptions& taken = *opened_.taken;
  taken.every_seconds = 0;
  taken.every_rounds = 1;    // every state that the engine hands over
  taken.requests = nullptr;  // the ticks of snapshots are fixed
  taken.of.scheduler = span.synchronization;
  taken.of.consistency = "ticks";
  taken.of.result_type = span.thing_type;
  taken.of.state_bytes = span.thing_bytes;
  checkpointer_.emplace(Checkpointer::CheckpointOptions{
      .plan = opened_.taken, .background = cluster.fabric != Fabric::Sim});
  LEEWAY_TRY(checkpointer_->open());
  checkpointer_->begin(clock_.now());
  return {};
}

Status TickSnapshots::resume(TickInterval& span) {
  const snapshot::Manifest& manifest = opened_.resumed->manifest();
  if (manifest.progress > span.ticks) {
    return fail(input_error(
        "--resume",
        format("the snapshot is of tick {}, and the run has {}", manifest.progress, span.ticks),
        format("give --iterations {} or more", manifest.progress)));
  }
  if (manifest.nodes != 1) return fail(unreadable());
  Start start{.tick = static_cast<std::uint32_t>(manifest.progress), .state = {}};
  LEEWAY_ASSIGN(start.state, saved_state(span));
  span.ticks -= start.tick;
  start_ = std::move(start);
  return {};
}

Result<std::vector<std::byte>> TickSnapshots::saved_state(const TickInterval& span) const {
  const snapshot::Source& source = *opened_.resumed;
  if (span.thing_bytes == 0) {
    std::vector<std::byte> state;
    LEEWAY_TRY(source.each_part([&](const snapshot::Part& part) -> Status {
      state.assign(part.own().begin(), part.own().end());
      return {};
    }));
    return state;
  }
  std::vector<std::uint32_t> things(source.manifest().job.vertices);
  std::iota(things.begin(), things.end(), 0U);
  return source.states_of(things, span.thing_bytes);
}

Error TickSnapshots::unreadable() const {
  return input_error(opened_.resumed->path(), "it contains no state of this program",
                     "give a snapshot written by --snapshot");
}

void TickSnapshots::keep(std::uint32_t tick, std::span<const std::byte> state) {
  const std::uint64_t rounds = tick - first();
  const Instant now = clock_.now();
  if (!checkpointer_->should_request(now, rounds)) return;
  checkpointer_->take(
      checkpointer_->next(), now, rounds, [&](snapshot::Part& part, snapshot::PartHeader header) {
        const std::uint64_t things = thing_bytes_ > 0 ? state.size() / thing_bytes_ : 0;
        header.state_bytes = thing_bytes_;
        header.entries = things;
        header.own_bytes = things > 0 ? 0 : state.size();
        part.shape(header);
        std::iota(part.vertices().begin(), part.vertices().end(), 0U);
        const std::span<std::byte> place = things > 0 ? part.states() : part.own();
        if (!state.empty()) std::memcpy(place.data(), state.data(), state.size());
      });
}

snapshot::Counts TickSnapshots::end() {
  if (!checkpointer_) return {};
  checkpointer_->end_writing();
  return checkpointer_->close();
}

}  // namespace leeway
