// The run of a vertex program, independent of its type: one node (VertexNode), and running
// all nodes and collecting their results. job.h is the typed interface.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "datasets/graph.h"
#include "dsm/node.h"
#include "leeway/cluster.h"
#include "leeway/options.h"
#include "runtime/cluster/checkpointer.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/pace.h"
#include "snapshot/recorder.h"

namespace leeway {

struct GraphPart;

/// One node of a job. JobNode (job.h) implements the parts that depend on the program. Used only by the node's main
/// thread.
class VertexNode {
 public:
  VertexNode(Node& node, const LocalGraph& graph, const RunOptions& options);
  virtual ~VertexNode() = default;

  /// Reads its vertices' values from the snapshot to resume from, if there is one.
  Status load();
  /// Opens the shared space and fills it. Collective.
  Status open();
  /// Opens the snapshot folder, if snapshots are requested. False if another node has an error. Collective.
  Result<bool> prepare_snapshots();
  /// Runs from the first iteration to the agreed end. Collective.
  void run();
  /// The results of the local vertices, in their order.
  [[nodiscard]] virtual std::vector<std::byte> results() = 0;

  [[nodiscard]] NodeRecord& record() { return record_; }
  /// Frames of the local vertices.
  [[nodiscard]] std::vector<ResultFrame>& frames() { return frames_; }

 protected:
  /// Opens the space of the objects with these options, and gives each local object its initial value.
  virtual Result<Space*> open_objects(const SpaceOptions& options) = 0;
  /// The same for objects whose home is another node: stores the initial values of the local vertices.
  virtual void store_first_values() = 0;
  virtual void run_engine(Pace& pace) = 0;
  /// Copies the values and results of the local vertices into a snapshot part.
  virtual void lay_out(snapshot::Part& part, snapshot::PartHeader header) = 0;
  [[nodiscard]] virtual std::size_t state_size() const = 0;
  [[nodiscard]] virtual std::string result_type() const = 0;
  /// Whether the engine is worklist-based; it needs all copies from the start.
  [[nodiscard]] virtual bool by_list() const = 0;
  /// Whether the program converges under every schedule.
  [[nodiscard]] virtual bool always_rests() const = 0;

  [[nodiscard]] Node& node() { return node_; }
  [[nodiscard]] const LocalGraph& graph() const { return graph_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] const EngineOptions& engine() const { return options_.vertex; }
  /// Null if no snapshots are requested.
  [[nodiscard]] CheckpointVotes* snapshots() { return snapshots_.get(); }
  /// The initial values of the local vertices, in their order; empty: those of the program.
  [[nodiscard]] const std::vector<std::byte>& loaded() const { return loaded_; }
  void drop_loaded() { loaded_ = {}; }

 private:
  [[nodiscard]] bool runs_freely() const;
  void keep_frame();

  Node& node_;
  const LocalGraph& graph_;
  const RunOptions& options_;
  Space* space_ = nullptr;
  std::optional<PeerProgress> news_;
  std::unique_ptr<CheckpointVotes> snapshots_;
  std::vector<std::byte> loaded_;
  NodeRecord record_;
  std::vector<ResultFrame> frames_;
  bool frames_are_full_ = false;
};

/// A vertex program without its types.
struct VertexJob {
  LocalNeeds needs;
  bool by_list = false;          ///< vertices are visited by worklist
  std::size_t result_bytes = 0;  ///< size of one vertex's result
  std::function<std::unique_ptr<VertexNode>(Node&, const LocalGraph&, const RunOptions&)> make_node;
};

/// The order of a node's vertices in memory. If several nodes with real caches have their own local graphs and sweep over them,
/// the most-read values are placed together. A worklist visits too few vertices to earn the sorting of all lists, a simulated
/// memory has no caches, and the pieces of AsyTick should be neighbourhoods.
[[nodiscard]] VertexOrder vertex_order_of(const VertexJob& job, const RunOptions& options);

/// The source of the nodes' local graphs, and the receiver of their results.
struct NodeMaking {
  std::function<Result<LocalGraph>(NodeId)> graph;
  /// False for results that are not one for each vertex of the node.
  std::function<bool(NodeId from, std::span<const std::byte> results)> put;
  /// The same for a frame. Null: frames are not supported.
  std::function<bool(NodeId from, std::span<const std::byte> results,
                     std::vector<std::byte>& frame)>
      put_into;
  /// A vertex as the input names it; null: not known here.
  std::function<std::string(VertexId)> name_of;
  bool gathers = false;  ///< in a job of processes: node 0 gathers all results
  Instant started;       ///< when preparing the local graphs began
  double partition_seconds = 0;
};
/// Sets every node up and runs it to the end. Blocks until all nodes of this process have returned.
Result<Record> run_nodes(const VertexJob& job, const RunOptions& options, const NodeMaking& making);

/// Runs a vertex program on a whole graph. The result of vertex v is written to `results` at v times result_bytes; in
/// a job of processes only node 0 has all. Blocks until all nodes of this process have returned.
Result<Record> run_vertex_job(const Graph& graph, const VertexJob& job, const RunOptions& given,
                              std::span<std::byte> results);

/// Runs a vertex program on a graph in parts, one for each process. Consumes the arcs of `part`. Each node gets in
/// `results` those of its range's vertices, in order. Collective.
Result<Record> run_part_job(GraphPart& part, const VertexJob& job, const RunOptions& options,
                            std::vector<std::byte>& results);

}  // namespace leeway
