// Whom one process writes to and hears from: derived from DISJOINT alone (Section 5.1), once for a
// partition. Immutable.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/runtime/tick/levels.h"

namespace leeway::tick {

template <class Program>
class Neighbours {
 public:
  using Query = typename Program::Query;

  struct Reader {
    NodeId node{};
    Query wanted;  ///< what it holds of the state: R_D ∘ (W_D ∘ R_D)^m (Q_j)
  };

  Neighbours(const Program& program, std::span<const Query> parts, NodeId self,
             const Levels<Program>& levels, Level lowest, Level replicas) {
    for (std::uint32_t j = 0; j < parts.size(); ++j) {
      if (NodeId(j) == self) continue;
      const Levels<Program> theirs(program, parts[j], 0, replicas);
      if (!program.disjoint(levels.own(), theirs.reach()))
        readers_.push_back({NodeId(j), theirs.held()});
      if (!program.disjoint(parts[j], levels.reach())) writers_.push_back(NodeId(j));
    }
    // The widest inner level that nobody else wants anything of.
    for (Level level = 0; level >= lowest && !private_; --level) {
      bool wanted = false;
      for (const Reader& reader : readers_)
        wanted = wanted || !program.disjoint(reader.wanted, levels.at(level));
      if (!wanted) private_ = levels.at(level);
    }
  }

  /// Whose reach this process's part meets.
  [[nodiscard]] std::span<const Reader> readers() const { return readers_; }
  /// Whose part meets this process's reach.
  [[nodiscard]] std::span<const NodeId> writers() const { return writers_; }
  /// What no reader wants, if some level is like that.
  [[nodiscard]] const std::optional<Query>& private_part() const { return private_; }

 private:
  std::vector<Reader> readers_;
  std::vector<NodeId> writers_;
  std::optional<Query> private_;
};

}  // namespace leeway::tick
