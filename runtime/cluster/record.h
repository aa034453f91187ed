// How far the values of a round moved: what tells how near a program that iterates numbers is to its end. Of
// programs that say how far one value has: a vertex program by
//
//   double moved(const LocalVertex&, const Value& old, const Value& now) const;
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

#include "base/clock.h"
#include "base/log.h"
#include "dsm/node.h"
#include "snapshot/manifest.h"

namespace leeway {

struct Residual {
  double sum = 0;
  double most = 0;  ///< of one value

  void add(double moved) {
    sum += moved;
    most = std::max(most, moved);
  }
  void add(const Residual& other) {
    sum += other.sum;
    most = std::max(most, other.most);
  }
};

/// None plus none is none.
inline void add_to(std::optional<Residual>& whole, const std::optional<Residual>& part) {
  if (!part) return;
  if (!whole) whole.emplace();
  whole->add(*part);
}

/// Rounds in a row without progress after which a run is given up, unless it was told another number.
inline constexpr std::uint32_t kPatience = 100'000;

/// Counts the rounds in a row that brought a run no nearer to rest. A round brings it nearer if it changes fewer values than
/// every round before, or moves them by less. The count ends a run that does not converge. The number of rounds alone
/// does not: a path takes as many as it has arcs, and each of them is progress. One thread's own.
class StallCounter {
 public:
  /// To measure a residual takes time, so one is looked at only after so many rounds without progress, or half the patience.
  static constexpr std::uint32_t kUnmeasured = 1'000;

  explicit StallCounter(std::uint32_t patience)
      : unmeasured_(std::min(kUnmeasured, patience / 2)) {}

  /// Whether a round that changed so many values brought the run nearer to rest.
  [[nodiscard]] bool nearer(std::uint64_t changed, const std::optional<Residual>& residual) {
    const bool fewer = changed < least_changed_;
    least_changed_ = std::min(least_changed_, changed);
    if (!residual || !wants_residual()) return fewer;
    const bool less = residual->sum < least_moved_;
    least_moved_ = std::min(least_moved_, residual->sum);
    return fewer || less;
  }
  void count(bool nearer) { rounds_ = nearer ? 0 : rounds_ + 1; }
  [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
  /// The residual of the next round decides whether it is progress.
  [[nodiscard]] bool wants_residual() const { return rounds_ >= unmeasured_; }

 private:
  std::uint32_t unmeasured_;
  std::uint64_t least_changed_ = std::numeric_limits<std::uint64_t>::max();
  double least_moved_ = std::numeric_limits<double>::infinity();
  std::uint32_t rounds_ = 0;
};

/// Of all threads of a node together.
class SharedResidual {
 public:
  void add(const std::optional<Residual>& part) {
    if (!part) return;
    const std::lock_guard locked(mutex_);
    add_to(whole_, part);
  }
  /// None if nobody measured any. Requires that nobody adds any more.
  [[nodiscard]] const std::optional<Residual>& whole() const { return whole_; }

 private:
  std::mutex mutex_;
  std::optional<Residual> whole_;
};

// What one node tells of its run: iterations against time, how the node spent its time, and why it
// stopped. Written by the node's own engine, read when it is done.
struct IterationSample {
  Instant at{};                           ///< when it ended here
  std::uint64_t visited = 0;              ///< vertices run, or processed a list
  std::uint64_t changed = 0;              ///< of those, stored anew
  std::optional<Residual> residual = {};  ///< of programs that have one

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.at, self.visited, self.changed, self.residual);
  }
};

enum class Activity : std::uint8_t { Compute, Blocked, Refresh, Barrier };
constexpr Activity last_of(Activity) { return Activity::Barrier; }

/// A stretch of time spent on one thing.
struct ActivitySpan {
  Activity activity = Activity::Compute;
  Instant begin{};
  Instant end{};

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end);
  }
};

