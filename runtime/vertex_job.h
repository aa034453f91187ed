// What a vertex program's run is, whatever the program: the graph divided and dealt out, every node set up and
// run to the end, the values brought back in the order of the graph's vertices. job.h is its typed face.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "leeway/datasets/partition.h"
#include "leeway/runtime/job_structure.h"
#include "leeway/runtime/pace.h"
#include "leeway/runtime/residents.h"
#include "leeway/runtime/run_record.h"

namespace leeway {

[[nodiscard]] PartitionOptions equal_arcs();

struct RunOptions {
  ClusterOptions cluster;
  EngineOptions engine;
  /// Equal arcs, for they are what takes time. Its `parts` are the nodes, whatever it says.
  PartitionOptions partition = equal_arcs();
  /// Divides the graph instead, where many runs share one division; as many parts as nodes (checked).
  std::shared_ptr<const Partition> divided;
  bool trace = false;            ///< keep what every node did when
  Progress* progress = nullptr;  ///< told of node 0's iterations, if somebody watches
};

/// One node of a job: what of it depends on the program is in JobNode (job.h). One thread's own.
class VertexNode {
 public:
  VertexNode(Node& node, const Shard& shard, const RunOptions& options);
  virtual ~VertexNode() = default;

  /// Opens the shared space and fills it. Collective.
  Status open();
  /// From the first iteration to the agreed end. Collective.
  void run();
  /// The results of the local vertices, in their order.
  [[nodiscard]] virtual std::vector<std::byte> results() = 0;

  [[nodiscard]] NodeRecord& record() { return record_; }

 protected:
  /// The objects are this many of each kind; opens them, and gives each its first value.
  virtual Result<Space*> open_objects(const SpaceOptions& options) = 0;
  virtual void run_engine(Pace& pace) = 0;
  /// Whether a worklist is run, whose copies must all be there.
  [[nodiscard]] virtual bool by_list() const = 0;

  [[nodiscard]] Node& node() { return node_; }
  [[nodiscard]] const Shard& shard() const { return shard_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] NodeLog& log() { return record_.log; }

 private:
  Node& node_;
  const Shard& shard_;
  const RunOptions& options_;
  Space* space_ = nullptr;
  std::optional<PeerNews> news_;
  NodeRecord record_;
};

struct VertexJob {
  StructureNeeds needs;
  std::size_t result_bytes = 0;  ///< of one vertex
  std::function<std::unique_ptr<VertexNode>(Node&, const Shard&, const RunOptions&)> make_node;
};

/// Runs it; the result of vertex v goes to `results` at v times result_bytes. Over a job of processes the results
/// are whole at node 0 only. Blocks until all nodes of this process have returned.
Result<RunRecord> run_vertex_job(const Graph& graph, const VertexJob& job,
                                 const RunOptions& options, std::span<std::byte> results);

}  // namespace leeway
