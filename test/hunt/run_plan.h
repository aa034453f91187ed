// One plan run and judged: by oracles that share no code with the library, and in the virtual cluster twice, for the
// same plan gives the same run to the byte.
#pragma once

#include <cstdint>
#include <string>

#include "test/hunt/plan.h"

namespace leeway::hunt {

struct [[nodiscard]] HuntOutcome {
  bool refused = false;      ///< the library says that this cannot be run
  std::string sort;          ///< of what is wrong, in two words; empty: nothing is
  std::string what;          ///< and what
  std::uint64_t digest = 0;  ///< of the virtual cluster's events
};

/// May not return: a run may crash, or never end.
HuntOutcome run_plan(const HuntPlan& plan);

/// The same in a child process, which takes no longer than `seconds`; a crash or a hang is an outcome then.
HuntOutcome run_apart(const HuntPlan& plan, unsigned seconds);

}  // namespace leeway::hunt
