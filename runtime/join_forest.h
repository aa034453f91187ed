// What is connected within a node: the sets of its local vertices and of the copies it reads, by handle.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/disjoint_sets.h"
#include "leeway/runtime/shard.h"

namespace leeway {

class JoinForest {
 public:
  /// Requires a shard with inputs and, where it has remote ones, dependents; arcs that go both ways.
  explicit JoinForest(const Shard& shard) {
    DisjointSets sets(shard.local_count() + shard.remote_count());
    NeighbourLists<std::uint32_t> copies;
    if (shard.remote_count() > 0) {
      copies = {.first = shard.local_count(),
                .count = shard.remote_count(),
                .offsets = shard.dependent_offsets() + shard.local_count(),
                .targets = shard.dependents()};
    }
    join_sampled<std::uint32_t>(
        sets,
        {.count = shard.local_count(), .offsets = shard.input_offsets(), .targets = shard.inputs()},
        copies);
    sets.flatten();
    root_ = sets.take();
  }

  /// One member that stands for all of the handle's set: its smallest.
  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const { return root_[handle]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(root_.size()); }

 private:
  std::vector<std::uint32_t> root_;
};

}  // namespace leeway
