// ASPIRE's Algorithm 1 with nothing in between: the caller's function fetches, computes and stores, one
// vertex at a time; this loops over the node's vertices, votes, and ends when no node votes to continue.
// For programs that want their fetches and stores in sight; run_job (job.h) deals out a graph as well.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "leeway/dsm/dsm.h"

namespace leeway {

/// Collective. `work(curr)` handles vertex `curr` of this node's `count`, and returns |old - new|; it stores
/// only what moved by more than `epsilon`, for a store is a write, and while writes are on their way nobody
/// may stop. Returns the number of iterations.
template <class Work>
  requires std::convertible_to<std::invoke_result_t<Work&, std::uint32_t>, double>
std::uint32_t do_work(Node& node, std::uint32_t count, double epsilon, Work&& work) {
  std::uint32_t iterations = 0;
  bool converged = false;
  while (!converged) {
    double error = epsilon;
    for (std::uint32_t curr = 0; curr < count; ++curr)
      error = std::max(error, static_cast<double>(work(curr)));
    converged = node.converged(error > epsilon);  // BARRIER, and one vote a node
    ++iterations;
  }
  return iterations;
}

}  // namespace leeway
