// What the nodes whose values this one reads tell of their rounds: an object a node, in a space of its own,
// whose new value is pushed to whoever reads it. Messages of a pair arrive in order, so when a round's news is
// here, so is all that was published before. One thread's own.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "leeway/dsm/dsm.h"
#include "leeway/runtime/schedule/round_statistics.h"

namespace leeway {

class PeerProgress {
 public:
  /// Collective. `peers`: whose news this node wants, ascending. `one_clock`: all nodes' clocks agree.
  static Result<PeerProgress> open(Node& node, std::span<const NodeId> peers, bool one_clock);

  /// Tells of this node's last round; what was stored but not announced goes first.
  void tell(const RoundNews& news);

  /// Calls `use(news)` for every peer that has told something since the last call.
  template <class Use>
  void take(Use&& use) {
    dsm_.space().take_changed([&](MetIndex met) { use(news_of(met)); });
  }

 private:
  PeerProgress(Dsm<RoundNews> dsm, std::size_t peers, bool one_clock)
      : dsm_(dsm), one_clock_(one_clock), ahead_by_(peers, Duration::max()) {}

  RoundNews news_of(MetIndex met);

  Dsm<RoundNews> dsm_;
  bool one_clock_;
  std::vector<Duration>
      ahead_by_;  // by met object: what its clock lacks to ours, and the least way here
};

}  // namespace leeway
