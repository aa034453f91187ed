// The sum over all vertices that a program gathers while a node runs in place (GatheredSum): supersteps sum at their
// barrier (bsp_engine.h).
#pragma once

#include <cstdint>
#include <optional>

#include "leeway/options.h"
#include "leeway/vertex.h"
#include "runtime/vertex/pace.h"
#include "runtime/vertex/sweeper.h"

namespace leeway {

/// The votes add up the nodes' parts of the sum. Used by the node's main thread.
template <class P>
class GatheredSum {
 public:
  /// `gathers`: false: the engine skips vertices from the start, so the sum must not change.
  GatheredSum(SweepContext<P>& context, P& program, Pace& pace, bool gathers = true)
      : context_(context), program_(program), pace_(pace) {
    context_.gathers = gathers && gathers_in_place(program);
  }

  /// Before the first vote.
  void begin() {
    if (context_.gathers) pace_.gather();
  }
  /// For an engine whose first round does not update all vertices: adds up their present values.
  void add_up() {
    if constexpr (GatheringProgram<P>) mine_ = sum_gathered(context_);
  }
  /// Gives the program the newest sum over all nodes; returns whether every vertex must be updated again.
  [[nodiscard]] bool take() {
    if constexpr (GatheringProgram<P>) {
      const std::optional<std::uint64_t> sum = pace_.take_sum();
      return sum && give_sum(program_, *sum);
    } else {
      return false;
    }
  }
  /// Over this node's values.
  [[nodiscard]] std::uint64_t mine() const { return mine_; }
  /// After a round that changed `changed` values; `mine`: over the node's values now.
  void ran(std::uint64_t mine, std::uint64_t changed) {
    if (!context_.gathers) return;
    mine_ = mine;
    pace_.give_sum(mine, are_few(changed, context_.graph.local_count()));
  }
  /// Whether vertices may be skipped.
  [[nodiscard]] bool is_settled() const { return !context_.gathers || pace_.had_last_sum(); }

 private:
  SweepContext<P>& context_;
  P& program_;
  Pace& pace_;
  std::uint64_t mine_ = 0;
};

}  // namespace leeway
