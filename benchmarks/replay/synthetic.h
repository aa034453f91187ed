// The synthetic benchmark of ASPIRE §6.3, run in the virtual cluster: every node sweeps over its vertices
// as DO-WORK does (Algorithm 1), fetches each vertex and its neighbours one after the other, computes and
// stores, for a number of iterations fixed beforehand. Plan in, virtual seconds and counts out; the same
// plan gives the same result, to the byte.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "leeway/base/result.h"
#include "leeway/benchmarks/replay/laid_graph.h"
#include "leeway/transport/cost_model.h"
#include "leeway/transport/network_profile.h"

namespace leeway::replay {

/// The sizes an object may have: a double, and a double with a bloat.
inline constexpr std::array<std::uint32_t, 4> kObjectBytes = {8, 64, 512, 4096};

struct SyntheticPlan {
  std::string mode = "rcp";
  std::uint32_t writes = 1;  ///< of each vertex in each iteration
  /// Off: a vertex's writes follow each other, each after its share of the neighbours' fetches. On: the
  /// iteration has a pass over all vertices for each write, so they lie as far apart as they can.
  bool spread_writes = false;
  std::uint32_t object_bytes = 8;  ///< one of kObjectBytes
  std::uint32_t iterations = 2;
  bool barrier = true;     ///< after each iteration, as in Algorithm 1
  Duration fetch_delay{};  ///< added to every answer to a Read, and to nothing else
  bool warm = false;       ///< caches are filled before the clock starts
  NetworkProfile network;
  CostModel cost;
  std::uint64_t seed = 1;
};

struct SyntheticResult {
  double seconds = 0;  ///< virtual, from the first sweep to the last store known everywhere
  std::uint64_t events = 0;
  std::uint64_t digest = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t blocked_fetches = 0;
  std::uint64_t current_hits = 0;  ///< of remote objects, like all that follow
  std::uint64_t stale_hits = 0;
  std::uint64_t misses = 0;
  /// [s]: copies whose value was, at its stalest use, s versions old.
  std::vector<std::uint64_t> copies_by_staleness;
};

/// An Error if a mode has no such name or the cluster did not finish.
Result<SyntheticResult> run_synthetic(const LaidGraph& graph, const SyntheticPlan& plan);

}  // namespace leeway::replay
