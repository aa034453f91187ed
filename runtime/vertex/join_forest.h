// Connected components within a node (JoinForest).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace leeway {

class ComputeThreads;
class LocalGraph;

/// The connected sets of a node's local vertices and of the copies that it reads, by handle. Immutable once made.
class JoinForest {
 public:
  /// Runs on all threads. Requires a graph with inputs; every arc must have its reverse.
  JoinForest(const LocalGraph& graph, ComputeThreads& threads);

  /// The representative of the handle's set: its smallest handle.
  [[nodiscard]] std::uint32_t of(std::uint32_t handle) const { return root_[handle]; }
  [[nodiscard]] std::span<const std::uint32_t> sets() const { return root_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(root_.size()); }

 private:
  std::vector<std::uint32_t> root_;
};

}  // namespace leeway
