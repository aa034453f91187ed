// The sum over all vertices that a program gathers while a node runs in place (GatheredSum); supersteps sum at their
// barrier (bsp_engine.cc).
#pragma once

#include <cstdint>
#include <optional>

#include "leeway/options.h"
#include "runtime/graph/local_graph.h"
#include "runtime/vertex/kernel.h"
#include "runtime/vertex/pace.h"

namespace leeway {

/// The votes add up the nodes' parts of the sum. Used by the node's main thread.
class GatheredSum {
 public:
  /// `gathers`: false: the engine skips vertices from the start, so the sum must not change.
  GatheredSum(SweepContext& context, SweepKernel& kernel, Pace& pace, bool gathers = true)
      : context_(context), kernel_(kernel), pace_(pace), is_summed_(kernel.traits().gathers) {
    context_.gathers = gathers && kernel.traits().gathers_in_place;
  }

  /// Before the first vote.
  void begin() {
    if (context_.gathers) pace_.gather();
  }
  /// For an engine whose first round does not update all vertices: adds up their present values.
  void add_up() {
    if (is_summed_) mine_ = kernel_.sum_gathered();
  }
  /// Gives the program the newest sum over all nodes; returns whether every vertex must be updated again.
  [[nodiscard]] bool take() {
    if (!is_summed_) return false;
    const std::optional<std::uint64_t> sum = pace_.take_sum();
    return sum && kernel_.give_sum(*sum);
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
  SweepContext& context_;
  SweepKernel& kernel_;
  Pace& pace_;
  const bool is_summed_;
  std::uint64_t mine_ = 0;
};

}  // namespace leeway
