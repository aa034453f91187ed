// The structure of a vertex program's job: the order and the homes of vertices (Layout), which vertices an update
// reads (Adjacency), and each node's lists in handles (Shard).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "dsm/dsm.h"
#include "dsm/space.h"
#include "leeway/options.h"

namespace leeway {

/// How a node orders its vertices, and so its memory and its sweep.
enum class VertexOrder {
  Graph,   ///< the graph's order
  Degree,  ///< most arcs first
  /// In groups by the power of two of their degree, largest first; within a group in the graph's order. The most-read
  /// values are adjacent in memory, and lists of similar length follow each other. If no vertex has many times the
  /// mean degree, as Graph.
  Hubs,
};

/// For each node: the ends of the groups of its vertices. Within a group, vertices are in the graph's order (Graph
/// and Hubs).
using VertexGroups = std::vector<std::vector<std::uint32_t>>;

/// Orders a node's vertices, given in the graph's order, and returns the ends of the groups. `hubs`: whether the
/// graph has hubs (has_hubs).
template <class Vertex, class Degree>
std::vector<std::uint32_t> arrange(std::span<Vertex> mine, VertexOrder order, bool hubs,
                                   Degree&& degree) {
  if (order == VertexOrder::Degree) std::ranges::stable_sort(mine, std::greater(), degree);
  if (order != VertexOrder::Hubs || !hubs) return {static_cast<std::uint32_t>(mine.size())};
  // By group, largest degree first. Bit widths: 0 without arcs, 1 for one arc, 2 for two or three, ...
  constexpr std::size_t kMostGroups = 65;
  std::array<std::uint32_t, kMostGroups + 1> at{};
  const auto group = [&](Vertex v) {
    return kMostGroups - 1 - static_cast<std::size_t>(std::bit_width(std::uint64_t{degree(v)}));
  };
  for (const Vertex v : mine) ++at[group(v) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 0; i < kMostGroups; ++i) {
    if (at[i + 1] > at[i]) ends.push_back(at[i + 1]);
  }
  const std::vector<Vertex> unordered(mine.begin(), mine.end());
  for (const Vertex v : unordered) mine[at[group(v)]++] = v;
  return ends;
}

/// The vertices that an update reads. All values but None are the same for an undirected graph.
enum class Reads {
  In,    ///< the sources of a vertex's incoming arcs
  Out,   ///< the targets of its own arcs, as in a row of a matrix
  Both,  ///< both; two opposite arcs count twice
  None,  ///< none: the result depends only on the graph's structure
};

[[nodiscard]] constexpr Reads reversed(Reads reads) {
  if (reads == Reads::Both || reads == Reads::None) return reads;
  return reads == Reads::In ? Reads::Out : Reads::In;
}

/// The neighbour lists that updates read, over the whole graph: the graph's own arrays if possible, else reversed or
/// joined copies. Borrows from the graph, which must outlive it. Immutable.
class Adjacency {
 public:
  /// Without `weights`, no weights are stored.
  static Result<Adjacency> make(const Graph& graph, Reads reads, bool weights);

  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets_.size() - 1);
  }
  [[nodiscard]] std::uint64_t arc_count() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> of(VertexId vertex) const {
    return targets_.span().subspan(begin(vertex), end(vertex) - begin(vertex));
  }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// In the order of `of`.
  [[nodiscard]] std::span<const double> weights(VertexId vertex) const {
    return weights_.span().subspan(begin(vertex), end(vertex) - begin(vertex));
  }
  [[nodiscard]] std::span<const std::uint64_t> offsets() const { return offsets_.span(); }
  [[nodiscard]] std::span<const VertexId> targets() const { return targets_.span(); }
  [[nodiscard]] std::span<const double> weights() const { return weights_.span(); }

 private:
  [[nodiscard]] std::uint64_t begin(VertexId vertex) const { return offsets_[vertex.index()]; }
  [[nodiscard]] std::uint64_t end(VertexId vertex) const { return offsets_[vertex.index() + 1]; }
  static Result<Adjacency> borrowed(const Graph& graph, bool weights);
  static Result<Adjacency> turned(const Graph& graph, bool with_own, bool weights);

  Array<std::uint64_t> offsets_;
  Array<VertexId> targets_;
  Array<double> weights_;
};

