// Runs a plan in the virtual cluster, where a seed gives a bit-identical run, or over real threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/campaign/plan.h"

namespace leeway::campaign {

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t digest = 0;  ///< of read values and cluster events; not reproducible over threads
  std::uint64_t observations = 0;
  std::vector<std::string> log;  ///< lines, if keep_log
};

[[nodiscard]] Outcome run_plan(const Plan& plan, bool keep_log = false);

}  // namespace leeway::campaign
