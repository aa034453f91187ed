// Options of a run of a vertex program (EngineOptions: the scheduler, the vertices that an iteration visits and their
// order, threads, limits and the cache bound) or of a PIE program (PieOptions), and what both need (RunOptions). Plain
// data, the same on every node.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "dsm/space_options.h"
#include "leeway/cluster.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/saving.h"
#include "runtime/cluster/schedule.h"
#include "transport/network_profile.h"

namespace leeway {

class Progress;

namespace snapshot {
class Source;
struct SnapshotOptions;
}  // namespace snapshot

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
  /// None: Known if vertices are visited in the order in which a node stores them, else Lru.
  std::optional<Eviction> eviction;

  [[nodiscard]] bool any() const { return objects > 0 || percent > 0; }
};

/// Default bound of Ssp on the rounds that a node may be ahead of the slowest.
inline constexpr std::uint32_t kSspBound = 3;

/// The parameters of AAP's delay stretch (AAP §3).
struct AapParameters {
  /// Delta: a worker gathers messages for at most this fraction of its predicted round time.
  double gather_fraction = 1.0 / 6;
  /// L_bottom: messages that a worker gathers at least. None: the number of senders at least twice as fast.
  std::optional<double> least_target;
  /// tau: the window in which arrivals count for the arrival rate s_i; zero: the last two rounds.
  Duration rate_window{};
};

struct EngineOptions {
  Scheduler scheduler = Scheduler::DoWork;
  /// c: rounds that a node may be ahead of the slowest, under Ssp and Aap. None: kSspBound under Ssp, no bound under Aap.
  std::optional<std::uint32_t> staleness;
  AapParameters aap;
  double hsync_ratio = kHsyncRatio;  ///< Hsync: asynchronous updates that count as one in step
  Visit visit = Visit::Auto;
  WorkOrder order = WorkOrder::Auto;
  unsigned threads = 1;  ///< compute threads per node; 0: one for each core (virtual cluster: 1)
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
  /// Longest estimated time of a batch, which is the work between two publications of new values, in picoseconds; 0: a
  /// default for the fabric.
  std::uint64_t batch_ps = 0;
};

[[nodiscard]] inline bool stopped(const EngineOptions& options) { return is_set(options.stop); }

/// Whether a program whose values only improve may choose the order in which it updates vertices.
[[nodiscard]] inline bool any_order(const EngineOptions& options) {
  return options.scheduler != Scheduler::Bsp && !options.iterations && options.visit != Visit::All;
}
/// Whether a SelectingProgram runs by worklist, best vertices first.
[[nodiscard]] inline bool works_by_list(const EngineOptions& options) {
  if (!any_order(options) || options.scheduler == Scheduler::AsyTick) return false;
  return options.order == WorkOrder::Auto || options.order == WorkOrder::Priority;
}

