// Records of a run: residuals and stalled rounds (Residual, StallCounter), what one node reports (NodeRecord, with the table of
// all counters), and the measurements of the whole run (Record), which the command prints. The same under every engine.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/clock.h"
#include "base/ids.h"
#include "dsm/space_options.h"
#include "snapshot/manifest.h"

namespace leeway {

class Progress;
struct NodeStats;

/// How far the values of a round moved, for programs that measure it; it shows how near an iterative numerical
/// program is to convergence. A vertex program measures it by
///
///   double moved(const LocalVertex&, const Value& old, const Value& now) const;
struct Residual {
  double sum = 0;
  double most = 0;  ///< largest move of one value

  void add(double moved) {
    sum += moved;
    most = std::max(most, moved);
  }
  void add(const Residual& other) {
    sum += other.sum;
    most = std::max(most, other.most);
  }
};

/// An absent residual counts as nothing; two absent ones give an absent sum.
inline void add_to(std::optional<Residual>& whole, const std::optional<Residual>& part) {
  if (!part) return;
  if (!whole) whole.emplace();
  whole->add(*part);
}

/// Counts the rounds in a row without progress, to stop a run that does not converge. A round makes progress if it
/// changes fewer values than every earlier round, or moves them by less. The total number of rounds is not a
/// criterion: a path graph takes a round for each arc, and each of them is progress. Not thread-safe.
class StallCounter {
 public:
  /// Measuring a residual takes time, so it is used only after this number of rounds without progress, or half the
  /// patience.
  static constexpr std::uint32_t kUnmeasured = 1'000;

  explicit StallCounter(std::uint32_t patience)
      : unmeasured_(std::min(kUnmeasured, patience / 2)) {}

  /// Whether a round that changed `changed` values was progress.
  [[nodiscard]] bool nearer(std::uint64_t changed, const std::optional<Residual>& residual) {
    const bool fewer = changed < least_changed_;
    least_changed_ = std::min(least_changed_, changed);
    if (!residual || !needs_residual()) return fewer;
    const bool less = residual->sum < least_moved_;
    least_moved_ = std::min(least_moved_, residual->sum);
    return fewer || less;
  }
  void count(bool nearer) { rounds_ = nearer ? 0 : rounds_ + 1; }
  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
  /// Whether the residual of the next round is needed to decide whether it is progress.
  [[nodiscard]] bool needs_residual() const { return rounds_ >= unmeasured_; }

  void save(ByteWriter& out) const { save_all(out, least_changed_, least_moved_, rounds_); }
  void load(ByteReader& in) { load_all(in, least_changed_, least_moved_, rounds_); }

 private:
  std::uint32_t unmeasured_;
  std::uint64_t least_changed_ = std::numeric_limits<std::uint64_t>::max();
  double least_moved_ = std::numeric_limits<double>::infinity();
  std::uint32_t rounds_ = 0;
};

/// The sum of the residuals of all threads of a node. `add` is thread-safe.
class SharedResidual {
 public:
  void add(const std::optional<Residual>& part) {
    if (!part) return;
    const std::lock_guard locked(mutex_);
    add_to(whole_, part);
  }
  /// Absent if no thread has measured any. Requires that all threads have finished adding.
  [[nodiscard]] const std::optional<Residual>& whole() const { return whole_; }

 private:
  std::mutex mutex_;
  std::optional<Residual> whole_;
};

struct IterationSample {
  Instant at{};                           ///< when it ended on this node
  std::uint64_t visited = 0;              ///< vertices updated, or worklist entries processed
  std::uint64_t changed = 0;              ///< vertices of them with a new value
  std::optional<Residual> residual = {};  ///< for programs that measure one
  bool at_rest = false;  ///< values moved so little that nothing counts as changed; not in records

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.at, self.visited, self.changed, self.residual);
  }
};

enum class Activity : std::uint8_t {
  Compute,
  Blocked,  ///< waiting for values
  Refresh,
  Barrier,
  Step,     ///< tick engine: tuples of this node's part
  Ahead,    ///< tick engine: the same, before the messages of the previous tick had arrived
  Replica,  ///< tick engine: tuples of other nodes
  Wait,     ///< tick and piece engines: for messages
  Update,   ///< piece engine: the asynchronous part of a piece's tick
  Set,      ///< piece engine: the synchronous part
};
constexpr Activity last_of(Activity) { return Activity::Set; }

/// A period of time spent on one activity, for pictures and traces.
struct ActivitySpan {
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  Activity activity = Activity::Compute;
  Instant begin{};
  Instant end{};
  std::uint32_t tick = kNone;
  std::uint32_t piece = kNone;
  std::uint32_t waits_for_piece = kNone;
  std::uint32_t waits_for_node = kNone;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end, self.tick, self.piece,
                    self.waits_for_piece, self.waits_for_node);
  }
};

