// Brings what every node has to the first node, through the shared memory itself, so that it works over every
// fabric. Collective.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dsm/node.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/snapshot_taker.h"
#include "runtime/graph/shard.h"
#include "runtime/vertex/pace.h"
#include "snapshot/recorder.h"

namespace leeway {

/// At node 0 every node's bytes, by node; elsewhere empty lists. Every node gives the same name.
Result<std::vector<std::vector<std::byte>>> gather_at_first(Node& node, const std::string& name,
                                                            std::span<const std::byte> mine);

}  // namespace leeway

namespace leeway::snapshot {
// What a vertex program's run is, whatever the program: the graph divided and dealt out, every node set up and
// run to the end, the values brought back in the order of the graph's vertices. job.h is its typed face.
class Source;
}  // namespace leeway::snapshot

namespace leeway {

[[nodiscard]] PartitionOptions equal_arcs();

struct RunOptions {
  ClusterOptions cluster;
  EngineOptions engine;
  /// Equal arcs, for they are what takes time. Its `parts` are the nodes, whatever it says.
  PartitionOptions partition = equal_arcs();
  /// Divides the graph instead, where many runs share one division; as many parts as nodes (checked). Where each
  /// process holds a part of the graph, node 0's alone.
  std::shared_ptr<const Partition> divided;
  bool trace = false;     ///< keep what every node did when
  bool residuals = true;  ///< measure them, which takes some percent of a sweep
  /// Results are kept before the first iteration, after every so many, and at the end: RunRecord::frames. Where nodes are
  /// not in step a frame has every node's results of its own iteration of that number. 0: none.
  std::uint32_t frame_every = 0;
  Progress* progress = nullptr;  ///< told of node 0's iterations, if somebody watches
  std::shared_ptr<const snapshot::SnapshotPlan> snapshots;  ///< null: none are taken
  std::shared_ptr<const snapshot::Source> resume;  ///< to go on from; null: from the beginning
};

/// One node of a job: what of it depends on the program is in JobNode (job.h). One thread's own.
class VertexNode {
 public:
  VertexNode(Node& node, const Shard& shard, const RunOptions& options);
  virtual ~VertexNode() = default;

  /// Reads what values its vertices had when the snapshot was taken that it goes on from, if there is one.
  Status load();
  /// Opens the shared space and fills it. Collective.
  Status open();
  /// Gets ready to take snapshots, if any are to be taken. False where another node refused. Collective.
  Result<bool> prepare_snapshots();
  /// From the first iteration to the agreed end. Collective.
  void run();
  /// The results of the local vertices, in their order.
  [[nodiscard]] virtual std::vector<std::byte> results() = 0;

  [[nodiscard]] NodeRecord& record() { return record_; }
  /// Of the local vertices.
  [[nodiscard]] std::vector<ResultFrame>& frames() { return frames_; }

 protected:
  /// The objects are this many of each kind; opens them, and gives each its first value.
  virtual Result<Space*> open_objects(const SpaceOptions& options) = 0;
  /// The same for objects that live elsewhere: stores what each local vertex begins with.
  virtual void store_first_values() = 0;
  virtual void run_engine(Pace& pace) = 0;
  /// Copies the values of the local vertices, and what they stand for.
  virtual void lay_out(snapshot::Part& part, snapshot::PartHeader header) = 0;
  /// Their values alone.
  virtual void lay_out_states(snapshot::Part& part, snapshot::PartHeader header) = 0;
  /// The copies there are of what lives elsewhere, `remote` by slot, and how often their homes had written them.
  virtual void lay_out_copies(snapshot::Part& part, snapshot::PartHeader header,
                              std::span<const VertexId> remote) = 0;
  [[nodiscard]] virtual std::size_t state_size() const = 0;
  [[nodiscard]] virtual std::string result_type() const = 0;
  /// Whether a worklist is run, whose copies must all be there.
  [[nodiscard]] virtual bool by_list() const = 0;
  /// Whether the program does under every schedule.
  [[nodiscard]] virtual bool always_rests() const = 0;

  [[nodiscard]] Node& node() { return node_; }
  [[nodiscard]] const Shard& shard() const { return shard_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] const EngineOptions& engine() const { return options_.engine; }
  [[nodiscard]] NodeLog& log() { return record_.log; }
  /// Null: none are taken.
  [[nodiscard]] SnapshotTaker* snapshots() { return snapshots_.get(); }
  /// The values of the local vertices to begin with, in their order; empty: the program's own.
  [[nodiscard]] const snapshot::States& loaded() const { return loaded_; }
  void drop_loaded() { loaded_ = {}; }

 private:
  /// Whether what is held here is of use when another node is lost: any mixture of values will do to go on from, and
  /// somebody may.
  [[nodiscard]] bool saves_on_loss() const;
  [[nodiscard]] bool reads_every_version() const;
  Status learn_remote_vertices();
  void save_on_loss();
  void keep_frame();

  Node& node_;
  const Shard& shard_;
  const RunOptions& options_;
  Space* space_ = nullptr;
  std::optional<PeerProgress> news_;
  std::unique_ptr<SnapshotTaker> snapshots_;
  snapshot::States loaded_;
  std::vector<VertexId> remote_vertices_;  // by slot, where they may be needed
  NodeRecord record_;
  std::vector<ResultFrame> frames_;
  bool frames_are_full_ = false;
};

struct VertexJob {
  StructureNeeds needs;
  std::size_t result_bytes = 0;  ///< of one vertex
  std::function<std::unique_ptr<VertexNode>(Node&, const Shard&, const RunOptions&)> make_node;
};

/// How a node's vertices lie in its memory. Where several nodes each cut out their part anyway, what is read
/// most is put together; a simulated memory has no caches that would like it, and pieces are neighbourhoods.
[[nodiscard]] VertexOrder lying_order(const RunOptions& options);

/// Where the nodes of a run get their shards, and who takes their results.
struct NodeMaking {
  std::function<Result<Shard>(NodeId)> shard;
  std::function<void(NodeId from, std::span<const std::byte> results)> put;
  /// The same into a frame. Null: no frames are kept of such a run.
  std::function<void(NodeId from, std::span<const std::byte> results,
                     std::vector<std::byte>& frame)>
      put_into;
  bool gathers = false;  ///< over a job of processes: node 0 takes everybody's
  Instant started;       ///< when the making of what shards are cut from began
  double partition_seconds = 0;
};
/// Sets every node up and runs it to the end. Blocks until all nodes of this process have returned.
Result<RunRecord> run_nodes(const VertexJob& job, const RunOptions& options,
                            const NodeMaking& making);

/// Runs it; the result of vertex v goes to `results` at v times result_bytes. Over a job of processes the results
/// are whole at node 0 only. Blocks until all nodes of this process have returned.
Result<RunRecord> run_vertex_job(const Graph& graph, const VertexJob& job, const RunOptions& given,
                                 std::span<std::byte> results);

}  // namespace leeway
