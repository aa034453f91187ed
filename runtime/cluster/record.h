// Records of a run: residuals and stalled rounds (Residual, StallCounter), one node's log of its iterations
// (NodeLog), and the measurements of the whole run (Record), which the command prints.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/clock.h"
#include "base/log.h"
#include "dsm/node.h"
#include "snapshot/manifest.h"

namespace leeway {

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

/// Default number of rounds in a row without progress after which a run stops.
inline constexpr std::uint32_t kPatience = 100'000;

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

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.at, self.visited, self.changed, self.residual);
  }
};

enum class Activity : std::uint8_t { Compute, Blocked, Refresh, Barrier };
constexpr Activity last_of(Activity) { return Activity::Barrier; }

/// A period of time spent on one activity.
struct ActivitySpan {
  Activity activity = Activity::Compute;
  Instant begin{};
  Instant end{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end);
  }
};

/// One node's log of its run: its iterations, how it spent its time, and whether it converged. Written by the node's
/// engine and read after the run.
struct NodeLog {
  Instant begin{};  ///< of the first iteration
  Instant end{};    ///< all nodes have finished
  std::vector<IterationSample> iterations;
  std::vector<ActivitySpan> spans;  ///< empty unless a trace is recorded
  double barrier_seconds = 0;       ///< waiting for all nodes
  double blocked_seconds =
      0;  ///< waiting for values, summed over threads; 0 unless a trace is recorded
  bool converged = false;  ///< false: stopped at a limit first
  bool trace = false;
  Progress* progress = nullptr;  ///< receives each iteration; may be null
  /// Called after each iteration, on the node's main thread; may be null.
  std::function<void()> on_ended;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.iterations, self.spans, self.barrier_seconds,
                    self.blocked_seconds, self.converged);
  }
  void ended(const IterationSample& sample) {
    iterations.push_back(sample);
    if (progress != nullptr) progress->update(iterations.size(), sample.changed);
    if (on_ended) on_ended();
  }
  void span(Activity activity, Instant from, Instant to) {
    if (activity == Activity::Barrier) barrier_seconds += seconds(to - from);
    if (activity == Activity::Blocked) blocked_seconds += seconds(to - from);
    if (trace && from != to) spans.push_back({activity, from, to});
  }
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

/// Measurements of one node.
struct NodeRecord {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;            ///< inputs read by its updates, or arcs of its fragments
  std::uint64_t walked = 0;          ///< pie engine: arcs traversed, counted at each traversal
  std::uint64_t remote = 0;          ///< remote objects read
  std::uint64_t bytes = 0;           ///< of structure and shared memory
  std::uint64_t cache_capacity = 0;  ///< bound on copies; 0: none
  NotFinite not_finite;              ///< of its vertices; pie engine: not known
  NodeLog log;
  SpaceStats space;  ///< since the first iteration
  NodeStats node;    ///< since the first iteration
  snapshot::Counts snapshots;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.vertices, self.arcs, self.walked, self.remote, self.bytes,
                    self.cache_capacity, self.not_finite, self.log, self.space, self.node,
                    self.snapshots);
  }
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
  std::uint32_t recoveries = 0;  ///< times that lost processes were replaced during the run
  std::uint32_t balancings = 0;  ///< times that virtual workers moved to other nodes during the run
  std::uint64_t moved_workers = 0;  ///< in all of them
  double recovery_seconds =
      0;  ///< sum of the times from the notice of a loss to the run's continuation
  std::uint64_t peak_memory_bytes = 0;              ///< of this process
  std::uint64_t digest = 0;                         ///< sim: digest of the events
  std::shared_ptr<const pie::RoundHistory> rounds;  ///< pie engine only, else null
  /// Ascending; empty unless RunOptions::frame_every is set.
  std::vector<ResultFrame> frames;

  [[nodiscard]] bool converged() const;
  /// The most iterations of any node, or rounds of any worker of the pie engine, in this run.
  [[nodiscard]] std::uint32_t iterations() const;
  /// Including those of the runs before the snapshot that this run resumed; limits of iterations apply to this
  /// number.
  [[nodiscard]] std::uint64_t all_iterations() const { return rounds_before + iterations(); }
  [[nodiscard]] AccessCounts accesses() const;
  [[nodiscard]] std::uint64_t blocked_fetches() const;
  [[nodiscard]] std::uint64_t refreshes() const;
  [[nodiscard]] std::uint64_t messages() const;  ///< of the protocol, without collectives
  [[nodiscard]] std::uint64_t bytes() const;     ///< on the wire, with collectives
  [[nodiscard]] std::uint64_t visited() const;
  [[nodiscard]] std::uint64_t changed() const;
  [[nodiscard]] KindCounts sent_by_kind() const;
  [[nodiscard]] NotFinite not_finite() const;
  /// Sums over all nodes; pauses are those of the node that paused longest.
  [[nodiscard]] snapshot::Counts snapshots() const;
};

[[nodiscard]] std::string_view message_kind_name(MessageKind kind);

/// From the first node's first iteration to the last node's end.
[[nodiscard]] double compute_seconds(const Record& record);

/// The counts since `before`.
[[nodiscard]] SpaceStats since(const SpaceStats& now, const SpaceStats& before);
[[nodiscard]] NodeStats since(const NodeStats& now, const NodeStats& before);

/// Peak memory of this process, in bytes.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace leeway
