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

void PathSources::warn_if_many(const GraphTotals& graph) const {
  constexpr double kManyArcs = 1e12;
  const double visited = static_cast<double>(count()) * static_cast<double>(graph.arcs);
  if (!all() || visited < kManyArcs) return;
  log_warning(
      "paths begin at each of {} vertices, which takes long; --samples 1000 estimates the result",
      format_count(graph.vertices));
}

}  // namespace leeway
