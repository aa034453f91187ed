// Arcs on their way to the nodes that will hold them. Who sends names the node and what the arc's source is called
// there; who receives gets, for its own sources, the arcs in the order of the senders and of what each sent.
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
#include "datasets/build_graph.h"
#include "leeway/graph.h"
#include "leeway/result.h"
#include "runtime/cluster/exchange.h"
#include "runtime/graph/division.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/shard.h"
#include "runtime/vertex/vertex_job.h"

namespace leeway {

/// One step of an exchange. Collective: made by all, `finish`ed by all.
class ArcExchange {
 public:
  /// `kind`: what weights travel with the arcs; the same at all nodes.
  ArcExchange(Exchange& exchange, WeightKind kind);

  void send(NodeId to, VertexId source, VertexId target, double weight = 0, double imaginary = 0);
  /// Blocks until all arcs are where they belong.
  Result<EdgeList> finish();

 private:
  struct PlainArc {
    VertexId source, target;
  };
  struct WeightedArc {
    VertexId source, target;
    double weight;
  };
  struct Complex {
    VertexId source, target;
    double weight, imaginary;
  };
  void take(NodeId from, std::span<const std::byte> bytes);
  void pack(NodeId from);

  Exchange& exchange_;
  WeightKind kind_;
  MessageBatcher<PlainArc> plain_;
  MessageBatcher<WeightedArc> weighted_;
  MessageBatcher<Complex> complex_;
  std::vector<EdgeChunkBuilder> builders_;      // by sender
  std::vector<std::vector<EdgeChunk>> chunks_;  // by sender
  Status packed_;
};

// Lists of neighbours of one node's own vertices, on their way from the ranges of a graph in parts to where the
// vertices live.
struct PartLists {
  std::vector<VertexId> vertices;  ///< ascending
  Array<std::uint32_t> degrees;    ///< arcs that leave each in the graph
  Array<std::uint64_t> offsets;
  Array<VertexId> targets;  ///< numbers of the whole graph; may be views of a file
  Array<double> weights;
};

/// What updates of the range's vertices read. Takes the arcs out of the part. Collective.
Result<PartLists> read_lists(Exchange& exchange, GraphPart& part, Reads reads, bool weights);

/// The same lists, each at its vertex' home. Collective.
Result<PartLists> move_home(Exchange& exchange, PartLists lists, const Division& division);

/// The arcs of all nodes turned round: for each vertex of the range, the sources of its incoming arcs, ascending.
/// Collective.
Result<GraphParts> turn_arcs(Exchange& exchange, const GraphPart& part, bool weights);

// What one node's range of a graph in parts reads of other ranges: the vertices there that its arcs lead to (its
// ghosts), each once, and in turn which of its own vertices other nodes read. Values of vertices travel along it without a
// vertex's number. One thread's own.
class Halo {
 public:
  /// `targets`: what the node's arcs lead to, in its own range or another. Collective.
  Halo(Exchange& exchange, const VertexRanges& ranges, std::span<const VertexId> targets);

  /// Ascending.
  [[nodiscard]] std::span<const VertexId> ghosts() const { return ghosts_; }
  /// A target's number here: its place in the own range, or the range's size and the number of the ghost.
  [[nodiscard]] std::uint32_t index(VertexId target) const {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    return place < size_ ? static_cast<std::uint32_t>(place) : size_ + numbers_.at(target);
  }
  /// Of the own range and the ghosts together.
  [[nodiscard]] std::uint32_t indices() const {
    return size_ + static_cast<std::uint32_t>(ghosts_.size());
  }

  /// `value(place)` of the own vertices from place `begin` to before `end` for which `told(place)` holds goes to all
  /// who read them; what comes is `put(index, value)`. Collective.
  template <class T, class Told, class ValueOf, class Put>
  void tell(Exchange& exchange, std::uint32_t begin, std::uint32_t end, const Told& told,
            const ValueOf& value, const Put& put) const {
    struct Record {
      std::uint32_t position;
      T value;
    };
    exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
      exchange.for_each_record<Record>(from, bytes, [&](const Record& record) {
        const std::uint64_t ghost = first_ghost_[from.index()] + record.position;
        exchange.require(ghost < ghosts_.size(), from);
        put(size_ + static_cast<std::uint32_t>(ghost), record.value);
      });
    });
    MessageBatcher<Record> batcher(exchange);
    for (std::uint32_t node = 0; node < read_by_.size(); ++node) {
      const std::vector<std::uint32_t>& read = read_by_[node];
      auto at = std::lower_bound(read.begin(), read.end(), begin);
      for (; at != read.end() && *at < end; ++at) {
        if (told(*at))
          batcher.add(NodeId(node), {static_cast<std::uint32_t>(at - read.begin()), value(*at)});
      }
    }
    batcher.flush();
    exchange.end();
  }

 private:
  std::uint64_t first_;
  std::uint32_t size_;
  std::vector<VertexId> ghosts_;
  std::vector<std::uint64_t> first_ghost_;           // by the node in whose range they are
  VertexMap numbers_;                                // of ghosts
  std::vector<std::vector<std::uint32_t>> read_by_;  // places, ascending, by who reads them
};

