// The nested queries of one process, from -lowest to m + 1 (see tick.h), worked out once for a partition:
// the pre-computation that keeps Algorithms 2 and 3 cheap. Immutable.
#pragma once

#include <vector>

#include "leeway/base/check.h"
#include "leeway/runtime/tick/tick.h"

namespace leeway::tick {

template <class Program>
class Levels {
 public:
  using Query = typename Program::Query;

  /// Levels -depth … replicas + 1 of the partition query `own`. Requires both >= 0.
  Levels(const Program& program, const Query& own, Level depth, Level replicas)
      : depth_(depth), replicas_(replicas) {
    for (Level level = 0; level < depth; ++level)
      queries_.push_back(program.rx(program.wx(level == 0 ? own : queries_.back())));
    const std::vector<Query> inner(queries_.rbegin(), queries_.rend());
    queries_ = inner;
    queries_.push_back(own);
    for (Level level = 0; level <= replicas; ++level)
      queries_.push_back(program.wd(program.rd(queries_.back())));
    for (Level level = 0; level <= replicas; ++level) contexts_.push_back(program.rd(at(level)));
  }

  [[nodiscard]] const Query& at(Level level) const {
    LEEWAY_CHECK(level >= -depth_);
    LEEWAY_CHECK(level <= replicas_ + 1);
    return queries_[static_cast<std::size_t>(level + depth_)];
  }
  [[nodiscard]] const Query& own() const { return at(0); }
  /// R_D of a level from 0 to m.
  [[nodiscard]] const Query& context(Level level) const {
    LEEWAY_CHECK(level >= 0);
    LEEWAY_CHECK(level <= replicas_);
    return contexts_[static_cast<std::size_t>(level)];
  }
  /// The context of level m, R_D ∘ (W_D ∘ R_D)^m (Q): what neighbours send, all that is ever held.
  [[nodiscard]] const Query& held() const { return context(replicas_); }
  /// From where tuples can come into `held` within a tick: whose own part meets this is a neighbour.
  [[nodiscard]] const Query& reach() const { return at(replicas_ + 1); }

 private:
  Level depth_, replicas_;
  std::vector<Query> queries_;   // from level -depth up
  std::vector<Query> contexts_;  // from level 0 up
};

}  // namespace leeway::tick
