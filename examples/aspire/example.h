// Shared by the eight programs: reads the graph and the settings from the command line, and prints the values to standard
// output, one line per vertex. Under mpiexec or `leeway launch` every process is a node.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>

#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/settings.h"

namespace aspire {

/// Runs the program that `make` creates for a graph and prints each value as formatted by `show`. Returns main's exit code.
template <class Make, class Show>
int run(int count, char** words, const leeway::LoadOptions& load, Make make, Show show) {
  leeway::Options options(count, words);
  if (options.arguments.size() != 1) {
    leeway::exit_with(leeway::input_error(words[0], "needs one graph",
                                          "as in pagerank kron:10 --nodes 4 --consistency rcp"));
  }
  if (load.direction != leeway::Direction::Auto) options.load.direction = load.direction;
  const auto graph = leeway::value_or_exit(leeway::open_graph(options.arguments[0], options.load));
  const auto result = leeway::value_or_exit(leeway::run_job(graph, make(graph), options));
  if (!options.first) return 0;
  for (leeway::VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const std::string line =
        leeway::format("{} {}\n", graph.names().name(v), show(result.values, v));
    std::fputs(line.c_str(), stdout);
  }
  return 0;
}

/// Formats values unchanged.
template <class Make>
int run(int count, char** words, const leeway::LoadOptions& load, Make make) {
  return run(count, words, load, make,
             [](const auto& values, leeway::VertexId v) { return values[v.index()]; });
}

}  // namespace aspire
