// Shipped programs on a graph that changes: distances from a vertex while roads are closed and opened.
//
//   programs [GRAPH] [FLAG...]      GRAPH: a file or a spec; --help lists the flags
#include <cmath>
#include <cstdio>
#include <utility>

#include "leeway/programs.h"
#include "leeway/settings.h"

using leeway::VertexId;

int main(int argc, char** argv) {
  leeway::Options options(argc, argv);
  const std::string name = options.arguments.empty() ? "grid2d:60x40" : options.arguments[0];
  leeway::GraphSession session(leeway::value_or_exit(leeway::open_graph(name, options.load)),
                               options);
  const auto show = [&](const char* when, const leeway::KeptAnswer& distances) {
    double farthest = 0;
    for (const double each : distances.numbers)
      if (std::isfinite(each)) farthest = std::fmax(farthest, each);
    if (options.first) std::printf("%s the farthest vertex is %g away\n", when, farthest);
  };
  auto distances = leeway::value_or_exit(session.run("sssp", {.source = VertexId(0)}));
  show("at first", distances);

  const VertexId neighbour = session.graph().neighbors(VertexId(0))[0];
  leeway::value_or_exit(session.change(
      {{.kind = leeway::ChangeKind::Removed, .source = VertexId(0), .target = neighbour}}));
  distances = leeway::value_or_exit(session.renew(distances));
  show("with a road less", distances);

  const VertexId last(session.graph().vertex_count() - 1);
  leeway::value_or_exit(session.change({{.source = VertexId(0), .target = last}}));
  distances = leeway::value_or_exit(session.renew(distances));
  show("with a shortcut", distances);
  return 0;
}
