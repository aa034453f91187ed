#include "leeway/programs/tick/page_ranks.h"

#include <numeric>

#include "leeway/base/format.h"
#include "leeway/programs/tick/page_rank_ticks.h"

namespace leeway::tick {

Result<RankedGraph> run_page_ranks(const Graph& graph, const PageRankSettings& settings,
                                   const Options& options, const ClusterOptions& cluster,
                                   const std::vector<double>* from, const PageRankEnds& ends) {
  if (graph.vertex_count() == 0) {
    return fail(input_error("pagerank", "the graph has no vertices", "give one that has"));
  }
  if (settings.what.tolerance) {
    return fail(
        input_error("pagerank", "a tolerance, where ticks are counted", "say how many ticks"));
  }
  if (from != nullptr && from->size() != graph.vertex_count()) {
    return fail(input_error(
        "pagerank",
        format("{} ranks to start from, for {} vertices", from->size(), graph.vertex_count()),
        "give those of the same graph"));
  }
  LEEWAY_ASSIGN(const Parameters pace, settled(options));
  const auto parts = std::make_shared<RankedParts>(graph, settings.partition, pace.replicas + 1);
  // Before there are nodes, for an error here is the user's alone.
  LEEWAY_ASSIGN(const HaloLevels* const first,
                parts->start(cluster, {cluster.nodes, settings.partition.seed}));
  LEEWAY_ASSIGN(PageRankRun run,
                run_ticks(PageRankTicks(*parts, settings, from), options, cluster, ends));
  const HaloLevels* const last = run.result.state.held().labels;
  return RankedGraph{std::move(run), {parts, last != nullptr ? last : first}};
}

Result<std::optional<Counterexample>> find_rank_counterexample(const Graph& graph,
                                                               const PageRankSettings& settings,
                                                               const PropertySamples& samples) {
  constexpr Level kHalo = 3;  // as far as the laws look
  const RankedParts parts(graph, settings.partition, kHalo);
  return find_counterexample(PageRankTicks(parts, settings, nullptr), samples);
}

std::vector<double> scaled_ranks(std::span<const double> ranks) {
  std::vector<double> scaled(ranks.begin(), ranks.end());
  scale_to_one(scaled, sum_of(ranks));
  return scaled;
}

}  // namespace leeway::tick
