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

constexpr std::array kModels = {
    ModelInfo{Model::Bsp, "bsp", "all workers' rounds in step"},
    ModelInfo{Model::Ap, "ap", "a round as soon as anything has come"},
    ModelInfo{Model::Ssp, "ssp", "as ap, but nobody too far ahead of the slowest"},
    ModelInfo{Model::Aap, "aap", "each worker waits for as much as is worth waiting for"},
    ModelInfo{Model::Hsync, "hsync", "in step or not, whichever does more work a second"},
};

}  // namespace

Decision decide(const Schedule& schedule, const WorkerProgress& progress) {
  switch (schedule.model) {
    case Model::Bsp:
      return at_most_ahead(progress, 0);
    case Model::Ap:
      return Decision::run();
    case Model::Ssp:
      LEEWAY_CHECK(schedule.bound.has_value());
      return at_most_ahead(progress, *schedule.bound);
    case Model::Aap:
      return decide_aap(schedule, progress);
    case Model::Hsync:
      return progress.together == Together::Sync ? at_most_ahead(progress, 0) : Decision::run();
  }
  LEEWAY_UNREACHABLE(schedule.model);
}

bool in_step(const Schedule& schedule, Together together) {
  return schedule.model == Model::Bsp ||
         (schedule.model == Model::Hsync && together == Together::Sync);
}

bool looks_at_rounds(const Schedule& schedule) {
  return schedule.model == Model::Ssp ||
         (schedule.model == Model::Aap && schedule.bound.has_value());
}

Together hsync_choice(const HsyncSample& sample) {
  if (sample.slowest_seconds <= 0 || sample.mean_seconds <= 0) return Together::Sync;
  const double in_step = sample.useful / sample.slowest_seconds;
  const double apart = sample.useful / (sample.mean_seconds * sample.redundant);
  return in_step >= apart ? Together::Sync : Together::Async;
}

std::span<const ModelInfo> models() { return kModels; }

std::string_view model_name(Model model) { return kModels[static_cast<std::size_t>(model)].name; }

}  // namespace leeway
