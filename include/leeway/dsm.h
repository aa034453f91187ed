// The shared memory of a node, with typed objects: Dsm, DSM_FETCH and DSM_STORE, and the loop of a program that uses them
// without an engine.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "dsm/dsm.h"
#include "dsm/node.h"

namespace leeway {

/// ASPIRE's Algorithm 1 without an engine, for programs with explicit fetches and stores: loops over the node's
/// vertices, votes, and ends when no node votes to continue. (run_job, job.h, also distributes a graph.) Collective.
/// `work(curr)` processes vertex `curr` of this node's `count` and returns |old - new|. It must store only values
/// that moved by more than `epsilon`: a store is a write, and the run cannot end while writes are in flight. Returns
/// the number of iterations.
template <class Work>
  requires std::convertible_to<std::invoke_result_t<Work&, std::uint32_t>, double>
std::uint32_t do_work(Node& node, std::uint32_t count, double epsilon, Work&& work) {
  std::uint32_t iterations = 0;
  bool converged = false;
  while (!converged) {
    double error = epsilon;
    for (std::uint32_t curr = 0; curr < count; ++curr)
      error = std::max(error, static_cast<double>(work(curr)));
    converged = node.converged(error > epsilon);  // BARRIER, with one vote per node
    ++iterations;
  }
  return iterations;
}

}  // namespace leeway
