// Options of a vertex program's run: the scheduler, the vertices that an iteration visits and their order, threads,
// limits and the cache bound. Plain data, the same on every node.
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
  All,     ///< every vertex, as the sweeps of ASPIRE's Algorithm 1
  Active,  ///< vertices with an input that has changed since their last update
  Auto,    ///< all while many values change, then only the active ones
};

/// Whether few enough vertices change for Visit::Active to pay. While more than 1 vertex in 16 changes, nearly every
/// vertex has a changed input, and finding the others costs more than updating them in vain.
[[nodiscard]] constexpr bool are_few(std::uint64_t changed, std::uint32_t vertices) {
  return changed <= vertices / 16;
}

/// The order in which a node processes its vertices.
enum class WorkOrder {
  Owner,     ///< the order of the vertex numbers
  Degree,    ///< vertices with most arcs first
  Priority,  ///< best values first, by a worklist; for a SelectingProgram
  /// Priority for a SelectingProgram. Else the order with the fastest reads: on several nodes, hubs first.
  Auto,
};

/// Bound on the copies of remote values that a node keeps. If both numbers are 0, a node keeps a copy of every value
/// it reads. An evicted copy is fetched again at its next read.
struct CacheBound {
  std::uint32_t objects = 0;
  /// In percent of the remote values that a node reads; raised to what its threads need at least (least_cache).
  double percent = 0;
  Eviction eviction = Eviction::Lru;

  [[nodiscard]] bool any() const { return objects > 0 || percent > 0; }
};

/// Default bound of Ssp on the rounds that a node may be ahead of the slowest.
inline constexpr std::uint32_t kSspBound = 3;

struct EngineOptions {
  Scheduler scheduler = Scheduler::DoWork;
  /// c: rounds that a node may be ahead of the slowest, under Ssp and Aap. None: kSspBound under Ssp, no bound under Aap.
  std::optional<std::uint32_t> staleness;
  Visit visit = Visit::Auto;
  WorkOrder order = WorkOrder::Auto;
  unsigned threads = 1;  ///< compute threads per node
  std::optional<std::uint32_t>
      iterations;  ///< run exactly this number of iterations, converged or not
  /// Iterations in a row without progress (StallCounter) after which the run stops as not converging. Has no effect
  /// on programs whose values always converge (`always_rests`, vertex.h).
  std::uint32_t patience = kPatience;
  /// Iterations after which the run stops, converged or not.
  std::optional<std::uint32_t> most_iterations;
  /// Once set, the run stops before its next iteration.
  StopFlag stop = nullptr;
  /// Iterations that ran before the snapshot that this run resumes; they count as part of `iterations`.
  std::uint32_t rounds_before = 0;
  /// Number of vertices whose cache misses are requested together; 0: one miss at a time.
  std::uint32_t lookahead = 32;
  bool replicate = true;  ///< fill the caches before the first iteration (ASPIRE §4.3)
  CacheBound cache;
  std::uint32_t pieces = 16;  ///< AsyTick: number of pieces per node
  double alpha = 0.45;        ///< AsyTick: weight alpha of a piece's distance from the boundary
  double beta = 0.55;         ///< AsyTick: weight beta of the number of times it has run
  /// Prices by which the compute time of a batch is estimated; a batch is the work between two publications of new
  /// values.
  CostModel cost;
  /// Longest estimated time of a batch, in picoseconds; 0: a default for the fabric.
  std::uint64_t batch_ps = 0;
};

[[nodiscard]] inline bool stopped(const EngineOptions& options) { return is_set(options.stop); }

/// Whether a SelectingProgram runs by worklist, best vertices first.
[[nodiscard]] inline bool works_by_list(const EngineOptions& options) {
  if (options.scheduler == Scheduler::Bsp || options.scheduler == Scheduler::AsyTick) return false;
  if (options.iterations || options.visit == Visit::All) return false;
  return options.order == WorkOrder::Auto || options.order == WorkOrder::Priority;
}

/// The smallest cache bound (copies) under which every thread can wait for an object at the same time.
[[nodiscard]] std::uint32_t least_cache(unsigned threads);
/// The cache bound at a node that reads `remote` remote objects; 0: no bound, because all of them fit.
[[nodiscard]] std::uint32_t cache_capacity(const EngineOptions& options, std::uint32_t remote);
/// Whether updates are triggered by changed inputs. Then a node must be notified of changes to copies that it has
/// evicted. It need not if every iteration updates all vertices and all nodes begin it together.
[[nodiscard]] bool needs_news_of_evicted(const EngineOptions& options);
/// An Input error for a cache bound that a run cannot keep.
[[nodiscard]] Status check_cache(const EngineOptions& options);

/// The part of the options that the schedule uses.
[[nodiscard]] Schedule schedule_of(const EngineOptions& options);
[[nodiscard]] std::string_view visit_name(Visit visit);
[[nodiscard]] std::string_view order_name(WorkOrder order);

}  // namespace leeway
