// Options: of the cluster (ClusterOptions), of snapshots (Saving), of the four engines (EngineOptions for vertex programs,
// PieOptions, TickOptions, PieceOptions), and of a run on a graph (RunOptions). Plain data, the same on every node.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "dsm/space_options.h"
#include "protocol/policy.h"
#include "runtime/cluster/schedule.h"
#include "transport/cluster_model.h"

namespace leeway {

class Job;
class Progress;

namespace snapshot {
class Source;
struct SnapshotOptions;
}  // namespace snapshot

struct ClusterOptions {
  /// Auto: the job of processes that this process was started in (own_job, below); without one, threads of this
  /// process. Ignored if `job` is set: then it is the fabric of that job.
  Fabric fabric = Fabric::Auto;
  /// Number of nodes. In a job of processes it is the number of processes, and this option may stay 1.
  std::uint32_t nodes = 1;
  /// A job over Mpi or Ofi that the caller has joined; null: none. The caller also leaves it, after the run.
  Job* job = nullptr;
  /// The network model: sim takes all times from it; loopback delays frames by it in real time.
  NetworkProfile network;
  SharedHosts hosts;  ///< sim: machines that nodes share; default: each node has its own
  CostModel cost;     ///< sim: prices of computation
  Faults faults;      ///< sim: failures to inject
  /// sim: a run that takes more virtual time than this fails.
  Duration time_limit = std::chrono::hours(24 * 365);
  std::uint64_t seed = 1;
  Policy policy;
  /// The thread that handles a node's messages while its program computes. Absent: a background thread if this
  /// machine has a free core for it next to the compute threads of all its nodes, else the computing threads
  /// themselves (Inline). In the virtual cluster always Background.
  std::optional<Service> service;
  unsigned compute_threads = 1;  ///< compute threads per node; decides the default of `service`
};

/// What a run saves and what it resumes. Plain data, the same on all nodes.
struct Saving {
  std::string folder;         ///< for snapshots; empty: none are taken
  double every_seconds = 10;  ///< if every_rounds is 0; not of runs by ticks
  /// Rounds or ticks; 0: of runs by ticks, a tenth of them, or 10 if the program ends the run.
  std::uint64_t every_rounds = 0;
  std::uint32_t kept = 2;
  std::string
      resume;  ///< a snapshot, or a folder, whose newest is resumed; empty: start from the beginning
  bool force = false;  ///< replace snapshots of another job in the folder
  /// What must be equal to resume a snapshot, besides the engine and the graph: the program's name and the parameters that
  /// decide its result.
  std::string program;
  std::vector<std::pair<std::string, std::string>> settings;
  std::string graph;  ///< name of the input; may differ
  /// Number of snapshots requested by signal; null: signals are not handled.
  const std::atomic<std::uint32_t>* requests = nullptr;

  [[nodiscard]] bool any() const { return !folder.empty() || !resume.empty(); }
};

/// Default number of rounds in a row without progress after which a run stops.
inline constexpr std::uint32_t kPatience = 100'000;

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
  bool by_equation = false;     ///< Schedule::by_equation
  bool counts_senders = false;  ///< Schedule::counts_senders
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
  /// Sweeps in place on several nodes: each update stores its value, as in ASPIRE's Algorithm 1, and not only a changed
  /// one.
  bool store_unchanged = false;
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
  /// Without barriers, a worker whose changes add up sends a peer nothing before the peer has answered its last message
  /// (UpdateSender, runtime/pie/virtual_worker.h). False: all messages are sent at once (AAP §3).
  bool paced = true;
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
  /// Virtual time of each worker's first round, instead of the price of its work. Empty: not used.
  std::vector<Duration> first_round_times;
  /// Makes a node's forecaster. Empty: t_i is estimated from the worker's earlier rounds.
  std::function<std::unique_ptr<Forecaster>()> forecaster;
  /// Time that a virtual node is charged for one prediction (AAP, Tables 3 to 6).
  Duration forecast_cost = std::chrono::microseconds(6);

  [[nodiscard]] std::uint32_t workers_on(std::uint32_t nodes) const {
    return workers > 0 ? workers : nodes;
  }
};

}  // namespace pie

