// The three questions put to PIE programs as processes of an MPI job: each process loads the graph and divides
// it alike, and holds its own fragment.
#pragma once

#include <cstdint>
#include <string>

#include "leeway/datasets/graph.h"

namespace leeway::peers {

/// What the tuned kernels took, in the run that started this one.
struct TunedSeconds {
  double pagerank = 0;
  double sssp = 0;
  double components = 0;
};

/// As one process of a job that a launcher started: asks, and leaves. The first prints.
[[noreturn]] void ask_as_process(const std::string& name, const Graph& graph, VertexId source,
                                 std::uint32_t iterations, const TunedSeconds& tuned);

}  // namespace leeway::peers
