#include "programs/catalog/sources.h"

#include <algorithm>
#include <unordered_set>

#include "base/bytes.h"
#include "base/format.h"
#include "base/log.h"
#include "programs/catalog/program.h"

namespace leeway {

PathSources::PathSources(const GraphTotals& graph, const ProgramParameters& parameters,
                         std::uint64_t seed) {
  if (parameters.source_given) {
    chosen_ = {parameters.source};
  } else if (!parameters.samples || *parameters.samples >= graph.vertices) {
    all_ = graph.vertices;
  } else {
    // Floyd's algorithm: every set of this size is equally likely.
    std::unordered_set<std::uint32_t> drawn;
    for (std::uint64_t last = graph.vertices - *parameters.samples; last < graph.vertices; ++last) {
      const auto one = static_cast<std::uint32_t>(mix64(mix64(seed) + last) % (last + 1));
      drawn.insert(drawn.contains(one) ? static_cast<std::uint32_t>(last) : one);
    }
    for (const std::uint32_t each : drawn) chosen_.emplace_back(each);
    std::sort(chosen_.begin(), chosen_.end());
  }
}

bool PathSources::has(VertexId vertex) const {
  return all() || std::binary_search(chosen_.begin(), chosen_.end(), vertex);
}

std::vector<VertexId> PathSources::list() const {
  std::vector<VertexId> sources;
  for (std::uint64_t i = 0; i < count(); ++i) sources.push_back(at(i));
  return sources;
}

std::shared_ptr<const PathSources> PathSources::for_run(const GraphTotals& graph,
                                                        const ProgramParameters& parameters,
                                                        std::uint64_t seed) {
  constexpr double kManyArcs = 1e12;
  auto sources = std::make_shared<const PathSources>(graph, parameters, seed);
  const double visited = static_cast<double>(sources->count()) * static_cast<double>(graph.arcs);
  if (sources->all() && visited >= kManyArcs) {
    log_warning(
        "paths begin at each of {} vertices, which takes long; --samples 1000 estimates the result",
        format_count(graph.vertices));
  }
  return sources;
}

}  // namespace leeway
