// Options that campaigns of graph programs draw from. The order determines the meaning of seeds:
// append only.
#pragma once

#include <array>

#include "leeway/graph.h"
#include "leeway/options.h"

namespace leeway::campaign {

inline constexpr std::array kModes = {"scp",     "scp+rw",  "scp+pb",  "stale-0",
                                      "stale-1", "stale-3", "stale-9", "rcp",
                                      "rcp-0",   "rcp-1",   "rcp-5",   "rcp+push"};
inline constexpr std::array kNetworks = {
    "ideal", "infiniband", "gigabit", "ec2",
    "custom:latency_us=20,jitter_us=400,spike_per_million=100000,spike_us=5000"};
inline constexpr std::array kMethods = {PartitionMethod::Block, PartitionMethod::Hash,
                                        PartitionMethod::Random, PartitionMethod::Ldg,
                                        PartitionMethod::Fennel};
inline constexpr std::array kVisits = {Visit::Auto, Visit::All, Visit::Active};
inline constexpr std::array kOrders = {WorkOrder::Auto, WorkOrder::Owner, WorkOrder::Degree,
                                       WorkOrder::Priority};
inline constexpr std::uint32_t kMostRounds = 30;

}  // namespace leeway::campaign
