#include "leeway/cli/tick_snapshots.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/cli/run_snapshots.h"

namespace leeway::cli {

namespace {

constexpr std::uint32_t kUnsaid = 10;  ///< snapshots of a run where nobody says how often

/// Every so many ticks: all nodes must know them beforehand.
Result<std::uint32_t> interval(const Options& options, const TickInterval& span) {
  const std::uint64_t told = options.run.snapshots.every_rounds;
  if (told == 0 && find_said(options, "snapshot-every") != nullptr) {
    return fail(input_error("--snapshot-every",
                            "a run by ticks takes snapshots at ticks that are known beforehand",
                            "give a count of ticks, as in 50"));
  }
  const std::uint64_t unsaid =
      span.every_unsaid > 0 ? span.every_unsaid : std::max(1U, span.ticks / kUnsaid);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(told == 0 ? unsaid : told, tick::Tick::none().value() - 1));
}

}  // namespace

Result<std::unique_ptr<TickSnapshots>> TickSnapshots::open(const Options& options,
                                                           snapshot::Identity job,
                                                           const ClusterOptions& cluster,
                                                           TickInterval& span) {
  const SnapshotChoices& told = options.run.snapshots;
  std::unique_ptr<TickSnapshots> snapshots(new TickSnapshots);
  snapshots->thing_bytes_ = span.thing_bytes;
  LEEWAY_ASSIGN(const std::uint32_t every, interval(options, span));
  const bool first = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  if (!told.resume.empty()) LEEWAY_TRY(snapshots->go_on(told.resume, job, first, span));
  if (told.folder.empty()) return snapshots;
  LEEWAY_TRY(check_folder(told.folder, job, options.force));
  span.every = every;
  (void)watch_requests(options);  // its ticks are fixed: there is none to take at once
  if (!first) return snapshots;
  snapshots->plan_ = plan_of(told, std::move(job), cluster.fabric, snapshots->source_.get());
  snapshots->plan_.every_seconds = 0;
  snapshots->plan_.every_rounds = 1;  // each that the engine hands over
  snapshot::Manifest& of = snapshots->plan_.of;
  of.scheduler = span.synchronization;
  of.consistency = "ticks";
  of.result_type = span.thing_type;
  of.state_bytes = span.thing_bytes;
  snapshots->recorder_.emplace(snapshots->plan_, 0, cluster.fabric != Fabric::Sim, false);
  LEEWAY_TRY(snapshots->recorder_->open());
  snapshots->recorder_->begin(snapshots->clock_.now());
  return snapshots;
}

Status TickSnapshots::go_on(const std::string& path, const snapshot::Identity& job, bool says,
                            TickInterval& span) {
  LEEWAY_ASSIGN(source_, open_resumed(path, job, says));
  const snapshot::Manifest& manifest = source_->manifest();
  if (manifest.progress > span.ticks) {
    return fail(input_error(
        "--resume",
        format("the snapshot is of tick {}, and the run has {}", manifest.progress, span.ticks),
        format("give --iterations {} or more", manifest.progress)));
  }
  if (manifest.nodes != 1) return fail(unreadable());
  Start start{.tick = tick::Tick(static_cast<std::uint32_t>(manifest.progress)), .state = {}};
  LEEWAY_ASSIGN(start.state, saved_state(span));
  span.ticks -= start.tick.value();
  start_ = std::move(start);
  return {};
}

Result<std::vector<std::byte>> TickSnapshots::saved_state(const TickInterval& span) const {
  if (span.thing_bytes == 0) {
    std::vector<std::byte> state;
    LEEWAY_TRY(source_->each_part([&](const snapshot::Part& part) -> Status {
      state.assign(part.own().begin(), part.own().end());
      return {};
    }));
    return state;
  }
  std::vector<std::uint32_t> things(source_->manifest().job.vertices);
  std::iota(things.begin(), things.end(), 0U);
  LEEWAY_ASSIGN(auto states, source_->states_of(things, span.thing_bytes));
  return std::move(states.bytes);
}

Error TickSnapshots::unreadable() const {
  return input_error(source_->path(), "it holds no state of this program",
                     "give what --snapshot wrote");
}

void TickSnapshots::keep(tick::Tick tick, std::span<const std::byte> state) {
  const std::uint64_t rounds = tick.value() - first().value();
  const Instant began = clock_.now();
  if (!recorder_->wants(began, rounds)) return;
  snapshot::Part* const part = recorder_->blank();
  LEEWAY_CHECK(part != nullptr);  // it wants one only once the last is written
  const std::uint64_t things = thing_bytes_ > 0 ? state.size() / thing_bytes_ : 0;
  part->shape({.part = 0,
               .parts = 1,
               .state_bytes = thing_bytes_,
               .number = recorder_->next_number(),
               .run = recorder_->run(),
               .entries = things,
               .own_bytes = things > 0 ? 0 : state.size()});
  std::iota(part->vertices().begin(), part->vertices().end(), 0U);
  const std::span<std::byte> place = things > 0 ? part->states() : part->own();
  if (!state.empty()) std::memcpy(place.data(), state.data(), state.size());
  recorder_->write(began, rounds);
  recorder_->paused(clock_.now() - began);
}

void TickSnapshots::end(Report& report) {
  if (recorder_) {
    recorder_->end_writing();
    recorder_->close();
    counts_ = recorder_->counts();
  }
  add_snapshots(recorder_ ? &plan_ : nullptr, source_.get(), counts_, report);
  if (!start_) return;
  report.own.count("first_tick", "goes on from tick", start_->tick.value());
  report.own.count("last_tick", "to tick", start_->tick.value() + report.iterations);
}

}  // namespace leeway::cli