// What one node of a job holds of a graph that lies in parts: its own vertices, what their updates read, and where what
// is read lives. Made of the arcs in the ranges, which are handed on to where each vertex lives. Nothing in it is as long
// as the graph has vertices. Immutable once made.
class PartStructure {
 public:
  /// Takes the arcs out of `part`, which keeps its names. `known` as in Division::make. Collective.
  static Result<PartStructure> make(Exchange& exchange, GraphPart& part,
                                    const StructureNeeds& needs, const PartitionOptions& how,
                                    VertexOrder order, const Partition* known);

  /// Once; the structure outlives it.
  [[nodiscard]] Result<Shard> shard();
  /// Those that live here, by place.
  [[nodiscard]] std::span<const VertexId> vertices() const { return vertices_; }
  /// What it took to say who lives where, all nodes together.
  [[nodiscard]] double division_seconds() const { return division_seconds_; }

 private:
  StructureNeeds needs_;
  std::vector<VertexId> vertices_;
  ShardArrays arrays_;
  double division_seconds_ = 0;
};

/// Brings what the nodes have of their vertices to the nodes in whose ranges these are, `size` bytes each: what this
/// node's range has, in order. Collective.
[[nodiscard]] std::vector<std::byte> bring_to_ranges(Exchange& exchange, const VertexRanges& ranges,
                                                     std::span<const VertexId> vertices,
                                                     std::span<const std::byte> values,
                                                     std::size_t size);

/// True if every arc has its reverse. Collective.
Result<bool> is_symmetric(Exchange& exchange, const GraphPart& part);

// Runs a vertex program on a graph that lies in parts, one a process: shards are made of what the processes send each
// other, and results come to the ranges of the graph's vertices, never to one node.
class Exchange;

/// Runs it. Takes the arcs out of `part`; `results` are those of the vertices of this node's range, in order. Collective.
Result<RunRecord> run_part_job(GraphPart& part, const VertexJob& job, const RunOptions& options,
                               std::vector<std::byte>& results);

/// A run of its own in which the nodes of a job exchange what they like. An error ends it for all. Collective.
Status exchange_parts(const ClusterOptions& cluster, const std::function<Status(Exchange&)>& body);

/// The sum of what each node has, summed in the order of nodes. Collective.
Result<double> sum_of_parts(const ClusterOptions& cluster, double mine);

// What the nodes of a job have of a result, each of its own range of vertices, brought to where it is wanted without
// any node holding all of it.

/// What vertices of any range are called: each of `vertices` once. Collective.
Result<std::unordered_map<std::uint32_t, std::string>> names_of(
    Exchange& exchange, const GraphPart& part, std::span<const std::uint64_t> vertices);

/// The vertex called so, if there is one. Collective.
[[nodiscard]] VertexId find_vertex(Exchange& exchange, const GraphPart& part,
                                   std::string_view name);

/// Everybody's text, node after node, to node 0's `take`, a piece at a time: at most `most` bytes are there at once. A
/// failure of `take` ends it for all. Collective.
Status stream_text(Exchange& exchange,
                   const std::function<std::string(std::size_t most)>& next_piece,
                   const std::function<Status(std::string_view)>& take);

/// Everybody's values, node after node, at node 0: for who has room for them. Collective.
template <class T>
std::vector<T> gather_values(Exchange& exchange, std::span<const T> mine) {
  std::vector<std::vector<T>> lists(exchange.count());
  lists[0].assign(mine.begin(), mine.end());
  std::vector<T> all;
  for (const auto& list : exchange.swap(lists)) all.insert(all.end(), list.begin(), list.end());
  return all;
}

}  // namespace leeway
