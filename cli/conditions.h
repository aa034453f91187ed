// The conditions under which rows of the table of settings apply (applicability.h): what other settings must say
// for one to have any effect, and the words that say so.
#pragma once

#include <vector>

#include "leeway/cli/applicability.h"

namespace leeway::cli {

inline const std::vector<AppliesTo> kOnGraph = {{.on_graph = true}};
/// Under asytick a node works on one piece at a time, the one of least priority.
inline const std::vector<Scheduler> kNotByPieces = {Scheduler::DoWork, Scheduler::Bsp,
                                                    Scheduler::Ap,     Scheduler::Ssp,
                                                    Scheduler::Aap,    Scheduler::Hsync};
/// Fabrics whose time is the machine's.
inline const std::vector<Fabric> kRealTime = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi};

// How a graph comes to be, and how it is divided.
extern const Condition kFile, kDrawnGraph, kDrawnWeights, kMerged;
extern const Condition kDrawnDivision, kBalanced, kByMetis, kDealtBySeed;
// How a run of the engines on vertices goes.
extern const Condition kValuesOfMany, kLateReads, kBoundedCache, kOwnHomes, kFreeVisits,
    kFittingOrder, kLateCaches, kEdgeCut;
extern const Condition kSnapshots, kDelays, kOpenEnd;
// Ticks.
extern const Condition kFilm, kGoals, kAhead, kReplicas, kByLoad, kByPriority, kBalancer;

}  // namespace leeway::cli
