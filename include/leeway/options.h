// How a vertex program is to be run: which scheduler paces it, which vertices a sweep visits, in which
// order, with how many threads. Plain data, the same on every node.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/parallel.h"
#include "dsm/space_options.h"
#include "leeway/result.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/schedule.h"
#include "transport/network_profile.h"

namespace leeway {

/// Which vertices an iteration visits.
enum class Visit {
  All,     ///< every vertex, as the paper's sweeps do
  Active,  ///< those of whose inputs one changed since they last ran
  Auto,    ///< all while many change, then the active ones
};

/// While more than one vertex in so many changes, nearly all depend on one that has: to find out which do not costs more
/// than to run them in vain.
[[nodiscard]] constexpr bool are_few(std::uint64_t changed, std::uint32_t vertices) {
  return changed <= vertices / 16;
}

/// In which order a node processes what is to be done.
enum class WorkOrder {
  Owner,     ///< as the vertices lie
  Degree,    ///< most arcs first
  Priority,  ///< best values first, by worklist; for programs that select
  Auto,  ///< priority where a program allows it, else as is read fastest: hubs first, on several nodes
};

/// How many copies of other nodes' values a node may keep at once; both 0: all that it reads. A copy that was
/// evicted is asked for again when it is read.
struct CacheBound {
  std::uint32_t objects = 0;
  double percent =
      0;  ///< of what a node reads from others; it is given what its threads need at least
  Eviction eviction = Eviction::Lru;

  [[nodiscard]] bool any() const { return objects > 0 || percent > 0; }
};

struct EngineOptions {
  Scheduler scheduler = Scheduler::DoWork;
  std::uint32_t staleness = 3;  ///< Ssp's c
  Visit visit = Visit::Auto;
  WorkOrder order = WorkOrder::Auto;
  unsigned threads = 1;                     ///< compute threads a node
  std::optional<std::uint32_t> iterations;  ///< exactly so many, converged or not
  /// Iterations in a row without progress (StallCounter), after which the run is given up as not converging. Programs that
  /// always come to rest (`always_rests`, vertex_program.h) are never given up.
  std::uint32_t patience = kPatience;
  std::optional<std::uint32_t> most_iterations;  ///< given up after so many, whatever they bring
  StopFlag stop = nullptr;                       ///< once set the run is given up
  std::uint32_t rounds_before = 0;               ///< of `iterations`: have run before a restart
  std::uint32_t lookahead = 32;  ///< vertices whose misses are fetched together; 0: one at a time
  bool replicate = true;         ///< fill the caches before the first iteration (ASPIRE §4.3)
  CacheBound cache;
  bool bounded = false;        ///< Aap too keeps to `staleness`
  std::uint32_t pieces = 16;   ///< AsyTick: that a node's vertices are cut into
  double alpha = 0.45;         ///< AsyTick: weight of a piece's distance from the boundary
  double beta = 0.55;          ///< AsyTick: and of the times it has run
  CostModel cost;              ///< what a batch between two publications is measured by
  std::uint64_t batch_ps = 0;  ///< and how long one may take; 0: what suits the fabric
};

[[nodiscard]] inline bool stopped(const EngineOptions& options) { return is_set(options.stop); }

/// Whether a program that selects is run from one list, best vertices first.
[[nodiscard]] inline bool works_by_list(const EngineOptions& options) {
  if (options.scheduler == Scheduler::Bsp || options.scheduler == Scheduler::AsyTick) return false;
  if (options.iterations || options.visit == Visit::All) return false;
  return options.order == WorkOrder::Auto || options.order == WorkOrder::Priority;
}

/// The least bound under which every thread can wait for an object while the others do.
[[nodiscard]] std::uint32_t least_cache(unsigned threads);
/// The bound at a node that reads so many objects of others; 0: none, for all of them fit.
[[nodiscard]] std::uint32_t cache_capacity(const EngineOptions& options, std::uint32_t remote);
/// Whether vertices are run for the changes of what they read. Then a node has to hear of those of copies that it has
/// evicted; where all vertices are run in iterations that all nodes begin together, it need not.
[[nodiscard]] bool needs_news_of_evicted(const EngineOptions& options);
/// An Input error for a bound that a run could not keep to.
[[nodiscard]] Status check_cache(const EngineOptions& options);

/// What the schedule is asked with. Requires a bound of Ssp, which `staleness` always is.
[[nodiscard]] Schedule schedule_of(const EngineOptions& options);
[[nodiscard]] std::string_view visit_name(Visit visit);
[[nodiscard]] std::string_view order_name(WorkOrder order);

}  // namespace leeway
