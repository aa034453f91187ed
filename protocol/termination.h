// When an iterative computation is over (ASPIRE §4.2, Termination Semantics): nobody votes to continue,
// no stale value was used in the last iteration, and nothing was in flight during it. In flight is
// counted, never timed: if as many messages that carry news had been handled at the end of the iteration
// before as have been sent by the end of this one, then none travelled in between (the four-counter
// argument). Reads and their replies need not be counted: a copy that is read is as new as its home.
#pragma once

#include <cstdint>
#include <span>

namespace leeway {

enum class Verdict { Continue, Converged };

/// The sums over all nodes at the end of an iteration.
struct IterationTotals {
  std::uint64_t votes = 0;       ///< nodes that vote to continue
  std::uint64_t stale_used = 0;  ///< stale values used in this iteration
  std::uint64_t sent = 0;        ///< messages that carry news, since the start
  std::uint64_t handled = 0;     ///< of those, handled
};

/// Fed the same totals on every node, so every node reaches the same verdict.
class Termination {
 public:
  Verdict decide(const IterationTotals& totals) {
    const std::uint64_t handled_before = handled_before_;
    handled_before_ = totals.handled;
    const bool quiet = totals.sent == handled_before;
    const bool fresh = totals.stale_used == 0;
    const bool agreed = totals.votes == 0;
    return quiet && fresh && agreed ? Verdict::Converged : Verdict::Continue;
  }

 private:
  std::uint64_t handled_before_ = ~std::uint64_t{0};  // no iteration before the first
};

}  // namespace leeway
