// Two runs of a vertex program, one after the other, in a job whose processes may be lost: the smallest vertex that is
// connected with each vertex, with slow rounds.
//
//   own-runs [FLAG...]      as --snapshot FOLDER --snapshot-every 0.02s
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/settings.h"
#include "programs/reference/oracles.h"

namespace {

struct SmallestConnected {
  using Value = std::uint32_t;

  [[nodiscard]] Value init(leeway::VertexId v) const { return v.value(); }
  [[nodiscard]] Value update(const leeway::Vertex<Value>& vertex) const {
    if (vertex.id() == leeway::VertexId(0))
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    Value smallest = vertex.value();
    vertex.each([&](Value from) { smallest = std::min(smallest, from); });
    return smallest;
  }
};

}  // namespace

int main(int count, char** words) {
  using namespace leeway;
  const Options options(count, words);
  const Graph graph = value_or_exit(open_graph("grid2d:60x60"));
  const auto first = value_or_exit(run_job(graph, SmallestConnected(), options));
  if (options.first) (void)!::write(STDOUT_FILENO, "one run\n", 8);
  const auto second = value_or_exit(run_job(graph, SmallestConnected(), options));
  if (!options.first) return 0;
  const auto expected = reference::components(graph);
  std::size_t wrong = 0;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v)
    wrong += first.values[v] != expected[v] || second.values[v] != expected[v] ? 1 : 0;
  std::printf("%zu wrong, %u recoveries\n", wrong, second.record.recoveries);
  return wrong == 0 ? 0 : 1;
}
