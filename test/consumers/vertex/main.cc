// Widest paths: how much can pass from vertex 0 to every other along the best single path.
#include <algorithm>
#include <cstdio>

#include "leeway/graph.h"
#include "leeway/job.h"

struct WidestPath {
  using Value = double;
  static constexpr bool kWeights = true;

  double init(leeway::VertexId v) const { return v == leeway::VertexId(0) ? 1000 : 0; }
  double update(const leeway::Vertex<double>& vertex) const {
    double widest = vertex.value();
    vertex.each(
        [&](double from, double width) { widest = std::max(widest, std::min(from, width)); });
    return widest;
  }
};

int main() {
  leeway::LoadOptions load;
  load.weights = leeway::Weights::Random;  // 1 to 100, by the seed
  const auto graph = leeway::generate("grid2d:30x20", load);
  leeway::RunOptions options;
  options.cluster.nodes = 4;
  const auto run = leeway::run_job(*graph, WidestPath(), options);
  if (!run) {
    std::fprintf(stderr, "%s\n", run.error().to_string().c_str());
    return run.error().exit_code();
  }
  const double narrowest = *std::min_element(run->values.begin(), run->values.end());
  std::printf("%zu vertices, the narrowest way is %g wide\n", run->values.size(), narrowest);
  return 0;
}
