#include "programs/catalog/vertex_run.h"

#include "programs/reference/kernels.h"

namespace leeway {

Status on_rows(const JobGraph& graph, const RunOptions& options,
               const std::function<Status(Group&, const GraphPart&)>& body) {
  if (graph.part == nullptr) return with_whole(*graph.whole, body);
  return with_group(options.cluster, [&](Group& group) { return body(group, *graph.part); });
}

double time_delta_stepping(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  const reference::DeltaStepping kernel(graph);
  return time_of([&] { return kernel.run(parameters.source); });
}

}  // namespace leeway
