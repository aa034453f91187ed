#include "app/snapshots.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/graph_argument.h"
#include "app/output.h"
#include "base/check.h"
#include "base/format.h"
#include "base/log.h"
#include "programs/catalog/program.h"
#include "programs/pagerank/vertex.h"
#include "snapshot/folder.h"
#include "snapshot/manifest.h"
#include "snapshot/source.h"

namespace leeway::app {

namespace {

std::atomic<std::uint32_t> requests{0};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void count_request(int) { ++requests; }

snapshot::Identity identity_of(const Configuration& used, const ReportInput& input,
                               const ProgramCall& call) {
  snapshot::Identity job;
  job.engine = engine_info(call.run->engine).name;
  job.program = call.program->name;
  job.graph = input.graph;
  job.graph_hash = input.hash;
  job.vertices = input.vertices;
  job.arcs = input.arcs;
  for (const auto& [name, value] : used) {
    const Setting* const setting = find_setting(name);
    if (setting == nullptr || !setting->roles.has(kDecides)) continue;
    // The first vertex may be the default or be given by name.
    job.settings.emplace_back(name, name == "source"
                                        ? std::to_string(call.parameters.source.value())
                                        : compared_value(*setting, value));
  }
  // The seed separates training from test ratings.
  if (call.run->takes.has(Parameter::Seed))
    job.settings.emplace_back("seed", std::to_string(call.options.cluster.seed));
  // The state after N iterations depends on the schedule. The passes of a descent depend on timing anyway.
  if (call.options.vertex.iterations && call.program->passes == 0)
    job.settings.emplace_back("scheduler", scheduler_name(call.options.vertex.scheduler));
  return job;
}

}  // namespace

Status check_snapshot_folder(const CommandOptions& options) {
  const std::string& folder = options.saving.folder;
  return folder.empty() ? Status{} : snapshot::prepare_folder(folder);
}

int exit_code_of(bool gave_up, const CommandOptions& options, const snapshot::Counts& counts) {
  if (gave_up) return kGaveUp;
  if (counts.failed == 0) return 0;
  log_error(
      "{}: {} snapshot parts could not be written (the first warning states the reason); the "
      "result is complete. Make room, or name another folder for --snapshot",
      options.saving.folder, counts.failed);
  return kSnapshotsLost;
}

const std::atomic<std::uint32_t>* watch_requests(const CommandOptions& options) {
  if (options.kept != nullptr || options.saving.folder.empty()) return nullptr;
  std::signal(SIGUSR1, count_request);
  return &requests;
}

Result<Saving> saving_of(const CommandOptions& options, bool by_ticks) {
  Saving saving = options.saving;
  saving.force = options.force;
  if (by_ticks && saving.every_rounds == 0 && find_given(options, "snapshot-every") != nullptr) {
    return fail(input_error("--snapshot-every", "a run by ticks needs an interval in ticks",
                            "give a number of ticks, as in 50"));
  }
  return saving;
}

Status prepare_snapshots(const CommandOptions& options, const Configuration& used,
                         const ReportInput& input, ProgramCall& call) {
  if (!options.saving.any()) return {};
  LEEWAY_ASSIGN(Saving saving, saving_of(options, false));
  saving.requests = watch_requests(options);
  LEEWAY_ASSIGN(OpenedSaving opened,
                OpenedSaving::open(saving, identity_of(used, input, call), call.options.cluster));
  use_saving(std::move(opened), call.options.vertex.scheduler, call.options);
  return {};
}

void add_snapshots(const snapshot::SnapshotOptions* taken, const snapshot::Source* resumed,
                   const snapshot::Counts& counts, Report& report, bool from_states) {
  if (taken != nullptr) {
    const auto milliseconds = [](std::int64_t time) { return static_cast<double>(time) * 1e-6; };
    const double number = static_cast<double>(std::max<std::uint64_t>(counts.taken, 1));
    report.own.object(
        "snapshots", "snapshots",
        format("{}, {} in all, {:.1f} ms each; the run paused {:.1f} ms for one at the most{}",
               counts.taken, format_bytes(static_cast<double>(counts.bytes)),
               milliseconds(counts.written_ns) / number, milliseconds(counts.longest_ns),
               (counts.failed > 0 ? format("; {} parts could not be written", counts.failed) : "") +
                   (counts.skipped > 0 ? format("; {} parts were skipped, because the previous one "
                                                "was still being written",
                                                counts.skipped)
                                       : "")),
        [&](JsonWriter& json) {
          json.member("folder", taken->folder).member("taken", counts.taken);
          json.member("failed", counts.failed).member("skipped", counts.skipped);
          json.member("bytes", counts.bytes);
          json.member("seconds_each", milliseconds(counts.written_ns) * 1e-3 / number);
          json.member("paused_seconds", milliseconds(counts.paused_ns) * 1e-3);
          json.member("longest_pause_seconds", milliseconds(counts.longest_ns) * 1e-3);
        });
  }
  if (resumed == nullptr) return;
  const snapshot::Manifest& from = resumed->manifest();
  const std::string lost = resumed->restarts() == 0
                               ? std::string()
                               : format("; restarts {}, {:.2f} s of work lost in all",
                                        resumed->restarts(), resumed->lost_seconds());
  report.own.object(
      "resumed", "resumed from",
      format("{}{}, {} iterations and {:.2f} s into the run{}", resumed->path(),
             from_states ? " (states and messages)" : "", from.progress, from.seconds, lost),
      [&](JsonWriter& json) {
        json.member("snapshot", resumed->path()).member("progress", from.progress);
        json.member("seconds", from.seconds).member("nodes", from.nodes);
        json.member("from_states", from_states);
        json.member("restarts", resumed->restarts());
        json.member("lost_seconds", resumed->lost_seconds());
      });
}

void add_snapshots(const RunOptions& options, const Record& record, Report& report) {
  add_snapshots(options.snapshots.get(), options.resume.get(), record.snapshots(), report,
                record.from_states);
}

void add_snapshots(const TickSnapshots& snapshots, const snapshot::Counts& counts, Report& report) {
  const OpenedSaving& opened = snapshots.opened();
  add_snapshots(opened.taken.get(), opened.resumed.get(), counts, report);
  if (!snapshots.start()) return;
  report.own.count("first_tick", "resumed from tick", snapshots.first());
  report.own.count("last_tick", "to tick", snapshots.first() + report.iterations);
}

}  // namespace leeway::app
