// Hsync's choice between running in step and apart. The first node weighs what a vote takes either way, for by each
// vote everybody has run a round; its next vote carries for how many votes all run apart, and all follow it when that
// vote is decided. So the choice is the same everywhere whatever the nodes' own clocks say. One thread's own.
#pragma once

#include <cstdint>

#include "leeway/runtime/schedule/schedule.h"

namespace leeway {

class Togetherness {
 public:
  /// `chooses`: this is the first of so many nodes.
  Togetherness(bool chooses, std::uint32_t nodes) : chooses_(chooses), nodes_(nodes) {}

  [[nodiscard]] Together now() const { return together_; }
  /// What this node's next vote carries: for how many votes all shall run apart; 0: it asks for nothing.
  [[nodiscard]] std::uint64_t asked() const { return asked_; }

  /// The vote number `votes` has been decided, so many seconds after the one before. All nodes together have computed
  /// for `computing` seconds of them, and the first has asked to run apart for `asked` votes.
  void decided(std::uint32_t votes, double took, double computing, std::uint64_t asked);

 private:
  void choose(std::uint32_t votes, double took, double computing);

  bool chooses_;
  std::uint32_t nodes_;
  Together together_ = Together::Sync;
  std::uint32_t apart_until_ = 0;  // the vote after which all fall into step again

  // What the first node weighs.
  std::uint64_t asked_ = 0;
  double apart_seconds_ = 0;         // a vote took when they last ran apart; 0: they have not
  std::uint32_t apart_votes_ = 1;    // that they last ran apart for
  std::uint32_t in_step_votes_ = 1;  // until it looks again
  std::uint32_t in_step_since_ = 0;  // the vote
  std::uint32_t look_again_at_ = 0;  // the vote
};

}  // namespace leeway
