#include "leeway/runtime/pie/balancer.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway::pie {

std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                      std::span<const Duration> times, std::uint32_t nodes) {
  LEEWAY_CHECK(nodes_of.size() == times.size());
  std::vector<NodeId> places(nodes_of.begin(), nodes_of.end());
  std::vector<Duration> loads(nodes, Duration::zero());
  for (std::size_t i = 0; i < places.size(); ++i) loads[places[i].index()] += times[i];
  // Each move lowers the sum of squared loads, so there is an end; no worker needs to move twice.
  for (std::size_t moves = 0; moves < places.size(); ++moves) {
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    std::size_t best = places.size();
    Duration lowest = *most;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].index() != static_cast<std::size_t>(most - loads.begin())) continue;
      const Duration higher = std::max(*most - times[i], *least + times[i]);
      if (higher >= lowest) continue;
      lowest = higher;
      best = i;
    }
    if (best == places.size()) break;
    *most -= times[best];
    *least += times[best];
    places[best] = NodeId(static_cast<std::uint32_t>(least - loads.begin()));
  }
  return places;
}

}  // namespace leeway::pie
