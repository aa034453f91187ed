// The conditions under which rows of the table of settings are heeded (see heeding.h): what other settings
// must say for one to have any effect.
#pragma once

#include <vector>

#include "leeway/cli/heeding.h"

namespace leeway::cli {

inline const std::vector<Hearer> kOnGraph = {{.on_graph = true}};
/// Under asytick a node works on one piece at a time, the one of least priority.
inline const std::vector<Scheduler> kNotByPieces = {Scheduler::DoWork, Scheduler::Bsp,
                                                    Scheduler::Ap,     Scheduler::Ssp,
                                                    Scheduler::Aap,    Scheduler::Hsync};
/// Fabrics whose time is the machine's.
inline const std::vector<Fabric> kRealTime = {Fabric::Loopback, Fabric::Mpi, Fabric::Ofi};

// How a graph comes to be.
bool graph_is_a_file(const Situation& situation);
bool graph_is_drawn(const Situation& situation);
bool weights_are_drawn(const Situation& situation);
bool edges_are_merged(const Situation& situation);
inline constexpr Condition kFile{graph_is_a_file, "a graph in a file"};
inline constexpr Condition kDrawnGraph{graph_is_drawn, "a graph drawn at random, such as kron:14"};
inline constexpr Condition kDrawnWeights{weights_are_drawn, "--weights random"};
inline constexpr Condition kMerged{edges_are_merged, "--duplicates merge"};

// How it is divided.
bool division_is_drawn(const Situation& situation);
bool division_balances(const Situation& situation);
bool division_is_by_metis(const Situation& situation);
inline constexpr Condition kDrawnDivision{division_is_drawn,
                                          "several nodes and --partition metis, hash or random"};
inline constexpr Condition kBalanced{division_balances, "--partition metis, block, ldg or fennel"};
inline constexpr Condition kByMetis{division_is_by_metis, "--partition metis"};

// How a run goes.
bool network_is_said(const Situation& situation);
bool open_end(const Situation& situation);
bool reads_may_be_late(const Situation& situation);
bool visits_are_free(const Situation& situation);
bool order_fits(const Situation& situation);
bool caches_fill_late(const Situation& situation);
bool cuts_edges(const Situation& situation);
bool takes_snapshots(const Situation& situation);
bool processes_have_values(const Situation& situation);
inline constexpr Condition kValuesOfMany{processes_have_values, "several processes and --out FILE"};
inline constexpr Condition kLateReads{
    reads_may_be_late, "a scheduler other than bsp, or a mode that pushes: scp+pb or rcp+push"};
inline constexpr Condition kFreeVisits{
    visits_are_free, "no --iterations, no --cache and, for pagerank, a scheduler other than bsp"};
inline constexpr Condition kFittingOrder{
    order_fits,
    "an order other than priority, which bfs, cc and sssp have, without bsp, "
    "--cache, --iterations and --visit all"};
inline constexpr Condition kLateCaches{caches_fill_late,
                                       "no worklist (which bfs, cc and sssp have without bsp, "
                                       "--cache, --iterations, --visit all and --order owner "
                                       "or degree)"};
inline constexpr Condition kEdgeCut{cuts_edges, "--cut edge"};
inline constexpr Condition kSnapshots{takes_snapshots, "--snapshot"};
inline constexpr Condition kDelays{network_is_said, "--net"};
inline constexpr Condition kOpenEnd{open_end, "no --iterations"};

// Ticks.
bool films(const Situation& situation);
bool has_goals(const Situation& situation);
bool steps_ahead(const Situation& situation);
bool has_replicas(const Situation& situation);
bool splits_by_load(const Situation& situation);
bool deals_by_seed(const Situation& situation);
bool goes_by_priority(const Situation& situation);
bool rebalances(const Situation& situation);
inline constexpr Condition kFilm{films, "--frames"};
inline constexpr Condition kGoals{has_goals, "--informed"};
inline constexpr Condition kAhead{steps_ahead, "--sync schedule or combined"};
inline constexpr Condition kReplicas{has_replicas, "--sync replicate or combined"};
inline constexpr Condition kByLoad{splits_by_load, "--split quadtree"};
inline constexpr Condition kDealtBySeed{deals_by_seed, "--partition metis, hash or random"};
inline constexpr Condition kByPriority{goes_by_priority, "--piece-order priority"};
inline constexpr Condition kBalancer{rebalances, "--system comtick or asytick-plb"};

}  // namespace leeway::cli
