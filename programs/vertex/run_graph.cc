// The programs on graphs; those on matrices stand in run_matrix.cc.
#include <limits>

#include "leeway/programs/vertex/grouping.h"
#include "leeway/programs/vertex/pagerank.h"
#include "leeway/programs/vertex/paths.h"
#include "leeway/programs/vertex/runs.h"
#include "leeway/programs/vertex/structure.h"

namespace leeway {

namespace {

template <class Make>
Result<ProgramRun> counted(const JobGraph& graph, const Make& make, const ProgramOptions& options,
                           Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  std::vector<std::uint64_t> values(result.values.begin(), result.values.end());
  return ProgramRun{{std::move(values), shown}, std::move(result.record)};
}

template <class Make>
Result<ProgramRun> measured(const JobGraph& graph, const Make& make, const ProgramOptions& options,
                            Shown shown) {
  LEEWAY_ASSIGN(auto result, run_made(graph, make, options));
  return ProgramRun{{std::move(result.values), shown}, std::move(result.record)};
}

}  // namespace

Result<ProgramRun> run_pagerank(const JobGraph& graph, const ProgramSettings& settings,
                                const ProgramOptions& options) {
  PageRankOptions how{.damping = settings.damping, .tolerance = settings.tolerance};
  if (options.engine.iterations) how.tolerance = 0;  // every change counts until they are over
  LEEWAY_ASSIGN(auto result, run_made(
                                 graph, [&] { return PageRank(graph.totals(), how); }, options));
  if (options.engine.scheduler != Scheduler::Bsp) {
    double sum = sum_of(result.values);
    if (graph.part != nullptr) {
      LEEWAY_ASSIGN(sum, sum_of_parts(options.cluster, sum));
    }
    scale_to_one(result.values, sum);
  }
  return ProgramRun{{std::move(result.values), Shown::Real}, std::move(result.record)};
}

Result<ProgramRun> run_sssp(const JobGraph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) {
  if (graph.part == nullptr) {
    return measured(
        graph, [&] { return Sssp(*graph.whole, settings.source); }, options, Shown::Distance);
  }
  double weights = 0;
  for (const double weight : graph.part->lists.weights) weights += weight;
  LEEWAY_ASSIGN(weights, sum_of_parts(options.cluster, weights));
  return measured(
      graph, [&] { return Sssp(graph.part->totals, weights, settings.source); }, options,
      Shown::Distance);
}

Result<ProgramRun> run_bfs(const JobGraph& graph, const ProgramSettings& settings,
                           const ProgramOptions& options) {
  LEEWAY_ASSIGN(auto run, counted(
                              graph, [&] { return Bfs(settings.source); }, options, Shown::Depth));
  for (std::uint64_t& depth : std::get<std::vector<std::uint64_t>>(run.values.by_vertex)) {
    if (depth == Bfs::kFar) depth = std::numeric_limits<std::uint64_t>::max();
  }
  return run;
}

Result<ProgramRun> run_paths(const JobGraph& graph, const ProgramSettings& settings,
                             const ProgramOptions& options) {
  return counted(
      graph, [&] { return PathCount(graph.totals(), settings.source); }, options, Shown::Paths);
}

Result<ProgramRun> run_shortest_path_counts(const JobGraph& graph, const ProgramSettings& settings,
                                            const ProgramOptions& options) {
  return counted(
      graph, [&] { return ShortestPathCount(settings.source); }, options, Shown::Paths);
}

Result<ProgramRun> run_cc(const JobGraph& graph, const ProgramSettings&,
                          const ProgramOptions& options) {
  return counted(
      graph, [&] { return Components(graph.totals()); }, options, Shown::Vertex);
}

Result<ProgramRun> run_cdlp(const JobGraph& graph, const ProgramSettings& settings,
                            const ProgramOptions& options) {
  return counted(
      graph, [&] { return Communities(!settings.ldbc); }, options, Shown::Vertex);
}

Result<ProgramRun> run_coloring(const JobGraph& graph, const ProgramSettings&,
                                const ProgramOptions& options) {
  return counted(
      graph, [&] { return Colouring(); }, options, Shown::Count);
}

Result<ProgramRun> run_lcc(const Graph& graph, const ProgramSettings&,
                           const ProgramOptions& options) {
  return measured(
      JobGraph(graph), [&] { return Clustering(graph); }, options, Shown::Real);
}

Result<ProgramRun> run_degree(const JobGraph& graph, const ProgramSettings&,
                              const ProgramOptions& options) {
  return counted(
      graph, [&] { return Degree(); }, options, Shown::Count);
}

}  // namespace leeway
