// Values of vertices in other nodes' ranges of a graph in parts: asked once (ask_homes), or sent after each change (Halo).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// The halo of one node's range of a graph in parts: the vertices of other ranges that its arcs lead to (ghosts), and
// for each other node the vertices of this range that are its ghosts. Both sides use the same order, so values are
// exchanged without vertex numbers. Not thread-safe.
class Halo {
 public:
  /// `targets`: the targets of the node's arcs, in any range. Collective.
  Halo(Group& group, const VertexRanges& ranges, std::span<const VertexId> targets);

  /// The halo index of a target: its index in this node's range, or the range's size plus the index of the ghost.
  [[nodiscard]] std::uint32_t index(VertexId target) const {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    return place < size_ ? static_cast<std::uint32_t>(place) : size_ + ghosts_.rank(target);
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
    struct CopyRecord {
      std::uint32_t position;
      T value;
    };
    group.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group.for_each_record<CopyRecord>(from, bytes, [&](const CopyRecord& record) {
        const std::uint64_t ghost = first_ghost_[from.index()] + record.position;
        group.require(ghost < ghosts_.count(), from);
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
  VertexSet ghosts_;
  std::vector<std::uint64_t> first_ghost_;  // by node whose range has them
  std::vector<std::vector<std::uint32_t>>
      read_by_;  // by reading node: places of its ghosts here, ascending
};

}  // namespace leeway