/// How the counts of several nodes combine.
enum class Combining : std::uint8_t { Sum, Most };
enum class CountUnit : std::uint8_t { Number, Nanoseconds };

/// The engines, as flags: in whose reports a counter of a node is shown.
enum EngineFlags : std::uint8_t {
  kNoEngine = 0,
  kOfVertex = 1,
  kOfPie = 2,
  kOfTick = 4,
  kOfPiece = 8,
  kOfAllEngines = kOfVertex | kOfPie | kOfTick | kOfPiece,
  kIfAny = 16,  ///< only if it is not 0
};

/// All counters of a node: a new one is a row here, and the place that counts. Reports show them in this order.
/// X(enumerator, key in reports, unit, combining, engines, explanation)
#define LEEWAY_COUNTERS(X)                                                                         \
  X(Vertices, "vertices", Number, Sum, kOfVertex | kOfPie, "own vertices")                         \
  X(Arcs, "arcs", Number, Sum, kOfPie, "arcs of its fragments")                                    \
  X(Inputs, "inputs", Number, Sum, kOfVertex, "inputs that one update of all its vertices reads")  \
  X(Copies, "copies", Number, Sum, kOfPie, "copies of vertices of other fragments")                \
  X(Remote, "remote", Number, Sum, kOfVertex, "remote objects that it reads")                      \
  X(HeldBytes, "bytes", Number, Sum, kOfVertex | kOfPie, "bytes of graph and shared memory")       \
  X(Iterations, "iterations", Number, Most, kOfAllEngines, "iterations or ticks that it ended")    \
  X(Visited, "visited", Number, Sum, kOfPie, "vertices visited in all iterations")                 \
  X(Walked, "walked", Number, Sum, kOfPie, "arcs traversed, counted at each traversal")            \
  X(Steps, "steps", Number, Sum, kOfTick, "calls of STEP")                                         \
  X(Stepped, "stepped", Number, Sum, kOfTick, "tuples of its part that were stepped")              \
  X(Ahead, "ahead", Number, Sum, kOfTick, "of these, before the previous tick's messages arrived") \
  X(Copied, "copied", Number, Sum, kOfTick, "tuples of other nodes stepped here (replication)")    \
  X(ComputeTime, "compute_seconds", Nanoseconds, Sum, kOfPiece, "in pieces or rounds")             \
  X(StepTime, "step_seconds", Nanoseconds, Sum, kOfTick, "in STEP")                                \
  X(WaitTime, "wait_seconds", Nanoseconds, Sum, kOfPie | kOfTick | kOfPiece,                       \
    "waiting for messages")                                                                        \
  X(RuntimeTime, "runtime_seconds", Nanoseconds, Sum, kOfTick, "neither in STEP nor waiting")      \
  X(StepProcessorTime, "step_processor_seconds", Nanoseconds, Sum, kNoEngine,                      \
    "processor time in STEP, if metered")                                                          \
  X(RuntimeProcessorTime, "runtime_processor_seconds", Nanoseconds, Sum, kNoEngine,                \
    "processor time neither in STEP nor waiting, if metered")                                      \
  X(BarrierTime, "barrier_seconds", Nanoseconds, Sum, kNoEngine, "waiting for all nodes")          \
  X(BlockedTime, "blocked_seconds", Nanoseconds, Sum, kNoEngine,                                   \
    "waiting for values, summed over threads; 0 unless a trace is recorded")                       \
  X(Messages, "messages", Number, Sum, kOfTick | kOfPiece,                                         \
    "messages with values; pie engine: those to other workers of the node, too")                   \
  X(Frames, "frames", Number, Sum, kOfPiece, "frames to other nodes")                              \
  X(BytesSent, "bytes_sent", Number, Sum, kOfTick | kOfPiece, "bytes to other nodes")              \
  X(Arrivals, "arrivals", Number, Sum, kOfPiece, "arrivals processed")                             \
  X(MovedIn, "moved_in", Number, Sum, kOfPiece, "pieces received from other workers by balancing") \
  X(MostVersions, "most_versions", Number, Most, kOfTick, "versions of the state at a time")       \
  X(MostAhead, "most_ahead", Number, Most, kOfTick,                                                \
    "ticks of which something was stepped before its part was complete")                           \
  X(BlockedFetches, "blocked_fetches", Number, Sum, kOfVertex, "reads that waited for a value")    \
  X(CurrentHits, "current_hits", Number, Sum, kOfVertex, "reads of a current copy")                \
  X(StaleHits, "stale_hits", Number, Sum, kOfVertex, "reads of an old copy within the bound")      \
  X(StaleMisses, "stale_misses", Number, Sum, kOfVertex, "reads whose copy was too old")           \
  X(CacheMisses, "cache_misses", Number, Sum, kOfVertex, "reads without a copy")                   \
  X(CacheCapacity, "cache_capacity", Number, Sum, kOfVertex | kIfAny, "bound on copies")           \
  X(Evictions, "evictions", Number, Sum, kOfVertex | kIfAny, "copies dropped for others")          \
  X(Reads, "reads", Number, Sum, kNoEngine, "objects requested because a thread waits")            \
  X(Refreshes, "refreshes", Number, Sum, kNoEngine, "objects requested in the background")         \
  X(Moves, "moves", Number, Sum, kNoEngine, "times that a thread received or sent messages")       \
  X(MovesByService, "moves_by_service", Number, Sum, kNoEngine, "those by the service thread")     \
  X(Rounds, "rounds", Number, Sum, kNoEngine, "rounds of all workers of the node")                 \
  X(MostRounds, "most_rounds", Number, Most, kNoEngine, "rounds of the worker with most")          \
  X(Parameters, "parameters", Number, Sum, kNoEngine,                                              \
    "handed to the senders, which combine values that wait")                                       \
  X(ParametersTaken, "parameters_taken", Number, Sum, kNoEngine,                                   \
    "distinct parameters in the messages taken")                                                   \
  X(ParameterBytes, "parameter_bytes", Number, Sum, kNoEngine,                                     \
    "of the bytes sent, parameters and their places in messages")                                  \
  X(Balancings, "balancings", Number, Most, kNoEngine, "times that workers moved between nodes")   \
  X(MovedWorkers, "moved_workers", Number, Sum, kNoEngine, "workers that left this node")

