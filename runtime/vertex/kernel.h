// What the engines on vertices use of a program whose types they do not know: the loops over vertices and arcs. An
// engine calls a kernel once for a range of vertices, a bucket or a piece, never for each vertex. sweeper.h and
// selecting_kernels.h implement the kernels of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dsm/space.h"
#include "runtime/cluster/record.h"
#include "runtime/vertex/active_set.h"

namespace leeway {

class BucketQueue;
class CheckpointVotes;
class LocalGraph;
class Node;
struct CostModel;
struct EngineOptions;

/// What the engine and the kernel of a node share.
struct SweepContext {
  Node& node;
  const LocalGraph& graph;
  Space& space;
  const EngineOptions& options;
  const CostModel& cost;  ///< prices by which the compute time of a batch is estimated
  CheckpointVotes* snapshots = nullptr;  ///< for engines without a Pace

  // The settings of the next sweep.

  /// Vertices whose misses are requested together, before the first of them runs; 0: none.
  std::uint32_t look_ahead = 0;
  bool measures = true;           ///< measure residuals, if the program can
  bool gathers = false;           ///< add up what a GatheringProgram gathers
  bool stores_unchanged = false;  ///< EngineOptions::store_unchanged

  /// The value of `look_ahead` for a bounded cache. If only some vertices run, each requests its own misses:
  /// requesting also the inputs of the vertices between them would evict what is needed.
  [[nodiscard]] std::uint32_t bounded_look_ahead(bool all_run) const;
  /// The arcs and vertices together whose estimated time is that of a batch.
  [[nodiscard]] std::uint64_t batch_size() const;
  /// Whether the job has one node.
  [[nodiscard]] bool alone() const;
  /// Accounts for computing.
  void charge(std::uint64_t vertices, std::uint64_t arcs, std::uint64_t stores) const;
  /// Handles messages (Node::progress).
  void progress() const;
};

/// Local vertices: [begin, end).
struct LocalRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// The vertices of a range that run.
enum class Visits : std::uint8_t {
  All,
  AllAndMark,  ///< all, and the readers of changed ones become active
  Active,      ///< the active ones; the readers of changed ones become active
};

/// What a kernel did with a range of vertices.
struct Swept {
  std::uint64_t visited = 0;
  std::uint64_t changed = 0;
  /// For a program that gathers: if all vertices ran, the sum over the range's values, else by how much it changed.
  std::uint64_t gathered = 0;
  std::optional<Residual> residual;
};

/// What an engine must know of a program (vertex.h).
struct ProgramTraits {
  std::optional<double> resting_move;
  bool gathers = false;  ///< it is a GatheringProgram
  bool gathers_in_place = false;
  bool moves_on = true;
  bool starts_with_some = false;  ///< it is a StartingProgram
  bool always_rests = false;
};

/// Reads copies for an engine that does not know the type of their values. Used by the node's main thread.
class CopyReader {
 public:
  virtual ~CopyReader() = default;
  /// Fetches a copy that is stale but usable, which requests its refresh.
  virtual void touch(Handle copy) = 0;
  /// Passes collected statistics, stores and refresh requests to the node (View::publish).
  virtual void publish() = 0;
};

/// Updates of vertices.
class SweepKernel : public CopyReader {
 public:
  [[nodiscard]] virtual ProgramTraits traits() const = 0;
  /// Gives the program the sum over all vertices; returns whether every vertex must be updated again.
  virtual bool give_sum(std::uint64_t sum) = 0;
  /// What the program gathers over the present values of the node.
  [[nodiscard]] virtual std::uint64_t sum_gathered() = 0;

  // On any thread, for disjoint ranges. Each publishes its stores.

  /// Updates vertices and stores changed values.
  virtual Swept run(LocalRange range, Visits visits, ActiveSet& active) = 0;
  /// Only computes what `run` would, and measures how far values would move.
  virtual Swept look(LocalRange range, Visits visits, ActiveSet& active) = 0;
  /// Computes new values and keeps them for `store`; adds the vertices that change to `changed`. `visits`: All or
  /// Active.
  virtual Swept compute(LocalRange range, Visits visits, ActiveSet& active, ActiveSet& changed) = 0;

  // On the main thread.

  /// The vertices to visit after an object has changed. Valid until the next call.
  [[nodiscard]] virtual std::span<const std::uint32_t> concerned(std::uint32_t handle) = 0;
  /// Adds the vertices with which a StartingProgram begins.
  virtual void add_starting(ActiveSet& active) = 0;
  /// Before the first `compute`.
  virtual void begin_supersteps() = 0;
  /// Stores the kept values of `changed`, and empties it. `active`: readers of these vertices become active; null:
  /// all vertices run next.
  virtual void store(ActiveSet& changed, ActiveSet* active) = 0;

