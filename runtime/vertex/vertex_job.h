// The run of a vertex program, independent of its type: running all nodes and collecting their results. job.h is the typed
// interface.
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
#include "dsm/space_options.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"
#include "runtime/graph/local_graph.h"

namespace leeway {

class JoinKernel;
class ListKernel;
class Node;
class Space;
class SweepKernel;
enum class VertexOrder;
struct GraphPart;
struct SweepContext;

/// The program of a job on one node, with the values of the node's vertices: what knows their types (ProgramNodeOf, job.h).
/// Used only by the node's main thread.
class ProgramNode {
 public:
  virtual ~ProgramNode() = default;

  /// Opens the space of the objects with these options. Each local object has its initial value: from `loaded`, the states
  /// of the local vertices, or if that is empty, from the program. With serves_only, store_first_values does this.
  virtual Result<Space*> open(const SpaceOptions& options, std::span<const std::byte> loaded) = 0;
  /// The same for objects whose home is another node.
  virtual void store_first_values() = 0;

  // The stages of a StagedProgram (vertex.h).

  /// None if the node has no vertices.
  [[nodiscard]] virtual std::optional<std::uint32_t> stage_of_values() = 0;
  virtual void enter_stage(std::uint32_t stage) = 0;
  /// Whether a run visits only some vertices first.
  [[nodiscard]] virtual bool starts_with_some() const = 0;
  /// Whether the entered stage runs by worklist.
  [[nodiscard]] virtual bool runs_by_list() const = 0;
  /// The local vertices' terms of the sum that decides whether a further stage follows.
  [[nodiscard]] virtual std::uint64_t left_in_stage() = 0;
  [[nodiscard]] virtual std::optional<std::uint32_t> next_stage(std::uint64_t sum) = 0;
  /// Stores the first values of the entered stage.
  virtual void begin_stage() = 0;

  // The engines' access; null for a program of another form (vertex.h). Borrows the context.

  [[nodiscard]] virtual std::unique_ptr<SweepKernel> sweeps(const SweepContext& context) = 0;
  [[nodiscard]] virtual std::unique_ptr<ListKernel> list(const SweepContext& context) = 0;
  [[nodiscard]] virtual std::unique_ptr<JoinKernel> sets(const SweepContext& context) = 0;

  /// The values of the local vertices, in their order.
  virtual void copy_states(std::span<std::byte> states) = 0;
  /// Their results. Adds those that have become infinite or NaN, although the program does not begin with infinity.
  virtual void copy_results(std::span<std::byte> results, NotFinite& found) = 0;
};

/// A vertex program without its types.
struct VertexJob {
  LocalNeeds needs;
  bool by_list = false;          ///< vertices are visited by worklist, or connected ones joined
  bool joins = false;            ///< connected vertices within a node are joined first
  bool always_rests = false;     ///< the program converges under every schedule
  bool staged = false;           ///< a StagedProgram
  std::size_t state_bytes = 0;   ///< size of one vertex's value
  std::size_t result_bytes = 0;  ///< size of one vertex's result
  bool own_result = false;       ///< the result is not the value
  std::string result_type;       ///< as in a snapshot's manifest
  std::function<std::unique_ptr<ProgramNode>(Node&, const LocalGraph&)> make_node;
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
