// The engines on vertices. Each runs a program on one node from its initial values to the agreed end, through a kernel that
// hides the program's types; collective.
#pragma once

#include <cstdint>
#include <functional>

namespace leeway {

class ComputeThreads;
class JoinKernel;
class ListKernel;
class LocalGraph;
class Pace;
class SweepKernel;
struct LocalRange;
struct NodeRecord;
struct SweepContext;
struct Swept;

/// In place (ASPIRE, Algorithm 1): sweeps over the node's vertices, fetches the inputs of each and stores changed values,
/// until all nodes agree that nothing changes any more. With active visits, a vertex is skipped if none of its inputs
/// changed since its last update.
void run_sweeps(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record);

/// In supersteps (Valiant's BSP): every read returns the object's value at the begin of the superstep. A superstep computes
/// all new values into a separate array, waits for all nodes, stores, waits until all updates have arrived everywhere, and
/// fetches the inputs of the next superstep. Reads are current under every consistency mode. The mode only decides whether
/// new values are sent with the notices of changes or are fetched afterwards.
void run_supersteps(SweepContext& context, SweepKernel& kernel, NodeRecord& record);

/// Piece by piece (AsyTick). The next piece updates those of its vertices whose inputs have changed. Its changes are
/// published once the pieces since the last time are worth a message; arrivals are processed before the next piece is
/// chosen. One thread for each node. Requires a graph with inputs and readers.
void run_pieces(SweepContext& context, SweepKernel& kernel, Pace& pace, NodeRecord& record);

/// By worklist: takes the vertices of the best rank, offers values along their arcs to the local vertices that read them,
/// and adds the vertices that took an offer. Values from other nodes are offered when they arrive. The cost for a graph with
/// a large diameter is proportional to its arcs; it needs no sweep for each hop.
///
/// If a rank's values are all equal (by_levels) and most arcs lead from the current bucket, the vertices that are not
/// reached yet look for one of its vertices among those they read, and stop at the first (Beamer, Asanović & Patterson,
/// SC 2012).
///
/// A bucket that is long enough is processed by all threads of the node: each takes a part of it, improves values by
/// compare-and-exchange, and adds the improved vertices to its own queue. The final values are the same, bit for bit,
/// for any number of threads. (Processing vertices that fall into the current bucket immediately, as bucket fusion
/// does, was no faster on road graphs and slower on Kronecker graphs, where all threads waited for the one that had a
/// few hubs.)
void run_worklist(const SweepContext& context, ListKernel& kernel, Pace& pace, NodeRecord& record);

/// For programs whose arcs pass values on unchanged: all connected vertices end with the best value among them. Each node
/// first joins its connected vertices, so that a set has one value. Then nodes send each other better values until all
/// agree. The work is that of a union-find, and the number of rounds depends on the sets instead of the vertices. All
/// threads of a node join; one thread exchanges values.
void run_joined_sets(const SweepContext& context, JoinKernel& kernel, Pace& pace,
                     NodeRecord& record);

// For the engines.

/// Calls body(thread, range) for ranges that cover [0, count), on all threads. Ranges begin at multiples of 64.
void each_range(std::uint32_t count, ComputeThreads& threads,
                const std::function<void(unsigned thread, LocalRange)>& body);
/// Calls body(range) for ranges that cover the node's vertices, on all threads, and adds up what it returns.
Swept for_ranges(const LocalGraph& graph, ComputeThreads& threads,
                 const std::function<Swept(LocalRange)>& body);

}  // namespace leeway
