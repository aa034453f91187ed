#include <cmath>
#include <utility>
#include <vector>

#include "base/format.h"
#include "programs/catalog/found_values.h"
#include "programs/catalog/program_rows.h"
#include "programs/catalog/verify.h"
#include "programs/catalog/vertex_run.h"
#include "programs/louvain/modularity.h"
#include "programs/reference/structure.h"

namespace leeway {

namespace {

Verified verify_communities(const Graph& graph, const ProgramParameters& parameters,
                            const RunOptions&, const ProgramValues& values) {
  const auto quality = [&](const Counts& communities) {
    return reference::modularity(graph, communities, parameters.resolution, parameters.by_weight);
  };
  const double found = quality(counts(values));
  Counts apart;
  for (std::uint64_t v = 0; v < graph.vertex_count(); ++v) apart.push_back(v);
  if (found < quality(apart) - 1e-9)
    return fail(wrong(graph, 0, format("modularity {}", found),
                      format("at least {}, that of single vertices", quality(apart))));
  return format("modularity {:.6f}", found);
}

Result<ProgramResult> run_louvain(const JobGraph& graph, const ProgramParameters& parameters,
                                  const RunOptions& options) {
  FoundCommunities found;
  const ModularityOptions how{.resolution = parameters.resolution,
                              .by_weight = parameters.by_weight,
                              .seed = options.cluster.seed,
                              .threads = threads_here(options)};
  const auto find = [&](Group& group, const GraphPart& part) -> Result<std::vector<CommunityRow>> {
    LEEWAY_ASSIGN(found, find_communities(group, part, how));
    return std::move(found.rows);
  };
  LEEWAY_ASSIGN(auto labels, run_found(graph, options, find));
  ProgramResult run = whole_numbers(std::move(labels), Shown::Vertex);
  run.figures = {{"modularity", found.modularity}, {"levels", static_cast<double>(found.levels)}};
  return run;
}

}  // namespace

const Program& programs::louvain() {
  static const Program kProgram = {
      .name = "louvain",
      .summary = "communities of high modularity, by the method of Louvain",
      .result = "first vertex of the community",
      .known_as = {"louvain_communities", "louvain_partitions", "greedy_modularity_communities",
                   "modularity", "leiden_communities", "PLM"},
      .exact = true,
      .shown = Shown::Vertex,
      .groups = "communities",
      .verify = verify_communities,
      .engines = {{.engine = EngineName::Vertex,
                   .takes = {Parameter::ByWeight, Parameter::Resolution, Parameter::Seed},
                   .memory = vertex_memory<FoundValues<CommunityRow>, CommunityRow>,
                   .run = on_whole<run_louvain>,
                   .run_part = on_part<run_louvain>}},
  };
  return kProgram;
}

}  // namespace leeway