struct NodeLog {
  Instant begin{};  ///< of the first iteration
  Instant end{};    ///< everything known everywhere
  std::vector<IterationSample> iterations;
  std::vector<ActivitySpan> spans;  ///< empty unless a trace was asked for
  bool converged = false;           ///< false: the limit of iterations was reached first
  bool trace = false;
  Progress* progress = nullptr;  ///< told of every iteration, if somebody watches this node
  std::function<void()>
      on_ended;  ///< called after every iteration, on the node's main thread; null: nobody is

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end, self.iterations, self.spans, self.converged);
  }
  void ended(const IterationSample& sample) {
    iterations.push_back(sample);
    if (progress != nullptr) progress->update(iterations.size());
    if (on_ended) on_ended();
  }
  void span(Activity activity, Instant from, Instant to) {
    if (trace && from != to) spans.push_back({activity, from, to});
  }
};

namespace pie {
// What a run tells about itself, whatever the program: where its time went, how its fetches went, what it
// sent. Plain data; the command shows it. Times under the virtual cluster are virtual where they
// say so.
struct RoundsTold;  // pie/options.h
}  // namespace pie

struct PhaseSeconds {
  double load = 0;
  double partition = 0;
  double setup = 0;    ///< lists turned and dealt out, caches filled
  double compute = 0;  ///< from the first iteration until all agree; virtual under sim
  double output = 0;
};

struct NodeRecord {
  std::uint64_t vertices = 0;
  std::uint64_t arcs = 0;    ///< inputs its updates read, or arcs that its fragments hold
  std::uint64_t walked = 0;  ///< arcs, as often as a fragment's program did; by the pie engine
  std::uint64_t remote = 0;  ///< objects of other homes it reads
  std::uint64_t bytes = 0;   ///< structure and shared memory
  std::uint64_t cache_capacity = 0;  ///< copies held at once; 0: all that it reads
  NodeLog log;
  SpaceStats space;  ///< since the first iteration
  NodeStats node;    ///< since the first iteration
  snapshot::Counts snapshots;

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.vertices, self.arcs, self.walked, self.remote, self.bytes,
                    self.cache_capacity, self.log, self.space, self.node, self.snapshots);
  }
};

/// The results of all vertices, in their order, after so many iterations.
struct ResultFrame {
  std::uint32_t iteration = 0;
  std::vector<std::byte> results;
};

struct RunRecord {
  bool simulated = false;
  PhaseSeconds phases;
  std::vector<NodeRecord> nodes;
  std::uint64_t rounds_before = 0;      ///< of the run whose snapshot this one resumed; 0: none
  std::uint64_t peak_memory_bytes = 0;  ///< of this process
  std::uint64_t digest = 0;             ///< of a simulated run's events
  std::shared_ptr<const pie::RoundsTold> rounds;  ///< the pie engine's; null: of another
  std::vector<ResultFrame> frames;  ///< ascending; where RunOptions::frame_every asked for them

  [[nodiscard]] bool converged() const;
  /// The most that any node did, or any worker of the pie engine, since the start or since the snapshot that it resumed.
  [[nodiscard]] std::uint32_t iterations() const;
  /// Those of the resumed run included: what a limit of iterations counts.
  [[nodiscard]] std::uint64_t all_iterations() const { return rounds_before + iterations(); }
  [[nodiscard]] AccessCounts accesses() const;
  [[nodiscard]] std::uint64_t blocked_fetches() const;
  [[nodiscard]] std::uint64_t refreshes() const;
  [[nodiscard]] std::uint64_t messages() const;  ///< of the protocol, collectives left out
  [[nodiscard]] std::uint64_t bytes() const;     ///< on the wire, collectives included
  [[nodiscard]] std::uint64_t visited() const;
  [[nodiscard]] std::uint64_t changed() const;
  [[nodiscard]] KindCounts sent_by_kind() const;
  /// Together; pauses are those of the node that paused most.
  [[nodiscard]] snapshot::Counts snapshots() const;
};

[[nodiscard]] std::string_view message_kind_name(MessageKind kind);

/// From the first node's first iteration to the last node's end.
[[nodiscard]] double compute_seconds(const RunRecord& record);

/// What has been counted since `before`.
[[nodiscard]] SpaceStats since(const SpaceStats& now, const SpaceStats& before);
[[nodiscard]] NodeStats since(const NodeStats& now, const NodeStats& before);

/// The most memory this process has had.
[[nodiscard]] std::uint64_t peak_memory();

}  // namespace leeway
