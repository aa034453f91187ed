#include "programs/catalog/vertex_run.h"

#include <algorithm>

#include "base/parallel.h"
#include "programs/reference/kernels.h"

namespace leeway {

Status on_rows(const JobGraph& graph, const RunOptions& options,
               const std::function<Status(Group&, const GraphPart&)>& body) {
  if (graph.part == nullptr) return with_whole(*graph.whole, body);
  return with_group(options.cluster, [&](Group& group) { return body(group, *graph.part); });
}

unsigned threads_here(const RunOptions& options) {
  const unsigned each = options.vertex.threads;
  if (each == 0 || options.cluster.job != nullptr) return each;
  return std::min(thread_count(0), each * options.cluster.nodes);
}

double time_delta_stepping(const Graph& graph, const ProgramParameters& parameters, std::uint32_t) {
  const reference::DeltaStepping kernel(graph);
  return time_of([&] { return kernel.run(parameters.source); });
}

}  // namespace leeway
