// What a scheduler is told of one worker, and what it answers (AAP §3). Schedulers are pure: they ask no
// clock and wait for nobody; the engine gathers the progress, and waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "leeway/base/clock.h"
#include "leeway/base/id.h"

namespace leeway {

/// Rounds of computation a worker has completed; PEval is the first.
using Round = Id<struct RoundTag, std::uint32_t>;

/// How Hsync runs at the moment (Xie et al., PPoPP 2015).
enum class Together : std::uint8_t { Sync, Async };

/// What a worker gathers before its next round.
struct Target {
  double messages = 0;  ///< L_i
  double seconds = 0;   ///< T_L when it was set, from when the worker could have run
  friend bool operator==(const Target&, const Target&) = default;
};

struct WorkerProgress {
  Round round{0};                  ///< r_i
  Round slowest{0};                ///< r_min, of the workers that have something to do
  Round fastest{0};                ///< r_max
  std::uint64_t staleness = 0;     ///< eta_i: messages in the buffer
  double round_seconds = 0;        ///< t_i: what the next round is predicted to take
  double arrival_rate = 0;         ///< s_i: messages a second, by localized mean
  double mean_arrival_rate = 0;    ///< of all workers whose rate is known
  std::uint32_t senders = 0;       ///< active workers that send to it
  std::uint32_t fast_senders = 0;  ///< of these, the ones at least twice as fast
  /// Delta t_i s_i by each sender's own pace: messages due within Delta t_i, and when the last is.
  std::uint32_t expected = 0;
  double expected_seconds = 0;
  /// When each sender's next message has come, by its own pace: seconds from now, rising; no later than
  /// t_i after the worker could have run. The caller's.
  std::span<const double> due;
  double idle_seconds = 0;  ///< T_idle: since it could have run
  // Where messages are paced (pie/update_sender.h), what peers owe. Who waits for it must still answer: the engine sees to that.
  bool must_hear_first =
      false;  ///< what the next round makes could not be sent before more have answered
  double answers_seconds = 0;  ///< how long peers that owe an answer are worth waiting for yet
  /// What comes later would help no more than if it were here now: L_i is 0.
  bool waits_in_vain = false;
  /// L_i, once it has been set for the round to come.
  std::optional<Target> target;
  Together together = Together::Sync;  ///< Hsync's
};

enum class NextRound : std::uint8_t {
  Run,
  Hold,     ///< ask again when `hold` is over, or something arrives
  Suspend,  ///< ask again when something arrives
};

struct Decision {
  NextRound next = NextRound::Run;
  Duration hold{};               ///< DS_i, of a Hold
  std::optional<Target> target;  ///< to be handed back until the next round has run

  [[nodiscard]] static Decision run() { return {}; }
  [[nodiscard]] static Decision suspend() { return {NextRound::Suspend, {}, {}}; }
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace leeway
