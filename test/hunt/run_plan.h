// Runs a plan and judges it with oracles that share no code with the library. In the virtual
// cluster it runs twice, because the same plan must give a bit-identical run.
#pragma once

#include <cstdint>
#include <string>

#include "test/hunt/plan.h"

namespace leeway::hunt {

struct [[nodiscard]] HuntOutcome {
  bool refused = false;      ///< the library refused the settings
  std::string sort;          ///< kind of the failure in two words; empty: none
  std::string what;          ///< details of the failure
  std::uint64_t digest = 0;  ///< of the virtual cluster's events
};

/// May not return: a run may crash, or never end.
HuntOutcome run_plan(const HuntPlan& plan);

/// The same in a child process with a time limit; a crash or a hang becomes an outcome.
HuntOutcome run_apart(const HuntPlan& plan, unsigned seconds);

}  // namespace leeway::hunt
