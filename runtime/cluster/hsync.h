// Hsync's choice between rounds in step and asynchronous rounds (Xie et al., PPoPP 2015).
#pragma once

#include <cstdint>

#include "runtime/cluster/schedule.h"

namespace leeway {

/// A time in which all nodes ran in one mode: one round in step, or an asynchronous period.
struct HsyncPeriod {
  Together together = Together::Sync;
  double updates = 0;       ///< values changed, on all nodes
  double seconds = 0;       ///< its length
  double busy_seconds = 0;  ///< mean time in which a node did not wait for the others' rounds
};

/// Compares the throughput of both modes, in updates per second, as PowerSwitch does: that of rounds in step is
/// measured by each such round, that of asynchronous rounds is sampled by running some. An asynchronous round uses older
/// values than a round in step, so `ratio` asynchronous updates count as one update in step. As long as there is no
/// sample, the throughput of asynchronous rounds is predicted as that of nodes that never wait.
///
/// An asynchronous period is followed by a round in step, which is compared with it. If asynchronous rounds were better
/// again, the next period is twice as long; if not, twice as many rounds in step run before the next prediction. Pure:
/// the choice depends on the periods only.
class HsyncChoice {
 public:
  struct HsyncMemory {
    bool sampled = false;
    double apart_rate = 0;  ///< updates per second in the last asynchronous period, if `sampled`
    std::uint32_t apart_length = 0;
    std::uint32_t step_length = 1;  ///< rounds in step until the next prediction
    std::uint32_t steps_left = 0;   ///< of them
    bool first_step = false;  ///< the next round in step directly follows an asynchronous period
  };

  explicit HsyncChoice(double ratio) : ratio_(ratio) {}

  /// A period has ended; returns the mode of the next.
  [[nodiscard]] Together ended(const HsyncPeriod& period);
  /// The length of the next asynchronous period, in rounds in step.
  [[nodiscard]] std::uint32_t apart_length() const { return memory_.apart_length; }

  [[nodiscard]] const HsyncMemory& memory() const { return memory_; }
  void restore(const HsyncMemory& memory) { memory_ = memory; }

 private:
  [[nodiscard]] bool better_apart(const HsyncPeriod& step) const;

  double ratio_;
  HsyncMemory memory_;
};

}  // namespace leeway
