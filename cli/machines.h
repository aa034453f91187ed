// What the machines of a job are like, as far as the law asks: measured between its processes, or assumed.
#pragma once

#include <string>

#include "leeway/base/result.h"
#include "leeway/cli/options.h"
#include "leeway/runtime/job.h"
#include "leeway/transport/cost_model.h"
#include "leeway/transport/network_profile.h"

namespace leeway::cli {

struct Machines {
  NetworkProfile network;
  CostModel cost;
  std::string basis;  ///< where the numbers come from, in words
  bool measured = false;
};

/// Measures, where there is a job of several processes and no profile is said; else assumes. What only node 0
/// is told is empty on the others. Collective.
Result<Machines> machines_of(const Options& options, Job* job);

}  // namespace leeway::cli