  // A round of pieces, on the main thread. Between the calls, the round's stores are collected.

  virtual void begin_round() = 0;
  /// Updates the vertices, and lists in `changed` those that have changed.
  virtual void run_piece(std::span<const std::uint32_t> vertices,
                         std::vector<std::uint32_t>& changed) = 0;
  /// Publishes the round's stores if computing since the last time took as long as some messages take to send.
  virtual void publish_if_worth_it() = 0;
  virtual Swept end_round() = 0;
};

/// What one thread has done since its counts were last gathered.
struct OfferCounts {
  std::vector<std::uint32_t> unpublished;  ///< improved local vertices that other nodes read
  std::uint64_t arcs = 0;
  std::uint64_t visited = 0;
  std::uint64_t changed = 0;

  [[nodiscard]] std::uint64_t units() const { return arcs + visited; }
  void add(const OfferCounts& more);
};

/// A set of local vertices, a bit for each.
using VertexBits = std::vector<std::uint64_t>;
inline constexpr std::uint32_t kVertexWordBits = 64;

/// The loops of a selecting program. A vertex or a copy offers its value along its arcs to the local vertices that read
/// it; an improved vertex enters the worklist.
class ListKernel : public CopyReader {
 public:
  /// Width of the worklist's buckets, in ranks.
  [[nodiscard]] virtual double bucket_width() const = 0;
  /// Whether several threads may improve values (`process_shared`, `pull`).
  [[nodiscard]] virtual bool shares() const = 0;
  /// Whether all values of a rank are equal (by_levels, vertex.h).
  [[nodiscard]] virtual bool by_levels() const = 0;

  // On the main thread.

  /// Adds the local vertices of finite rank to the worklist, and offers the values of the copies of finite rank.
  virtual void begin(BucketQueue& list, OfferCounts& counts) = 0;
  /// Adds vertices by their present ranks.
  virtual void add(std::span<const std::uint32_t> vertices, BucketQueue& list) = 0;
  /// Reads the copies and offers their values.
  virtual void offer(std::span<const Handle> copies, BucketQueue& list, OfferCounts& counts) = 0;
  /// The vertices of a bucket offer their values, until the counts have `most` units; those whose rank is now in a lower
  /// bucket do not. Returns the number of vertices that are done.
  virtual std::size_t process(std::span<const std::uint32_t> work, std::size_t bucket,
                              std::uint64_t most, BucketQueue& list, OfferCounts& counts) = 0;
  /// Publishes the present values of these vertices, and what else was stored.
  virtual void publish_values(std::span<const std::uint32_t> vertices) = 0;

  /// On any thread, while others do the same: all of these vertices offer their values.
  virtual void process_shared(std::span<const std::uint32_t> work, std::size_t bucket,
                              BucketQueue& list, OfferCounts& counts) = 0;

  // For a program by levels that shares: the vertices that are not reached look for one of the level's vertices.

  /// Collects the vertices of a bucket in `level`; false if all have moved to lower buckets.
  virtual bool begin_level(std::span<const std::uint32_t> work, std::size_t bucket,
                           const BucketQueue& list, VertexBits& level) = 0;
  /// On any thread, for ranges that do not share words of `reached`: vertices that read one of `level` and would be
  /// improved take its offer and enter `reached`.
  virtual void pull(LocalRange range, const VertexBits& level, VertexBits& reached,
                    OfferCounts& counts) = 0;
  /// The rank of what the level offers.
  [[nodiscard]] virtual double rank_of_next_level() const = 0;
  /// The vertices that were reached are the level.
  virtual void go_to_next_level() = 0;
};

/// The best value of every set of connected vertices and copies (join_forest.h). Functions that take a range may be called on any
/// thread, for disjoint ranges, if `shares`; the others only on the main thread.
class JoinKernel : public CopyReader {
 public:
  [[nodiscard]] virtual bool shares() const = 0;

  // In this order, once.

  /// `set_of`: by handle, its set; borrowed.
  virtual void begin(std::span<const std::uint32_t> set_of) = 0;
  virtual void read_values(LocalRange range) = 0;
  virtual void read_copies() = 0;
  /// Every set's best value, from its local vertices.
  virtual void improve_by_values(LocalRange range) = 0;
  virtual void improve_by_copies() = 0;

  /// Reads the copies; appends the sets whose best value they improve to `improved`.
  virtual void improve(std::span<const Handle> copies, std::vector<std::uint32_t>& improved) = 0;
  /// Stores their sets' best values at those of the vertices that have worse ones; returns their number.
  virtual std::uint64_t store_better(std::span<const std::uint32_t> vertices) = 0;
  /// Stores the sets' best values without announcing them. `unread`: only at vertices that no other node reads.
  virtual void settle(LocalRange range, bool unread) = 0;
};

}  // namespace leeway
