// Union-find over a node's local vertices and the copies it reads, by which connected ones become one. The
// method is Afforest (Sutton, Ben-Nun & Barak, IPDPS 2018): two inputs of every vertex first, then all of
// those vertices that are not yet in the largest set. One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/base/mix.h"
#include "leeway/runtime/shard.h"

namespace leeway {

class JoinForest {
 public:
  /// Requires a shard with inputs and, where it has remote ones, dependents; arcs that go both ways.
  explicit JoinForest(const Shard& shard)
      : shard_(shard), parent_(std::size_t{shard.local_count()} + shard.remote_count()) {
    std::iota(parent_.begin(), parent_.end(), 0U);
    for (std::uint32_t round = 0; round < kSampled; ++round) join_inputs(round, round + 1, kNobody);
    flatten();
    const std::uint32_t largest = likely_largest();
    join_inputs(kSampled, ~std::uint32_t{0}, largest);
    join_copies(largest);
    flatten();
  }

  /// One member that stands for all of the handle's set: its smallest.
  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const { return parent_[handle]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(parent_.size()); }

 private:
  static constexpr std::uint32_t kSampled = 2;
  static constexpr std::uint32_t kProbes = 1024;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  void join(std::uint32_t a, std::uint32_t b) {
    std::uint32_t first = parent_[a];
    std::uint32_t second = parent_[b];
    while (first != second) {
      if (first < second) std::swap(first, second);
      if (parent_[first] == first) {
        parent_[first] = second;
        return;
      }
      first = std::exchange(parent_[first], parent_[parent_[first]]);
    }
  }

  /// Inputs [from, to) of every local vertex outside the set `but`.
  void join_inputs(std::uint32_t from, std::uint32_t to, std::uint32_t but) {
    const std::uint64_t* offsets = shard_.input_offsets();
    const std::uint32_t* inputs = shard_.inputs();
    for (std::uint32_t v = 0; v < shard_.local_count(); ++v) {
      const std::uint64_t begin = offsets[v] + from;
      const std::uint64_t end = std::min(offsets[v + std::size_t{1}], offsets[v] + to);
      if (begin >= end || (but != kNobody && parent_[v] == but)) continue;
      for (std::uint64_t i = begin; i < end; ++i) join(v, inputs[i]);
    }
  }

  /// Vertices of the largest set were left out, so a copy may lack its arc into it: one is enough.
  void join_copies(std::uint32_t largest) {
    if (shard_.remote_count() == 0) return;
    const std::uint64_t* offsets = shard_.dependent_offsets();
    const std::uint32_t* dependents = shard_.dependents();
    for (std::uint32_t copy = shard_.local_count(); copy < parent_.size(); ++copy) {
      for (std::uint64_t i = offsets[copy]; i < offsets[copy + std::size_t{1}]; ++i) {
        if (parent_[dependents[i]] != largest) continue;
        join(copy, dependents[i]);
        break;
      }
    }
  }

  void flatten() {
    for (std::uint32_t v = 0; v < parent_.size(); ++v) {
      while (parent_[v] != parent_[parent_[v]]) parent_[v] = parent_[parent_[v]];
    }
  }

  [[nodiscard]] std::uint32_t likely_largest() const {
    if (shard_.local_count() == 0) return kNobody;
    std::unordered_map<std::uint32_t, std::uint32_t> seen;
    std::pair<std::uint32_t, std::uint32_t> most{0, kNobody};
    for (std::uint32_t probe = 0; probe < kProbes; ++probe) {
      const std::uint32_t set = parent_[mix64(probe) % shard_.local_count()];
      most = std::max(most, {++seen[set], set});
    }
    return most.second;
  }

  const Shard& shard_;
  std::vector<std::uint32_t> parent_;
};

}  // namespace leeway
