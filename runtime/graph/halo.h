// Values of vertices in other nodes' ranges of a graph in parts: asked once (ask_homes), or sent after each change (Halo).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/ids.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"
#include "runtime/graph/vertex_set.h"

namespace leeway {

/// For each vertex in `requested`, the value that the node of its range has in `mine`. Collective.
template <class T>
std::vector<T> ask_homes(Group& group, const VertexRanges& ranges,
                         std::span<const VertexId> requested, std::span<const T> mine) {
  std::vector<NodeId> homes;
  homes.reserve(requested.size());
  for (const VertexId v : requested) homes.push_back(ranges.home(v));
  const std::uint64_t first = ranges.first(group.self());
  return ask<T>(group, std::span<const NodeId>(homes), requested, [&](VertexId v, NodeId from) {
    group.require(v.value() - first < mine.size(), from);
    return mine[v.value() - first];
  });
}

// The halo of one node's range of a graph in parts: the vertices of other ranges that its arcs lead to (ghosts), and
// for each other node the vertices of this range that are its ghosts. Both sides use the same order, so values are
// exchanged without vertex numbers. Not thread-safe.
class Halo {
 public:
  /// `ends`: lists of vertices that the node's arcs lead to, in any range. Collective.
  Halo(Group& group, const VertexRanges& ranges,
       std::initializer_list<std::span<const VertexId>> ends);

  /// The halo index of a target: its index in this node's range, or the range's size plus the index of the ghost.
  [[nodiscard]] std::uint32_t index(VertexId target) const {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    return place < size_ ? static_cast<std::uint32_t>(place) : size_ + ghosts_.rank(target);
  }
  /// Whether the vertex has a halo index.
  [[nodiscard]] bool has(VertexId vertex) const {
    return std::uint64_t{vertex.value()} - first_ < size_ || ghosts_.has(vertex);
  }
  /// In the order of their indices.
  template <class Use>
  void for_each_ghost(const Use& use) const {
    ghosts_.for_each(use);
  }
  /// Number of halo indices: this range and its ghosts.
  [[nodiscard]] std::uint32_t indices() const { return size_ + ghosts_.count(); }

  /// Sends `value(place)` of this range's vertices in [begin, end) for which `selected(place)` is true to all nodes
  /// that read them; calls put(index, value) for each received value. Collective.
  template <class T, class Selected, class ValueOf, class Put>
  void publish(Group& group, std::uint32_t begin, std::uint32_t end, const Selected& selected,
               const ValueOf& value, const Put& put) const {
    group.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group.for_each_record<CopyRecord<T>>(from, bytes, [&](const CopyRecord<T>& record) {
        const std::uint64_t ghost = first_ghost_[from.index()] + record.position;
        group.require(ghost < ghosts_.count(), from);
        put(size_ + static_cast<std::uint32_t>(ghost), record.value);
      });
    });
    MessageBatcher<CopyRecord<T>> batcher(group);
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
  /// The reverse: sends `value(index)` of the ghosts for which `selected(index)` is true to the nodes in whose ranges they are;
  /// calls put(place, value) for each received value. Collective.
  template <class T, class Selected, class ValueOf, class Put>
  void give_back(Group& group, const Selected& selected, const ValueOf& value,
                 const Put& put) const {
    group.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group.for_each_record<CopyRecord<T>>(from, bytes, [&](const CopyRecord<T>& record) {
        const std::vector<std::uint32_t>& read = read_by_[from.index()];
        group.require(record.position < read.size(), from);
        put(read[record.position], record.value);
      });
    });
    MessageBatcher<CopyRecord<T>> batcher(group);
    for (std::uint32_t node = 0; node < first_ghost_.size(); ++node) {
      for (std::uint64_t ghost = first_ghost_[node]; ghost < end_of_ghosts(node); ++ghost) {
        const std::uint32_t index = size_ + static_cast<std::uint32_t>(ghost);
        if (!selected(index)) continue;
        batcher.add(NodeId(node),
                    {static_cast<std::uint32_t>(ghost - first_ghost_[node]), value(index)});
      }
    }
    batcher.flush();
    group.end();
  }
  /// The node in whose range a ghost is.
  [[nodiscard]] NodeId home(std::uint32_t index) const {
    const auto after =
        std::upper_bound(first_ghost_.begin(), first_ghost_.end(), std::uint64_t{index} - size_);
    return NodeId(static_cast<std::uint32_t>(after - first_ghost_.begin() - 1));
  }

 private:
  /// `position`: of the vertex among the ghosts of the reading node that the other has.
  template <class T>
  struct CopyRecord {
    std::uint32_t position;
    T value;
  };
  [[nodiscard]] std::uint64_t end_of_ghosts(std::uint32_t node) const {
    return node + 1 < first_ghost_.size() ? first_ghost_[node + 1] : ghosts_.count();
  }

  std::uint64_t first_;
  std::uint32_t size_;
  VertexSet ghosts_;
  std::vector<std::uint64_t> first_ghost_;  // by node whose range has them
  std::vector<std::vector<std::uint32_t>>
      read_by_;  // by reading node: places of its ghosts here, ascending
};

}  // namespace leeway
