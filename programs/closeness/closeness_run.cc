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
  const auto sources = PathSources::for_run(totals, parameters, options.cluster.seed);
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

template <DistanceTerm kTerm>
Result<ProgramResult> run_distance_sums(const JobGraph& graph, const ProgramParameters& parameters,
                                        const RunOptions& options) {
  return parameters.by_weight ? run_sums_of<true>(graph, parameters, options, kTerm)
                              : run_sums_of<false>(graph, parameters, options, kTerm);
}

template <DistanceTerm kTerm>
Result<std::string> verify_distance_sums(const Graph& graph, const ProgramParameters& parameters,
                                         const RunOptions& options, const ProgramValues& values) {
  const auto oracle = kTerm == DistanceTerm::Distance ? reference::closeness : reference::harmonic;
  const PathSources sources(graph, parameters, options.cluster.seed);
  return close(graph, reals(values), oracle(graph, sources.list(), parameters.by_weight), 1e-12);
}

template Result<ProgramResult> run_distance_sums<DistanceTerm::Distance>(const JobGraph&,
                                                                         const ProgramParameters&,
                                                                         const RunOptions&);
template Result<ProgramResult> run_distance_sums<DistanceTerm::Reciprocal>(const JobGraph&,
                                                                           const ProgramParameters&,
                                                                           const RunOptions&);
template Result<std::string> verify_distance_sums<DistanceTerm::Distance>(const Graph&,
                                                                          const ProgramParameters&,
                                                                          const RunOptions&,
                                                                          const ProgramValues&);
template Result<std::string> verify_distance_sums<DistanceTerm::Reciprocal>(
    const Graph&, const ProgramParameters&, const RunOptions&, const ProgramValues&);

}  // namespace leeway
