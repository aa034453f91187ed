// What the machines of a job are like: round trips between its processes, and what reading a value and
// walking an arc take of a core. In real time.
#pragma once

#include <cstdint>

#include "leeway/base/result.h"
#include "leeway/transport/cost_model.h"
#include "leeway/transport/fabric.h"
#include "leeway/transport/network_profile.h"

namespace leeway::cli {

struct MeasuredNetwork {
  NetworkProfile profile;         ///< on node 0; on the others empty
  std::uint64_t round_trips = 0;  ///< of small frames
  double median_round_trip_s = 0;
  double slowest_round_trip_s = 0;
};

/// Collective: node 0 sends frames to each of the others in turn, which send them back. Blocks for a fraction of a
/// second a node. Requires several nodes, and that nothing else goes over the job meanwhile.
Result<MeasuredNetwork> measure_network(Job& job);

/// The default model, scaled by what reading values of a large array takes here; some hundredths of a second.
[[nodiscard]] CostModel measure_costs();

}  // namespace leeway::cli