enum class Counter : std::uint8_t {
#define LEEWAY_COUNTER_NAME(name, ...) name,
  LEEWAY_COUNTERS(LEEWAY_COUNTER_NAME)
#undef LEEWAY_COUNTER_NAME
};

struct CounterRow {
  Counter counter;
  std::string_view key;
  CountUnit unit;
  Combining combining;
  int engines;  ///< EngineFlags
  std::string_view explanation;
};

inline constexpr CounterRow kCounters[] = {
#define LEEWAY_COUNTER_ROW(name, key, unit, combining, engines, explanation) \
  {Counter::name, key, CountUnit::unit, Combining::combining, engines, explanation},
    LEEWAY_COUNTERS(LEEWAY_COUNTER_ROW)
#undef LEEWAY_COUNTER_ROW
};
#undef LEEWAY_COUNTERS

/// The counts of a node, or of several together. A time is counted in nanoseconds.
class Counters {
 public:
  [[nodiscard]] std::uint64_t& operator[](Counter counter) {
    return values_[static_cast<std::size_t>(counter)];
  }
  [[nodiscard]] std::uint64_t operator[](Counter counter) const {
    return values_[static_cast<std::size_t>(counter)];
  }
  void spend(Counter counter, Duration time) {
    (*this)[counter] += static_cast<std::uint64_t>(time.count());
  }
  void raise(Counter counter, std::uint64_t value) {
    (*this)[counter] = std::max((*this)[counter], value);
  }
  [[nodiscard]] Duration time(Counter counter) const {
    return Duration(static_cast<Duration::rep>((*this)[counter]));
  }
  [[nodiscard]] double seconds(Counter counter) const { return leeway::seconds(time(counter)); }
  /// Combines the counts with those of another node.
  void add(const Counters& other) {
    for (const CounterRow& row : kCounters) {
      const std::uint64_t more = other[row.counter];
      row.combining == Combining::Sum ? void((*this)[row.counter] += more)
                                      : raise(row.counter, more);
    }
  }

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.values_);
  }

 private:
  std::array<std::uint64_t, std::size(kCounters)> values_{};
};

/// Results that are not finite numbers, of vertices whose first value was one.
struct NotFinite {
  std::uint64_t count = 0;
  VertexId first = VertexId::none();  ///< the lowest of these vertices

  void add(const NotFinite& other) {
    count += other.count;
    first = std::min(first, other.first);
  }

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.count, self.first);
  }
};

