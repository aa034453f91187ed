// A Pregel program with a combiner on the pie engine: shortest paths from vertex 0 (Malewicz et al., SIGMOD 2010, §5.2).
//
//   pregel [GRAPH] [FLAG...]      GRAPH: a file or a spec; --help lists the flags
#include <algorithm>
#include <cstdio>
#include <limits>

#include "leeway/pie_models.h"
#include "leeway/settings.h"

namespace pie = leeway::pie;

struct ShortestPaths {
  using Value = double;
  using Message = double;
  static constexpr bool kWeighted = true;
  static void combine(double& kept, const double& come) { kept = std::min(kept, come); }

  double initial(leeway::VertexId) const { return std::numeric_limits<double>::infinity(); }
  void compute(pie::PregelVertex<ShortestPaths>& vertex, std::span<const double> messages) const {
    const bool source = vertex.superstep() == 0 && vertex.id() == leeway::VertexId(0);
    double least = source ? 0 : std::numeric_limits<double>::infinity();
    for (const double message : messages) least = std::min(least, message);
    if (least < vertex.value()) {
      vertex.value() = least;
      for (std::uint64_t arc = 0; arc < vertex.degree(); ++arc)
        vertex.send_along(arc, least + vertex.weight(arc));
    }
    vertex.vote_to_halt();
  }
};

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Pie);
  options.load.weights = leeway::Weights::Random;  // 1 to 100, by --seed
  const std::string name = options.arguments.empty() ? "grid2d:30x20" : options.arguments[0];
  const auto graph = leeway::value_or_exit(leeway::open_graph(name, options.load));
  const auto answer = leeway::value_or_exit(pie::run_pregel(graph, ShortestPaths(), options));
  if (!options.first) return 0;
  const double farthest = *std::max_element(answer.values.begin(), answer.values.end());
  std::printf("%zu vertices, the farthest is at distance %g\n", answer.values.size(), farthest);
}
