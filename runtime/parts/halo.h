// What one node's range of a graph in parts reads of other ranges: the vertices there that its arcs lead to (its
// ghosts), each once, and in turn which of its own vertices other nodes read. Values of vertices travel along it without a
// vertex's number. One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/base/ids.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/runtime/parts/graph_part.h"
#include "leeway/runtime/parts/vertex_map.h"

namespace leeway {

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

}  // namespace leeway
