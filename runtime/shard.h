// One node's part of a job's structure, in handles: for every vertex that lives there, what its update
// reads, local objects first; and for every object met there, which local vertices read it. Values are
// not here: they are the shared memory's. Immutable once made; may borrow the adjacency's arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/result.h"
#include "leeway/datasets/graph.h"
#include "leeway/runtime/adjacency.h"
#include "leeway/runtime/layout.h"

namespace leeway {

/// What a shard is made from; all of it outlives the shard.
struct ShardPlan {
  const Layout& layout;
  const Adjacency* reads = nullptr;    ///< what each update reads; null: see `stands_alone`
  const Adjacency* readers = nullptr;  ///< the reverse, if it is at hand
  std::span<const std::uint64_t>
      read_afar;            ///< bit a vertex, from `find_read_afar`; empty on one node
  bool inputs = true;       ///< keep what updates read
  bool dependents = false;  ///< keep who reads what
  bool drop_loops = false;
  const Graph* degrees = nullptr;  ///< keep how many arcs leave each vertex of this graph
};

/// What each local vertex reads, in handles.
struct InputArrays {
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> local;  ///< by vertex: how many of its inputs live here; they come first
  Array<std::uint32_t> inputs;
  Array<double> weights;
};

/// Which local vertices read each handle.
struct DependentArrays {
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> readers;
  Array<double> weights;
};

/// A shard whose inputs are told already: what a node of a graph that lies in parts makes itself.
struct ShardArrays {
  std::span<const VertexId> vertices;   ///< of this node, by place; outlive the shard
  std::vector<ObjectId> remote;         ///< by slot
  std::vector<std::uint64_t> boundary;  ///< bit a vertex: whether any other node reads it
  Array<std::uint32_t> degrees;
  InputArrays lists;
  DependentArrays dependents;  ///< in place of the lists, where nobody wants those
};

class Shard {
 public:
  static Result<Shard> make(const ShardPlan& plan, NodeId self);
  /// With inputs, dependents are theirs turned round, if they are wanted.
  static Result<Shard> make(ShardArrays arrays, bool dependents);

  [[nodiscard]] std::uint32_t local_count() const {
    return static_cast<std::uint32_t>(vertices_.size());
  }
  [[nodiscard]] std::uint32_t remote_count() const {
    return static_cast<std::uint32_t>(remote_.size());
  }
  /// Local vertices by place.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  /// What lives elsewhere and is read here; the i-th gets the handle local_count() + i.
  [[nodiscard]] std::span<const ObjectId> remote() const { return remote_; }
  /// Whether any other node reads this local vertex.
  [[nodiscard]] bool read_afar(std::uint32_t local) const {
    return !boundary_.empty() && (boundary_[local / 64] >> (local % 64) & 1) != 0;
  }
  /// How many arcs leave each local vertex in the graph; empty unless they were asked for.
  [[nodiscard]] std::span<const std::uint32_t> degrees() const { return degrees_.span(); }
  [[nodiscard]] std::uint64_t input_count() const { return lists_.inputs.size(); }
  [[nodiscard]] std::size_t bytes() const;

  // The inputs of local vertex v: handles in [offset(v), offset(v + 1)), the first local_inputs(v) local.

  [[nodiscard]] const std::uint64_t* input_offsets() const { return lists_.offsets.data(); }
  [[nodiscard]] const std::uint32_t* inputs() const { return lists_.inputs.data(); }
  [[nodiscard]] const double* input_weights() const {
    return lists_.weights.empty() ? nullptr : lists_.weights.data();
  }
  /// Null: all of them.
  [[nodiscard]] const std::uint32_t* local_inputs() const {
    return lists_.local.empty() ? nullptr : lists_.local.data();
  }

  // The local vertices that read handle h: [offset(h), offset(h + 1)).

  [[nodiscard]] const std::uint64_t* dependent_offsets() const { return turned_.offsets.data(); }
  [[nodiscard]] const std::uint32_t* dependents() const { return turned_.readers.data(); }
  [[nodiscard]] const double* dependent_weights() const {
    return turned_.weights.empty() ? nullptr : turned_.weights.data();
  }

 private:
  Status count_degrees(const Graph& graph);
  Status borrow(const ShardPlan& plan);
  Status meet_remotes(const ShardPlan& plan, Array<std::uint32_t>& handle_of);
  Status fill_lists(const ShardPlan& plan, NodeId self, const Array<std::uint32_t>& handles);
  Status turn_inputs();

  std::span<const VertexId> vertices_;
  std::vector<ObjectId> remote_;
  std::vector<std::uint64_t> boundary_;
  Array<std::uint32_t> degrees_;
  InputArrays lists_;
  DependentArrays turned_;
};

/// One node in the graph's order: lists then serve as they are, and `inputs` alone needs `reads`,
/// `dependents` alone `readers`.
[[nodiscard]] bool stands_alone(const ShardPlan& plan);

/// Which vertices are read by another node than their home: a bit each.
[[nodiscard]] std::vector<std::uint64_t> find_read_afar(const Layout& layout,
                                                        const Adjacency& reads);

}  // namespace leeway
