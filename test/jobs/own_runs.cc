// Two runs of a vertex program, one after the other, in a job whose processes may be lost: the smallest vertex that is
// connected with each vertex, with slow rounds.
//
//   own-runs [FLAG...]      as --snapshot FOLDER --snapshot-every 0.02s
#include <algorithm>
#include <chrono>
#include <thread>

#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/settings.h"
#include "test/jobs/two_runs.h"

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
  return run_twice(graph, options.first,
                   [&] { return value_or_exit(run_job(graph, SmallestConnected(), options)); });
}