namespace tick {

using Tick = Id<struct TickTag, std::uint32_t>;  ///< a version of the global state: S^0, S^1, …

/// The synchronization of a run of ticks.
enum class Sync : std::uint8_t {
  Barrier,  ///< bulk-synchronous: a global barrier after each tick
  /// Algorithm 1: each tick, wait only for the neighbours with which DISJOINT is false.
  Local,
  /// Algorithm 2: step tuples that need no message up to `depth` ticks ahead.
  Schedule,
  /// Algorithm 3: `replicas` layers of replicated tuples, messages only every `every` ticks.
  Replicate,
  Combined,  ///< Algorithms 2 and 3 together
};

struct TickOptions {
  Sync sync = Sync::Local;
  /// d of Algorithm 2: how many ticks a process steps ahead of messages. Default: 1 for Schedule, 10 for Combined.
  std::optional<std::uint32_t> depth;
  /// k of Algorithm 3: ticks between two rounds of messages. Default: 2.
  std::optional<std::uint32_t> every;
  /// m of Algorithm 3: layers of replicated tuples. Default: every + 1.
  std::optional<std::uint32_t> replicas;
  Tick ticks{1};                ///< total number of ticks
  std::uint32_t rebalance = 0;  ///< ticks between two calls of PART; 0: only at the start
  /// Ticks between two checkpoints of the whole state, which go to TickEnds::keeper; 0: none.
  std::uint32_t checkpoint = 0;
  Saving saving;  ///< snapshots, instead of `checkpoint`, and resume
  /// Ticks between two frames, which show each process's tuples; 0: none.
  std::uint32_t frames = 0;
  /// Run every STEP twice, with all tuples and with R_D of its query only, and compare the results; and check W_D and W_X
  /// by where the tuples of each part get.
  bool check = false;
  bool trace = false;  ///< record periods of time, for plots
  /// Ticks between two measurements of how far values moved (MeasuringProgram); 0: none.
  std::uint32_t measure = 0;
  /// Once set, the run fails with the same error on all nodes.
  StopFlag stop = nullptr;
  /// Measure the processor time of STEP and of the rest separately. Requires real threads, one for each node.
  bool meter = false;
  /// Compute threads per node, for STEP; 0: one for each core.
  unsigned threads = 1;
};

}  // namespace tick

namespace piece {

using TickId = Id<struct PieceTickTag, std::uint32_t>;  ///< N(P): the tick of a piece, from 0

/// The four systems that AsyTick's evaluation compares (§5).
enum class System {
  OriTick,     ///< a barrier after every tick, no load balancing
  ComTick,     ///< OriTick with the persistence-based load balancer
  AsyTick,     ///< processes information as it arrives, no barrier
  AsyTickPlb,  ///< AsyTick with the persistence-based load balancer
};

struct PieceOptions {
  System system = System::AsyTickPlb;
  /// Number of ticks; the largest number if the program can terminate by itself.
  std::uint32_t ticks = 10;
  /// Order ready pieces by priority. False: in the order in which they become ready.
  bool scheduler = true;
  /// Pri(P) = alpha·D(P) + beta·N(P), smallest first. Requires alpha + beta = 1.
  double alpha = 0.45;
  double beta = 0.55;
  std::uint32_t balance_every = 2;  ///< ticks between two redistributions of pieces
  /// With barriers: ticks between the last measured tick and the first tick of the new distribution. At least 2, so
  /// that the new distribution has arrived when the barrier opens, and at most `balance_every`.
  std::uint32_t balance_lag = 2;
  /// Ticks that workers may run beyond the last tick for which Termination() was evaluated.
  std::uint32_t horizon = 8;
  /// Longest time that information for other workers is collected before it is sent. It is sent earlier if a message
  /// is full or the sending worker is idle.
  Duration hold = std::chrono::microseconds(100);
  /// Compress frames to other workers, if they have at least 512 bytes and shrink. Pays on slow networks only.
  bool compress = false;
  /// Ticks between two collections of all values at the first worker; 0: only after the last tick.
  std::uint32_t frame_every = 0;
  /// Compute threads per worker for `process`; 0: one for each core.
  unsigned threads = 1;
  /// Called at the first worker after every `keep_every`th tick except the last, with all values before the next
  /// tick. They are sufficient to resume the run, because all messages in flight follow from them. 0: never.
  std::uint32_t keep_every = 0;
  std::function<void(TickId, std::span<const std::vector<std::byte>> pieces)> keep;
  Saving saving;  ///< snapshots, instead of `keep`, and resume
  /// Once set, the run fails with the same error on all workers.
  StopFlag stop = nullptr;
  bool trace = false;  ///< record each period of computing and waiting
  /// sim: the prices that `disturbance` scales.
  CostModel cost;
  /// sim: the cost of waking a task for an arrival, in addition to its computation.
  Duration wake{};
  /// sim: the computing time of a worker in a tick, in percent of the undisturbed time. Empty: always 100.
  std::function<std::uint32_t(NodeId worker, TickId tick)> disturbance;
  /// sim: number of bytes that a diffused byte stands for, of values that another worker's pieces need and of a piece that
  /// moves. The message is filled up with zeros. At least 1.
  double needed_bytes = 1;
  double moved_bytes = 1;
};

}  // namespace piece

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