/// What a node reports of its run, whatever its engine: written by the engine, gathered at node 0, read after the run.
struct NodeRecord {
  Instant begin{};         ///< of the first iteration
  Instant end{};           ///< all nodes have finished
  bool converged = false;  ///< false: stopped at a limit first
  Counters counters;       ///< since the first iteration
  NotFinite not_finite;    ///< of its vertices; vertex engine only
  std::vector<IterationSample> iterations;
  std::vector<ActivitySpan> spans;  ///< empty unless a trace is recorded
  AccessCounts::Ages stale_by_age{};
  RefreshTimes refreshes;
  KindCounts sent_by_kind{};
  snapshot::Counts snapshots;
  // Used within this process, not sent.
  bool trace = false;            ///< spans are recorded
  Progress* progress = nullptr;  ///< receives each iteration; may be null
  /// Called after each iteration, on the node's main thread; may be null.
  std::function<void()> on_ended;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.converged, self.counters, self.not_finite,
                    self.iterations, self.spans, self.stale_by_age, self.refreshes,
                    self.sent_by_kind, self.snapshots);
  }
  void ended(const IterationSample& sample);
  void span(const ActivitySpan& span) {
    if (trace && span.begin != span.end) spans.push_back(span);
  }
  void span(Activity activity, Instant from, Instant to) {
    if (activity == Activity::Barrier) counters.spend(Counter::BarrierTime, to - from);
    if (activity == Activity::Blocked) counters.spend(Counter::BlockedTime, to - from);
    span({activity, from, to});
  }
  /// The counts of the shared memory since the first iteration.
  void count_memory(const SpaceStats& space, const NodeStats& node);
};

namespace pie {
struct RoundHistory;  // leeway/pie_program.h
}  // namespace pie

struct PhaseSeconds {
  double load = 0;
  double partition = 0;
  double setup = 0;  ///< building lists and distributing them, filling caches
  double compute =
      0;  ///< from the first iteration until all nodes agree on the end; virtual under sim
  double output = 0;
};

/// The results of all vertices, in their order, after `iteration` iterations.
struct ResultFrame {
  std::uint32_t iteration = 0;
  std::vector<std::byte> results;
};

/// Measurements of a run, independent of the program. Plain data. Under sim, times are virtual where the comment
/// states it.
struct Record {
  bool simulated = false;
  PhaseSeconds phases;
  std::vector<NodeRecord> nodes;
  std::uint64_t rounds_before = 0;  ///< of earlier runs, if resumed from a snapshot
  /// Resumed from the workers' states and the messages in flight, not from results.
  bool from_states = false;
  std::uint32_t recoveries = 0;  ///< times that lost processes were replaced in the job
  double recovery_seconds = 0;   ///< from the notices of their loss until this process computed
  std::uint64_t peak_memory_bytes = 0;  ///< of this process
  std::uint64_t events = 0;             ///< sim: number of simulated events
  std::uint64_t digest = 0;             ///< sim: digest of the events; equal runs have equal ones
  std::shared_ptr<const pie::RoundHistory> rounds;  ///< pie engine only, else null
  /// Ascending; empty unless RunOptions::frame_every is set.
  std::vector<ResultFrame> frames;

  [[nodiscard]] bool converged() const;
  /// The most iterations of any node, or rounds of any worker of the pie engine, in this run.
  [[nodiscard]] std::uint32_t iterations() const;
  /// Including those of the runs before the snapshot that this run resumed; limits of iterations apply to this
  /// number.
  [[nodiscard]] std::uint64_t all_iterations() const { return rounds_before + iterations(); }
  /// Those of all nodes together.
  [[nodiscard]] Counters counters() const;
  [[nodiscard]] std::uint64_t count(Counter counter) const { return counters()[counter]; }
  [[nodiscard]] AccessCounts accesses() const;
  [[nodiscard]] RefreshTimes refresh_times() const;
  [[nodiscard]] std::uint64_t blocked_fetches() const { return count(Counter::BlockedFetches); }
  [[nodiscard]] std::uint64_t refreshes() const { return count(Counter::Refreshes); }
  /// Without collectives.
  [[nodiscard]] std::uint64_t messages() const { return count(Counter::Messages); }
  /// On the wire, with collectives.
  [[nodiscard]] std::uint64_t bytes() const { return count(Counter::BytesSent); }
  [[nodiscard]] std::uint64_t visited() const;
  [[nodiscard]] std::uint64_t changed() const;
  [[nodiscard]] KindCounts sent_by_kind() const;
  [[nodiscard]] NotFinite not_finite() const;
  /// Sums over all nodes; pauses are those of the node that paused longest.
  [[nodiscard]] snapshot::Counts snapshots() const;
};

[[nodiscard]] std::string_view message_kind_name(MessageKind kind);

/// From the first node's first iteration to the last node's end.
[[nodiscard]] Duration elapsed_of(std::span<const NodeRecord> nodes);
[[nodiscard]] double compute_seconds(const Record& record);
/// The clocks of processes differ: counts the times of each node from its first iteration.
void start_at_zero(std::span<NodeRecord> nodes);

/// The counts since `before`.
[[nodiscard]] SpaceStats since(const SpaceStats& now, const SpaceStats& before);
[[nodiscard]] NodeStats since(const NodeStats& now, const NodeStats& before);

/// Peak memory of this process, in bytes.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace leeway
