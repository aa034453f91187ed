#include "programs/closeness/closeness_run.h"

#include <memory>
#include <utility>
#include <vector>

#include "programs/catalog/sources.h"
#include "programs/catalog/verify.h"
#include "programs/reference/centrality.h"

namespace leeway {

namespace {

/// `is_source`: the vertex is one of `sources`, which does not count.
double centrality_of(const DistanceSum& sum, DistanceTerm term, bool is_source, double sources,
                     double vertices) {
  const double others = sources - (is_source ? 1 : 0);
  if (sum.total <= 0 || others <= 0) return 0;
  if (term == DistanceTerm::Reciprocal) return sum.total * ((vertices - 1) / others);
  const double reached = sum.reached - (is_source ? 1 : 0);
  return reached * reached / (others * sum.total);
}

template <bool kByWeight>
Result<ProgramResult> run_sums_of(const JobGraph& graph, const ProgramParameters& parameters,
                                  const RunOptions& options, DistanceTerm term) {
  const GraphTotals totals = graph.totals();
  const auto sources =
      std::make_shared<const PathSources>(totals, parameters, options.cluster.seed);
  sources->warn_if_many(totals);
  LEEWAY_ASSIGN(auto run,
                run_made(
                    graph, [&] { return DistanceSums<kByWeight>(sources, term); }, options));
  const std::uint32_t first = graph.part != nullptr ? graph.part->first() : 0;
  std::vector<double> values;
  values.reserve(run.values.size());
  for (std::uint32_t v = 0; v < run.values.size(); ++v) {
    values.push_back(centrality_of(run.values[v], term, sources->has(VertexId(first + v)),
                                   static_cast<double>(sources->count()),
                                   static_cast<double>(totals.vertices)));
  }
  return ProgramResult{{std::move(values), Shown::Real}, std::move(run.record)};
}

}  // namespace

Result<ProgramResult> run_distance_sums(const JobGraph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options, DistanceTerm term) {
  return parameters.by_weight ? run_sums_of<true>(graph, parameters, options, term)
                              : run_sums_of<false>(graph, parameters, options, term);
}

Result<std::string> verify_distance_sums(const Graph& graph, const ProgramParameters& parameters,
                                         const RunOptions& options, const ProgramValues& values,
                                         DistanceTerm term) {
  const PathSources sources(graph, parameters, options.cluster.seed);
  std::vector<VertexId> begun;
  for (std::uint64_t i = 0; i < sources.count(); ++i) begun.push_back(sources.at(i));
  return close(graph, reals(values),
               term == DistanceTerm::Distance
                   ? reference::closeness(graph, begun, parameters.by_weight)
                   : reference::harmonic(graph, begun, parameters.by_weight),
               1e-12);
}

}  // namespace leeway
