// What the law looks at: a few counts of a program on a divided graph, from four trial runs over a
// network that takes no time, and a few figures of the network. Plain data.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "leeway/base/result.h"
#include "leeway/programs/law/modes.h"

namespace leeway::law {

/// One frame's way, in seconds.
struct NetworkFacts {
  double mean = 0;   ///< spikes included
  double worst = 0;  ///< what the slowest of as many frames as there are nodes is expected to take
  double handling = 0;  ///< of the processors at both ends
  double byte = 0;
};
[[nodiscard]] NetworkFacts facts_of(const NetworkProfile& network, std::uint32_t nodes);

/// Times in seconds, slow nodes and all; counts of the node that has most, unless it says otherwise.
struct ProgramFacts {
  double nodes = 0;
  double slowest = 1;   ///< the slowest node's slowdown
  double vertices = 0;  ///< of the whole graph
  double arcs = 0;      ///< of the whole graph
  double largest = 0;   ///< arcs of the largest part over the mean
  double remote = 0;    ///< objects of other nodes that a node reads
  double cut = 0;       ///< arcs between parts over all arcs
  double bsp_time = 0;  ///< of supersteps, were the network free
  double bsp_rounds = 0;
  double bsp_bytes = 0;  ///< sent by all nodes together, as are the messages
  double bsp_messages = 0;
  double bsp_changed = 0;  ///< values that changed, all nodes together
  double pie_time = 0;     ///< the same of PIE under BSP; zero where the program has no such form
  double pie_rounds = 0;
  double pie_bytes = 0;
  double pie_messages = 0;
  double ap_time = 0;  ///< of sweeps in place without a barrier, were the network free
  double ap_rounds = 0;
  double push_time = 0;  ///< the same of sweeps under rcp+push
  double push_rounds = 0;
};
/// Runs the program four times in the virtual cluster, which takes about as long as four runs on one core.
Result<ProgramFacts> facts_of(const Setup& setup);

/// Every fact by name, as the raw numbers of `leeway replay law` list them and the fit reads them.
inline constexpr std::size_t kFacts = 24;
[[nodiscard]] std::span<const std::string_view, kFacts> fact_names();
[[nodiscard]] std::array<double, kFacts> fact_values(const ProgramFacts& program,
                                                     const NetworkFacts& network);

}  // namespace leeway::law
