// Every parallel model as a rule for one worker's delay stretch (AAP §3): `decide` says whether its next
// round runs now, later, or when something arrives. Pure functions of data; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "leeway/runtime/schedule/progress.h"

namespace leeway {

enum class Model : std::uint8_t { Bsp, Ap, Ssp, Aap, Hsync };

struct Schedule {
  Model model = Model::Aap;
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

/// Rounds in step: the engine then keeps what a round sends from everybody else until all have ended it.
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

struct ModelInfo {
  Model model;
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::span<const ModelInfo> models();
[[nodiscard]] std::string_view model_name(Model model);

}  // namespace leeway