/// True if every arc has its reverse (weights aside).
[[nodiscard]] bool is_symmetric(const Graph& graph);

// The home of every vertex of a job, and its index among the objects of that home. One for a whole job, the same on
// every node. Immutable once made, so safe to read from any thread.
class Layout {
 public:
  /// Each part is a node. Parts may be empty.
  static Result<Layout> make(const Graph& graph, const Partition& partition, VertexOrder order);
  /// All vertices on one node, in the graph's order.
  static Result<Layout> single(std::uint32_t vertices);

  [[nodiscard]] std::uint32_t node_count() const {
    return static_cast<std::uint32_t>(firsts_.size() - 1);
  }
  [[nodiscard]] VertexOrder order() const { return order_; }
  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(vertices_.size());
  }
  [[nodiscard]] NodeId home(VertexId vertex) const {
    return NodeId(homes_.empty() ? 0 : homes_[vertex.index()].value());
  }
  [[nodiscard]] const VertexGroups& groups() const { return groups_; }
  [[nodiscard]] LocalIndex place(VertexId vertex) const { return places_[vertex.index()]; }
  [[nodiscard]] ObjectId object(VertexId vertex) const { return {home(vertex), place(vertex)}; }
  /// A node's vertices, by local index.
  [[nodiscard]] std::span<const VertexId> vertices(NodeId node) const {
    return vertices_.span().subspan(firsts_[node.index()],
                                    firsts_[node.index() + 1] - firsts_[node.index()]);
  }

 private:
  VertexOrder order_ = VertexOrder::Graph;
  std::vector<std::size_t> firsts_;  // first vertex of each node, and the end
  VertexGroups groups_;
  Array<VertexId> vertices_;  // concatenated by node
  Array<LocalIndex> places_;  // by vertex
  Array<PartId> homes_;       // by vertex; empty: all on node 0
};

/// The sources from which a shard is made; all must outlive the shard.
struct ShardSources {
  const Layout& layout;
  const Adjacency* reads = nullptr;    ///< inputs of each update; null: not needed by a single node
  const Adjacency* readers = nullptr;  ///< the reverse, if available
  /// One bit for each vertex: whether a node other than its home reads it. Empty on one node.
  std::span<const std::uint64_t> read_remotely;
  bool inputs = true;       ///< make the lists of inputs
  bool dependents = false;  ///< make the lists of readers
  bool drop_loops = false;
  const Graph* degrees = nullptr;  ///< keep the out-degrees in this graph; null: none
};

/// The inputs of each local vertex, in handles.
struct InputArrays {
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> local;  ///< by vertex: number of local inputs, which come first
  Array<std::uint32_t> inputs;
  Array<double> weights;
};

/// The local vertices that read each handle.
struct DependentArrays {
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> readers;
  Array<double> weights;
};

/// A shard with finished lists, as a node of a graph in parts makes them.
struct ShardArrays {
  std::span<const VertexId> vertices;   ///< this node's, by local index; must outlive the shard
  std::vector<ObjectId> remote;         ///< by slot
  std::vector<std::uint64_t> boundary;  ///< a bit for each vertex: another node reads it
  Array<std::uint32_t> degrees;
  InputArrays lists;
  DependentArrays dependents;  ///< instead of `lists` if no inputs are needed
};

/// One node's part of a job's structure, in handles: for every local vertex the inputs of its update, local ones
/// first; and for every handle the local vertices that read it. The values are in the shared memory. Immutable once
/// made; may borrow the adjacency's arrays.
class Shard {
 public:
  static Result<Shard> make(const ShardSources& sources, NodeId self);
  /// With inputs: `dependents` requests the reversed lists too.
  static Result<Shard> make(ShardArrays arrays, bool dependents);

  [[nodiscard]] std::uint32_t local_count() const {
    return static_cast<std::uint32_t>(vertices_.size());
  }
  [[nodiscard]] std::uint32_t remote_count() const {
    return static_cast<std::uint32_t>(remote_.size());
  }
  /// Local vertices, by local index.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  /// The remote objects that are read here; the i-th has the handle local_count() + i.
  [[nodiscard]] std::span<const ObjectId> remote() const { return remote_; }
  /// Whether another node reads this local vertex.
  [[nodiscard]] bool read_remotely(std::uint32_t local) const {
    return !boundary_.empty() && (boundary_[local / 64] >> (local % 64) & 1) != 0;
  }
  /// The out-degree of each local vertex in the graph; empty unless requested.
  [[nodiscard]] std::span<const std::uint32_t> degrees() const { return degrees_.span(); }
  [[nodiscard]] std::uint64_t input_count() const { return lists_.inputs.size(); }
  [[nodiscard]] std::size_t bytes() const;

