// What is connected within a node: the sets of its local vertices and of the copies it reads, by handle.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/disjoint_sets.h"
#include "leeway/runtime/parallel.h"
#include "leeway/runtime/shard.h"

namespace leeway {

class JoinForest {
 public:
  /// On all threads. Requires a shard with inputs and, where it has remote ones, dependents; arcs that go both ways.
  JoinForest(const Shard& shard, ComputeThreads& threads) {
    DisjointSets sets(shard.local_count() + shard.remote_count());
    NeighbourLists<std::uint32_t> copies;
    if (shard.remote_count() > 0) {
      copies = {.first = shard.local_count(),
                .count = shard.remote_count(),
                .offsets = shard.dependent_offsets() + shard.local_count(),
                .targets = shard.dependents()};
    }
    const NeighbourLists<std::uint32_t> lists{
        .count = shard.local_count(), .offsets = shard.input_offsets(), .targets = shard.inputs()};
    if (threads.count() == 1) {
      join_sampled(sets, lists, copies);
      sets.flatten();
    } else {
      const AllThreads loop{threads};
      join_sampled(sets, lists, copies, loop);
      sets.flatten(loop);
    }
    root_ = sets.take();
  }

  /// One member that stands for all of the handle's set: its smallest.
  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const { return root_[handle]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(root_.size()); }

 private:
  struct AllThreads {
    static constexpr bool kShared = true;
    ComputeThreads& threads;
    template <class Body>
    void operator()(std::uint32_t count, const Body& body) const {
      threads.for_chunks(count, threads.grain(count), [&](std::size_t begin, std::size_t end) {
        body(static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end));
      });
    }
  };

  std::vector<std::uint32_t> root_;
};

}  // namespace leeway
