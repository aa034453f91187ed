// How a node orders its vertices, and so its memory and its sweep.
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
#include "dsm/space.h"
#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "leeway/options.h"
#include "leeway/result.h"

namespace leeway {

enum class VertexOrder {
  Graph,   ///< as the graph does
  Degree,  ///< most arcs first
  Hubs,  ///< in groups by the power of two of their arcs, most first, each group as Graph: what is read most
  ///< stands together, and lists of about one length follow each other. Where none has many
  ///< times the mean nothing moves
};

/// Of each node: where each group of its vertices ends that stands in the graph's order, under Graph and Hubs.
using VertexGroups = std::vector<std::vector<std::uint32_t>>;

/// Orders the vertices of a node, in the graph's order before, and gives where its groups end. `hubs`: whether the graph
/// has some (datasets/hubs.h).
template <class Vertex, class Degree>
std::vector<std::uint32_t> arrange(std::span<Vertex> mine, VertexOrder order, bool hubs,
                                   Degree&& degree) {
  if (order == VertexOrder::Degree) std::ranges::stable_sort(mine, std::greater(), degree);
  if (order != VertexOrder::Hubs || !hubs) return {static_cast<std::uint32_t>(mine.size())};
  // By group, the greatest first: 0 without arcs, 1 with one, 2 with two or three, ...
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
  const std::vector<Vertex> as_they_were(mine.begin(), mine.end());
  for (const Vertex v : as_they_were) mine[at[group(v)]++] = v;
  return ends;
}

// Which vertices an update reads, as lists over the whole graph: the graph's own arrays where they serve,
// turned round or joined where they do not. Borrows from the graph, which outlives it. Immutable.

/// Of an undirected graph they are all the same.
enum class Reads {
  In,    ///< the sources of a vertex's incoming arcs
  Out,   ///< the targets of its own arcs, as a matrix's row does
  Both,  ///< either end of every arc that touches it; an arc each way counts twice
  None,  ///< nothing: its answer lies in the graph alone
};

[[nodiscard]] constexpr Reads reversed(Reads reads) {
  if (reads == Reads::Both || reads == Reads::None) return reads;
  return reads == Reads::In ? Reads::Out : Reads::In;
}

class Adjacency {
 public:
  /// Without `weights` none are kept.
  static Result<Adjacency> make(const Graph& graph, Reads reads, bool weights);

  [[nodiscard]] std::uint32_t vertex_count() const {
    return static_cast<std::uint32_t>(offsets_.size() - 1);
  }
  [[nodiscard]] std::uint64_t arc_count() const { return targets_.size(); }
  [[nodiscard]] std::span<const VertexId> of(VertexId vertex) const {
    return targets_.span().subspan(begin(vertex), end(vertex) - begin(vertex));
  }
  [[nodiscard]] bool weighted() const { return !weights_.empty(); }
  /// Beside `of`.
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

// Where every vertex of a job lives: its home, and its place among the objects of that home. One for a
// whole job, the same on every node. Immutable once made, so safe to read from any thread.
class Layout {
 public:
  /// A part is a node; nodes may be left without vertices.
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
  /// A node's vertices, by their place there.
  [[nodiscard]] std::span<const VertexId> vertices(NodeId node) const {
    return vertices_.span().subspan(firsts_[node.index()],
                                    firsts_[node.index() + 1] - firsts_[node.index()]);
  }

 private:
  VertexOrder order_ = VertexOrder::Graph;
  std::vector<std::size_t> firsts_;  // of each node's vertices; one more than nodes
  VertexGroups groups_;
  Array<VertexId> vertices_;  // node after node
  Array<LocalIndex> places_;  // by vertex
  Array<PartId> homes_;       // by vertex; empty: all on node 0
};

// One node's part of a job's structure, in handles: for every vertex that lives there, what its update
// reads, local objects first; and for every object met there, which local vertices read it. Values are
// not here: they are the shared memory's. Immutable once made; may borrow the adjacency's arrays.

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

// What all nodes of a job share: who owns which vertex, and the lists their shards are cut from. Borrows
// from the graph, which outlives it. Immutable once made.
struct StructureNeeds {
  Reads reads = Reads::In;
  bool weights = false;
  bool drop_loops = false;
  bool inputs = true;
  bool dependents = false;
  bool degrees = false;  ///< how many arcs leave each vertex
};

class JobStructure {
 public:
  /// `partition` null: made as `how` says. Requires as many parts as nodes (checked).
  static Result<JobStructure> make(const Graph& graph, const StructureNeeds& needs,
                                   std::uint32_t nodes, PartitionOptions how, VertexOrder order,
                                   const Partition* partition);

  /// Any thread.
  [[nodiscard]] Result<Shard> shard(NodeId node) const { return Shard::make(plan(), node); }
  [[nodiscard]] const Layout& layout() const { return *layout_; }
  [[nodiscard]] double partition_seconds() const { return partition_seconds_; }

 private:
  [[nodiscard]] ShardPlan plan() const;

  StructureNeeds needs_;
  const Graph* graph_ = nullptr;
  std::unique_ptr<Layout> layout_;
  std::optional<Adjacency> reads_;
  std::optional<Adjacency> readers_;
  std::vector<std::uint64_t> read_afar_;
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

  /// Of the vertex that `id`'s home computes, by its place there.
  [[nodiscard]] ObjectId operator()(ObjectId id) const {
    const std::uint32_t owner = id.home().value();
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t home = (owner + 1 + id.local().value() % others) % nodes();
    std::uint64_t before = id.local().value() / others;
    for (std::uint32_t earlier = 0; earlier < owner; ++earlier) before += dealt(earlier, home);
    return {NodeId(home), LocalIndex(static_cast<std::uint32_t>(before))};
  }
  /// How many live at a node.
  [[nodiscard]] std::uint32_t count_at(NodeId home) const {
    std::uint64_t count = 0;
    for (std::uint32_t owner = 0; owner < nodes(); ++owner) count += dealt(owner, home.value());
    return static_cast<std::uint32_t>(count);
  }

 private:
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Vertices of `owner` that live at `home`.
  [[nodiscard]] std::uint64_t dealt(std::uint32_t owner, std::uint32_t home) const {
    if (owner == home) return 0;
    const std::uint32_t others = nodes() - 1;
    const std::uint32_t turn = (home + nodes() - owner - 1) % nodes();
    return (counts_[owner] + others - 1 - turn) / others;
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace leeway
