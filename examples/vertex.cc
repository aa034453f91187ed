// A vertex program: how much can pass from vertex 0 to every other vertex along the best single path.
//
//   vertex [GRAPH] [FLAG...]      GRAPH: a file or a spec; --help lists the flags
#include <algorithm>
#include <cstdio>

#include "leeway/job.h"
#include "leeway/settings.h"

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

int main(int argc, char** argv) {
  leeway::Options options(argc, argv);
  options.load.weights = leeway::Weights::Random;  // 1 to 100, by --seed
  const std::string name = options.arguments.empty() ? "grid2d:30x20" : options.arguments[0];
  const auto graph = leeway::value_or_exit(leeway::open_graph(name, options.load));
  const auto run = leeway::value_or_exit(leeway::run_job(graph, WidestPath(), options));
  if (!options.first) return 0;
  if (!run.record.converged()) std::fprintf(stderr, "stopped before it converged\n");
  const double narrowest = *std::min_element(run.values.begin(), run.values.end());
  std::printf("%zu vertices, the narrowest way is %g wide\n", run.values.size(), narrowest);
  return 0;
}
