// The structure of a job on a graph in parts: moving arcs between nodes (ArcExchange), the halo of a range (Halo), a
// node's shard of the graph (PartStructure), and the names of vertices in any part. Each function is called by the main thread of every node. An error of one node ends a collective step for all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/check.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/shard.h"

namespace leeway {

/// Moves arcs to the nodes that will hold them: one step of data. The sender gives the node, and the arc's
/// source as the receiver numbers it. The receiver gets its arcs ordered by sender and sending order. Collective:
/// constructed and finished by all nodes.
class ArcExchange {
 public:
  /// `kind`: the weights that are sent with the arcs; the same at all nodes.
  ArcExchange(Group& group, WeightKind kind);

  void send(NodeId to, VertexId source, VertexId target, double weight = 0, double imaginary = 0);
  /// Blocks until all arcs have arrived.
  Result<EdgeList> finish();

 private:
  struct PlainArc {
    VertexId source, target;
  };
  struct WeightedArc {
    VertexId source, target;
    double weight;
  };
  struct ComplexArc {
    VertexId source, target;
    double weight, imaginary;
  };
  void take(NodeId from, std::span<const std::byte> bytes);
  void pack(NodeId from);

  Group& group_;
  WeightKind kind_;
  MessageBatcher<PlainArc> plain_;
  MessageBatcher<WeightedArc> weighted_;
  MessageBatcher<ComplexArc> complex_;
  std::vector<EdgeChunkBuilder> builders_;      // by sender
  std::vector<std::vector<EdgeChunk>> chunks_;  // by sender
  Status pack_status_;
};

/// For each vertex in `requested`, the value that the node of its range has in `mine`. Collective.
template <class T>
std::vector<T> ask_homes(Group& group, const VertexRanges& ranges,
                         std::span<const VertexId> requested, std::span<const T> mine) {
  ByNode<VertexId> asked(group.count());
  for (const VertexId v : requested) asked[ranges.home(v).index()].push_back(v);
  ByNode<T> answers(group.count());
  const auto questions = group.swap(asked);
  const std::uint64_t first = ranges.first(group.self());
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    for (const VertexId v : questions[node]) {
      group.require(v.value() - first < mine.size(), NodeId(node));
      answers[node].push_back(mine[v.value() - first]);
    }
  }
  const auto received = group.swap_answers(answers, lengths(asked));
  std::vector<std::size_t> next(group.count(), 0);
  std::vector<T> values;
  values.reserve(requested.size());
  for (const VertexId v : requested) {
    const std::size_t node = ranges.home(v).index();
    values.push_back(received[node][next[node]++]);
  }
  return values;
}

// Neighbour lists of some vertices: first of a range of a graph in parts, then of the vertices whose home is this
// node.
struct PartLists {
  std::vector<VertexId> vertices;  ///< ascending
  Array<std::uint32_t> degrees;    ///< out-degree of each in the graph
  Array<std::uint64_t> offsets;
  Array<VertexId> targets;  ///< numbers in the whole graph; may be a view of a mapped file
  Array<double> weights;
};

/// Reverses the arcs of all nodes: for each vertex of the range, the sources of its incoming arcs, ascending.
/// Collective.
Result<GraphParts> reverse_arcs(Group& group, const GraphPart& part, bool weights);

// The halo of one node's range of a graph in parts: the vertices of other ranges that its arcs lead to (ghosts), and
// for each other node the vertices of this range that are its ghosts. Both sides use the same order, so values are
// exchanged without vertex numbers. Not thread-safe.
class Halo {
 public:
  /// `targets`: the targets of the node's arcs, in any range. Collective.
  Halo(Group& group, const VertexRanges& ranges, std::span<const VertexId> targets);

  /// Ascending.
  [[nodiscard]] std::span<const VertexId> ghosts() const { return ghosts_; }
  /// The halo index of a target: its index in this node's range, or the range's size plus the index of the ghost.
  [[nodiscard]] std::uint32_t index(VertexId target) const {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    return place < size_ ? static_cast<std::uint32_t>(place) : size_ + numbers_.at(target);
  }
  /// Number of halo indices: this range and its ghosts.
  [[nodiscard]] std::uint32_t indices() const {
    return size_ + static_cast<std::uint32_t>(ghosts_.size());
  }

  /// Sends `value(place)` of this range's vertices in [begin, end) for which `selected(place)` is true to all nodes
  /// that read them; calls put(index, value) for each received value. Collective.
  template <class T, class Selected, class ValueOf, class Put>
  void publish(Group& group, std::uint32_t begin, std::uint32_t end, const Selected& selected,
               const ValueOf& value, const Put& put) const {
    struct CopyRecord {
      std::uint32_t position;
      T value;
    };
    group.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group.for_each_record<CopyRecord>(from, bytes, [&](const CopyRecord& record) {
        const std::uint64_t ghost = first_ghost_[from.index()] + record.position;
        group.require(ghost < ghosts_.size(), from);
        put(size_ + static_cast<std::uint32_t>(ghost), record.value);
      });
    });
    MessageBatcher<CopyRecord> batcher(group);
    for (std::uint32_t node = 0; node < read_by_.size(); ++node) {
      const std::vector<std::uint32_t>& read = read_by_[node];
      auto at = std::lower_bound(read.begin(), read.end(), begin);
      for (; at != read.end() && *at < end; ++at) {
        if (selected(*at))
          batcher.add(NodeId(node), {static_cast<std::uint32_t>(at - read.begin()), value(*at)});
      }
    }
    batcher.flush();
    group.end();
  }

 private:
  std::uint64_t first_;
  std::uint32_t size_;
  std::vector<VertexId> ghosts_;
  std::vector<std::uint64_t> first_ghost_;  // by node whose range has them
  VertexMap numbers_;                       // index of each ghost
  std::vector<std::vector<std::uint32_t>>
      read_by_;  // by reading node: places of its ghosts here, ascending
};

// One node's structure of a graph in parts: its vertices, their inputs, and the homes of its remote inputs. Made from
// the arcs in the ranges, which are moved to their vertices' homes. No array has an entry for every vertex of the
// graph. Immutable once made.
class PartStructure {
 public:
  /// Consumes the arcs of `part`; its names stay. `known`: as in Division::make. Collective.
  static Result<PartStructure> make(Group& group, GraphPart& part, const StructureNeeds& needs,
                                    const PartitionOptions& how, VertexOrder order,
                                    const Partition* known);

  /// Call once. The structure must outlive the shard.
  [[nodiscard]] Result<Shard> shard();
  /// This node's vertices, by local index.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  /// Time to determine all homes, by all nodes together.
  [[nodiscard]] double division_seconds() const { return division_seconds_; }

 private:
  StructureNeeds needs_;
  std::vector<VertexId> vertices_;
  ShardArrays arrays_;
  double division_seconds_ = 0;
};

/// True if every arc has its reverse. Collective.
Result<bool> is_symmetric(Group& group, const GraphPart& part);

/// The names of `vertices`, which may be in any range. Collective.
Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Group& group, const GraphPart& part, std::span<const std::uint64_t> vertices);

/// The vertex with this name, or none. Collective.
[[nodiscard]] VertexId find_vertex(Group& group, const GraphPart& part, std::string_view name);

}  // namespace leeway