/// Whether a node knows in which order it reads its copies: that of its vertices, of which it may leave some out.
[[nodiscard]] inline bool reads_in_order(const EngineOptions& options, bool by_list) {
  return !by_list && options.scheduler != Scheduler::AsyTick && options.lookahead > 0;
}
/// The copy that a full cache evicts.
[[nodiscard]] inline Eviction eviction_of(const EngineOptions& options, bool by_list) {
  const Eviction usual = reads_in_order(options, by_list) ? Eviction::Known : Eviction::Lru;
  return options.cache.eviction.value_or(usual);
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
/// An Input error for Eviction::Known in a run that does not read in a known order.
[[nodiscard]] Status check_eviction(const EngineOptions& options, bool by_list);

/// The part of the options that the schedule uses.
[[nodiscard]] Schedule schedule_of(const EngineOptions& options);
[[nodiscard]] std::string_view visit_name(Visit visit);
[[nodiscard]] std::string_view order_name(WorkOrder order);

namespace pie {

class Forecaster;

/// How a graph is divided.
enum class Cut : std::uint8_t {
  /// Edge cut: vertices are assigned to fragments; an arc between two fragments is an arc to a copy in both.
  Edge,
  /// Vertex cut: arcs are assigned to fragments; a vertex has a copy in every fragment that has one of its arcs.
  Vertex,
};

/// Options of a PIE program's run.
struct PieOptions {
  /// Number of virtual workers, which is the number of fragments; 0: one for each node.
  std::uint32_t workers = 0;
  Cut cut = Cut::Edge;
  /// Edge cut: fragments also hold the lists of copies up to this number of hops beyond the cut.
  std::uint32_t hops = 0;
  Schedule schedule;
  /// The node of each virtual worker, one entry for each fragment. Empty: assigned in turn.
  std::vector<NodeId> nodes_of;
  /// Rounds of a worker after which virtual workers move between nodes by the time that each has taken; 0: never. Needs a
  /// program whose Partial can be saved (base/archive.h).
  std::uint32_t rebalance = 0;
  /// Rounds of a worker in a row without progress (StallCounter) after which the query stops as not converging. Has
  /// no effect on programs that always converge (`always_rests`, pie_program.h).
  std::uint32_t patience = kPatience;
  /// Rounds of a worker after which the query stops, converged or not.
  std::optional<std::uint32_t> most_rounds;
  /// Compute threads per node; each runs the round of one worker.
  unsigned threads = 1;
  /// Once set, the query stops before its next round.
  StopFlag stop = nullptr;
  /// The clocks of all nodes agree, as within one process.
  bool one_clock = true;
  /// Keep a record of every round, for traces and predictors.
  bool keep_rounds = false;
  /// tau: the window in which arrivals count for the arrival rate s_i; zero: the last two rounds of the worker.
  Duration rate_window{};
  /// Time that a worker spends on exchanging messages after each round; zero if that overlaps with computing.
  Duration exchange{};
  /// Round time of each worker, instead of the price of its work; for worked examples. Empty: not used.
  std::vector<Duration> round_times;
  /// Virtual time charged to each worker for every round, in addition to the price of its work. Empty: none.
  std::vector<Duration> round_overheads;
  /// How programs of the catalog predict round times (AAP §6): by a random forest, or else by the mean of earlier times.
  bool forest = false;
  /// File with logged rounds of earlier runs to train the forest on; empty: train on this run's first rounds.
  std::string training_log;
  bool keep_round_log = false;  ///< keep a log of the rounds for later runs
  /// Makes a node's forecaster. Empty: t_i is estimated from the worker's earlier rounds.
  std::function<std::unique_ptr<Forecaster>()> forecaster;
  /// Time that a virtual node is charged for one prediction (AAP, Tables 3 to 6).
  Duration forecast_cost = std::chrono::microseconds(6);

  [[nodiscard]] std::uint32_t workers_on(std::uint32_t nodes) const {
    return workers > 0 ? workers : nodes;
  }
};

}  // namespace pie

/// Parts with equal numbers of arcs, which take the computing time.
[[nodiscard]] inline PartitionOptions equal_arcs() {
  PartitionOptions options;
  options.balance = BalanceBy::Arcs;
  return options;
}

/// Options of a run of a vertex or PIE program.
struct RunOptions {
  ClusterOptions cluster;
  EngineOptions vertex;  ///< of a vertex program
  pie::PieOptions pie;   ///< of a PIE program
  /// `parts` is ignored: there is one part for each node, or for each virtual worker of a PIE program.
  PartitionOptions partition = equal_arcs();
  /// A given partition, used instead of `partition`; for runs that share one. It must have the right number of parts
  /// (checked). For a graph in parts, only node 0's is used.
  std::shared_ptr<const Partition> divided;
  bool trace = false;     ///< vertex program: record each node's activities over time
  bool residuals = true;  ///< vertex program: measure residuals, at some percent of a sweep's time
  /// Vertex program: number of iterations between two frames: results are kept before the first iteration, after every
  /// `frame_every`th, and at the end (Record::frames). If rounds are not in step, a frame has each node's
  /// results of its own iteration of that number. 0: none.
  std::uint32_t frame_every = 0;
  Progress* progress = nullptr;  ///< vertex program: receives node 0's iterations; may be null
  Saving saving;  ///< snapshots and resume, by the two members below; for programs of your own
  /// Where and how often to take snapshots; null: as given by `saving`.
  std::shared_ptr<const snapshot::SnapshotOptions> snapshots;
  /// The snapshot to resume from; null: as given by `saving`.
  std::shared_ptr<const snapshot::Source> resume;
};

}  // namespace leeway
