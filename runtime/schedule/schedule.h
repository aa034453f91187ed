// Every parallel model as a rule for one worker's delay stretch (AAP §3): `decide` says whether its next
// round runs now, later, or when something arrives. The only place where a model's rule stands: the vertex
// runtime asks it for a node, the PIE engine for a virtual worker. Pure functions of data; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leeway/runtime/schedule/progress.h"

namespace leeway {

/// Who may be how far ahead of whom.
enum class Scheduler : std::uint8_t {
  DoWork,   ///< ASPIRE's Algorithm 1: rounds in place, a barrier and a vote after each
  Bsp,      ///< supersteps: every read is of the superstep before
  Ap,       ///< no barrier: a worker runs while it has work
  Ssp,      ///< no barrier, but nobody more than `bound` rounds ahead of the slowest
  Aap,      ///< each worker waits for as much as is worth waiting for
  Hsync,    ///< in step or apart, whichever does more work a second
  AsyTick,  ///< no barrier; a worker's part goes piece by piece, by priority
};

struct Schedule {
  Scheduler model = Scheduler::Aap;
  /// c: how many rounds a worker may be ahead of the slowest; for Aap none unless given (AAP §5.3).
  std::optional<std::uint32_t> bound;
  /// The part of a round's predicted time for which Aap goes on gathering: the Delta in Delta t_i.
  double gather_fraction = 1.0 / 6;
  /// Aap's L_bottom to start with; as many as the fast senders as soon as these are known, unless fixed.
  double least_target = 0;
  bool fixed_target = false;  ///< L_bottom stays as given
};

/// Requires a bound of Ssp.
[[nodiscard]] Decision decide(const Schedule& schedule, const WorkerProgress& progress);

/// Rounds in step: nobody begins one before all have ended the one before.
[[nodiscard]] bool in_step(const Schedule& schedule, Together together);
/// True if `decide` looks at the others' rounds, which then must be told.
[[nodiscard]] bool looks_at_rounds(const Schedule& schedule);

/// Equation (1).
[[nodiscard]] Decision decide_aap(const Schedule& schedule, const WorkerProgress& progress);
/// L_i for the round to come, and T_L.
[[nodiscard]] Target aap_target(const Schedule& schedule, const WorkerProgress& progress);

/// What Hsync compares: how much useful work a second each way of running has done, or is expected to do.
struct HsyncSample {
  double useful = 0;           ///< changed parameters that a round of all workers brought, in step
  double slowest_seconds = 0;  ///< the slowest worker's round, which all wait for
  double mean_seconds = 0;     ///< of a round
  double redundant = 1;        ///< rounds run asynchronously for one in step, for the same outcome
};
/// PowerSwitch's rule: run in step while the work done so, a second, exceeds what would be done apart.
[[nodiscard]] Together hsync_choice(const HsyncSample& sample);

struct SchedulerInfo {
  Scheduler scheduler;
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const SchedulerInfo> schedulers();
[[nodiscard]] std::string_view scheduler_name(Scheduler scheduler);

}  // namespace leeway
