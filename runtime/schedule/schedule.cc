#include "leeway/runtime/schedule/schedule.h"

#include <array>

#include "leeway/base/check.h"

namespace leeway {

namespace {

/// AAP §3, special cases: DS_i is infinite while r_i > r_min + c, and 0 otherwise.
Decision at_most_ahead(const WorkerProgress& progress, std::uint32_t bound) {
  const bool ahead = progress.round.value() > progress.slowest.value() + std::uint64_t{bound};
  return ahead ? Decision::suspend() : Decision::run();
}

constexpr std::array kSchedulers = {
    SchedulerInfo{Scheduler::DoWork, "do-work", "sweeps in place, a barrier and a vote after each"},
    SchedulerInfo{Scheduler::Bsp, "bsp", "supersteps: every read is of the superstep before"},
    SchedulerInfo{Scheduler::Ap, "ap", "no barrier: a worker runs while it has work"},
    SchedulerInfo{Scheduler::Ssp, "ssp", "as ap, but nobody too far ahead of the slowest"},
    SchedulerInfo{Scheduler::Aap, "aap", "each worker waits for as much as is worth waiting for"},
    SchedulerInfo{Scheduler::Hsync, "hsync", "in step or apart, whichever does more work a second"},
    SchedulerInfo{Scheduler::AsyTick, "asytick", "as ap, but piece by piece, by priority"},
};

}  // namespace

Decision decide(const Schedule& schedule, const WorkerProgress& progress) {
  switch (schedule.model) {
    case Scheduler::DoWork:
    case Scheduler::Bsp:
      return at_most_ahead(progress, 0);
    case Scheduler::Ap:
    case Scheduler::AsyTick:
      return Decision::run();
    case Scheduler::Ssp:
      LEEWAY_CHECK(schedule.bound.has_value());
      return at_most_ahead(progress, *schedule.bound);
    case Scheduler::Aap:
      return decide_aap(schedule, progress);
    case Scheduler::Hsync:
      return progress.together == Together::Sync ? at_most_ahead(progress, 0) : Decision::run();
  }
  LEEWAY_UNREACHABLE(schedule.model);
}

bool in_step(const Schedule& schedule, Together together) {
  return schedule.model == Scheduler::DoWork || schedule.model == Scheduler::Bsp ||
         (schedule.model == Scheduler::Hsync && together == Together::Sync);
}

bool looks_at_rounds(const Schedule& schedule) {
  return schedule.model == Scheduler::Ssp ||
         (schedule.model == Scheduler::Aap && schedule.bound.has_value());
}

Together hsync_choice(const HsyncSample& sample) {
  if (sample.slowest_seconds <= 0 || sample.mean_seconds <= 0) return Together::Sync;
  const double in_step = sample.useful / sample.slowest_seconds;
  const double apart = sample.useful / (sample.mean_seconds * sample.redundant);
  return in_step >= apart ? Together::Sync : Together::Async;
}

std::span<const SchedulerInfo> schedulers() { return kSchedulers; }

std::string_view scheduler_name(Scheduler scheduler) {
  return kSchedulers[static_cast<std::size_t>(scheduler)].name;
}

}  // namespace leeway
