// PageRank as a tick program (Appendix B.2): tuples are vertices, queries parts and labels. A tick is one
// iteration without the rank of vertices that have no arcs; the result, scaled to a sum of 1, has it spread
// evenly, for both rank alike in the end.
#pragma once

#include <memory>
#include <string>

#include "leeway/datasets/graph.h"
#include "leeway/datasets/partition.h"
#include "leeway/programs/pagerank_options.h"
#include "leeway/runtime/tick/property_check.h"
#include "leeway/runtime/tick/run_ticks.h"
#include "leeway/runtime/tick/vertex_state.h"

namespace leeway::tick {

struct PageRankSettings {
  PageRankOptions what;  ///< ticks are counted, so a tolerance is refused
  PartitionOptions partition{.balance = BalanceBy::Arcs};  ///< but for the number of parts
  std::uint64_t arc_price_ps = 5'000;  ///< of one arc's tick in a virtual cluster, picoseconds
};

using PageRankRun = Run<VertexState>;
using PageRankEnds = Ends<VertexState>;

struct RankedGraph {
  PageRankRun run;                           ///< its state is in the graph's order
  std::shared_ptr<const HaloLevels> labels;  ///< of the last division, which the state speaks of
};

/// Ticks of it on every node; ranks are not scaled. Starts from `from` at `ends.first`, or from even ranks; a
/// checkpoint's ranks are VertexState::whole of its bytes.
[[nodiscard]] Result<RankedGraph> run_page_ranks(const Graph& graph,
                                                 const PageRankSettings& settings,
                                                 const Options& options,
                                                 const ClusterOptions& cluster,
                                                 const std::vector<double>* from = nullptr,
                                                 const PageRankEnds& ends = {});

/// Tries the eight functions on this graph (see property_check.h).
[[nodiscard]] Result<std::optional<Counterexample>> find_rank_counterexample(
    const Graph& graph, const PageRankSettings& settings, const PropertySamples& samples = {});

/// Scaled so that they sum to 1.
[[nodiscard]] std::vector<double> scaled_ranks(std::span<const double> ranks);

}  // namespace leeway::tick