  // The inputs of local vertex v: handles in [offset(v), offset(v + 1)), the first local_inputs(v) local.

  [[nodiscard]] const std::uint64_t* input_offsets() const { return lists_.offsets.data(); }
  [[nodiscard]] const std::uint32_t* inputs() const { return lists_.inputs.data(); }
  [[nodiscard]] const double* input_weights() const {
    return lists_.weights.empty() ? nullptr : lists_.weights.data();
  }
  /// Number of local inputs of each vertex; null: all are local.
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
  Status borrow(const ShardSources& sources);
  Status meet_remotes(const ShardSources& sources, Array<std::uint32_t>& handle_of);
  Status fill_lists(const ShardSources& sources, NodeId self, const Array<std::uint32_t>& handles);
  Status turn_inputs();

  std::span<const VertexId> vertices_;
  std::vector<ObjectId> remote_;
  std::vector<std::uint64_t> boundary_;
  Array<std::uint32_t> degrees_;
  InputArrays lists_;
  DependentArrays turned_;
};

// The parts of the structure that a vertex program needs.
struct StructureNeeds {
  Reads reads = Reads::In;
  bool weights = false;
  bool drop_loops = false;
  bool inputs = true;
  bool dependents = false;
  bool degrees = false;  ///< the out-degree of each vertex
};

/// The structure shared by all nodes of a job: the homes, and the lists from which shards are made. Borrows from the
/// graph, which must outlive it. Immutable once made.
class JobStructure {
 public:
  /// `partition` null: computed by `how`. Requires as many parts as nodes (checked).
  static Result<JobStructure> make(const Graph& graph, const StructureNeeds& needs,
                                   std::uint32_t nodes, PartitionOptions how, VertexOrder order,
                                   const Partition* partition);

  /// Any thread.
  [[nodiscard]] Result<Shard> shard(NodeId node) const { return Shard::make(sources(), node); }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] double partition_seconds() const { return partition_seconds_; }

 private:
  [[nodiscard]] ShardSources sources() const;

  StructureNeeds needs_;
  const Graph* graph_ = nullptr;
  std::unique_ptr<Layout> layout_;
  std::optional<Adjacency> reads_;
  std::optional<Adjacency> readers_;
  std::vector<std::uint64_t> read_remotely_;
  double partition_seconds_ = 0;
};

// Homes of the vertices of a run without work collocation (ASPIRE §4.3). The vertices that a node computes are assigned to
// the other nodes in turn, so that no node is the home of a vertex that it computes.
class ScatteredHomes {
 public:
  /// `counts`: vertices that each node computes. Requires two nodes (checked).
  explicit ScatteredHomes(std::vector<std::uint64_t> counts) : counts_(std::move(counts)) {
    LEEWAY_CHECK(nodes() > 1u);
  }

  /// The object of the vertex with this id: `id` has the node that computes the vertex, and its index there.
  [[nodiscard]] ObjectId operator()(ObjectId id) const {
    const std::uint32_t owner = id.home().value();
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t home = (owner + 1 + id.local().value() % others) % nodes();
    std::uint64_t before = id.local().value() / others;
    for (std::uint32_t earlier = 0; earlier < owner; ++earlier) before += count_of(earlier, home);
    return {NodeId(home), LocalIndex(static_cast<std::uint32_t>(before))};
  }
  /// Number of vertices with this home.
  [[nodiscard]] std::uint32_t count_at(NodeId home) const {
    std::uint64_t count = 0;
    for (std::uint32_t owner = 0; owner < nodes(); ++owner) count += count_of(owner, home.value());
    return static_cast<std::uint32_t>(count);
  }

 private:
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Number of vertices of `owner` with the home `home`.
  [[nodiscard]] std::uint64_t count_of(std::uint32_t owner, std::uint32_t home) const {
    if (owner == home) return 0;
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t turn = (home + nodes() - owner - 1) % nodes();
    return (counts_[owner] + others - 1 - turn) / others;
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace leeway
