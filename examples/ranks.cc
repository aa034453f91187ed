// A vertex program that divides by degrees: the share of visits that each vertex gets from a random surfer who follows an
// arc with probability 0.85, and else starts again at vertex 0.
//
//   ranks [GRAPH] [FLAG...]      GRAPH: a file or a spec; --help lists the flags
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <span>

#include "leeway/job.h"
#include "leeway/settings.h"

struct Visits {
  using Value = double;  // what a vertex passes along each of its arcs
  static constexpr bool kDegrees = true;
  static constexpr double kFollows = 0.85;
  std::span<const std::uint32_t> degrees = {};  // out-degrees of this rank's vertices

  void settle(const leeway::LocalGraph& here) { degrees = here.degrees(); }
  double init(const leeway::LocalVertex& v) const { return starts(v.id) / arcs(v.local); }
  double update(const leeway::Vertex<double>& v) const {
    double sum = 0;
    v.each([&](double passed) { sum += passed; });
    return ((1 - kFollows) * starts(v.id()) + kFollows * sum) / arcs(v.local());
  }
  bool changed(double old, double now) const { return std::abs(now - old) > 1e-9 * now; }
  double result(const leeway::Vertex<double>& v) const { return v.value() * arcs(v.local()); }

  static double starts(leeway::VertexId v) { return v == leeway::VertexId(0) ? 1 : 0; }
  double arcs(std::uint32_t local) const { return std::max(1U, degrees[local]); }
};

int main(int argc, char** argv) {
  leeway::Options options(argc, argv);
  const std::string name = options.arguments.empty() ? "grid2d:30x20" : options.arguments[0];
  const auto graph = leeway::value_or_exit(leeway::open_graph(name, options.load));
  const auto run = leeway::value_or_exit(leeway::run_job(graph, Visits(), options));
  if (!options.first) return 0;
  const double all = std::accumulate(run.values.begin(), run.values.end(), 0.0);
  std::printf("%.4f of the visits are to vertex 0, of %.4f in all\n", run.values[0], all);
  return 0;
}
