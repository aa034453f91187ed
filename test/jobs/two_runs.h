// Two runs in a job whose processes may be lost, judged together.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "leeway/graph.h"
#include "programs/reference/oracles.h"

/// Calls `run` twice, each time for the smallest vertex that is connected with each vertex; between the calls the process with
/// the results prints "one run". Prints the number of wrong values and of recoveries. Returns the exit code.
template <class Run>
int run_twice(const leeway::Graph& graph, bool has_results, const Run& run) {
  const auto first = run();
  if (has_results) (void)!::write(STDOUT_FILENO, "one run\n", 8);
  const auto second = run();
  if (!has_results) return 0;
  const auto expected = leeway::reference::components(graph);
  std::size_t wrong = 0;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v)
    wrong += first.values[v] != expected[v] || second.values[v] != expected[v] ? 1 : 0;
  std::printf("%zu wrong, %u recoveries\n", wrong, second.record.recoveries);
  return wrong == 0 ? 0 : 1;
}
