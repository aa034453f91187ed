// What one node tells of its ticks: where its time went, how much it stepped for others, how far ahead it
// ran. Written by the node's engine, read when it is done. Plain data.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/ids.h"
#include "leeway/runtime/residual.h"
#include "leeway/runtime/tick/tick.h"

namespace leeway::tick {

struct Counts {
  std::uint64_t ticks = 0;     ///< own parts completed
  std::uint64_t steps = 0;     ///< calls of STEP
  std::uint64_t stepped = 0;   ///< tuples, own levels
  std::uint64_t ahead = 0;     ///< of those, before the messages of the tick before were in
  std::uint64_t copied = 0;    ///< tuples of others stepped here (replication)
  std::uint64_t messages = 0;  ///< messages to neighbours
  std::uint64_t bytes = 0;     ///< in those
  std::uint64_t most_versions = 0;
  std::uint64_t most_ahead =
      0;                ///< ticks of which something was stepped before the own tick was complete
  Duration step{};      ///< in STEP
  Duration wait{};      ///< with nothing to do
  Duration stepping{};  ///< the thread's processor time in STEP, if it was metered
  Duration own{};       ///< and in all else but waiting
  Instant begin{};
  Instant end{};

  /// Everything that is neither STEP nor waiting.
  [[nodiscard]] Duration runtime() const { return end - begin - step - wait; }

  static constexpr bool kLiesFlat = true;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.begin, self.end);
  }
};

enum class Activity : std::uint8_t { Step, Ahead, Replica, Wait, Barrier };
constexpr Activity last_of(Activity) { return Activity::Barrier; }

/// A stretch of time spent on one thing: the wave of ticks, drawn.
struct ActivitySpan {
  Activity activity = Activity::Step;
  Tick tick{};                 ///< stepped, or waited for
  NodeId on = NodeId::none();  ///< waiting: a node whose message is not in
  Instant begin{};
  Instant end{};

  static constexpr bool kLiesFlat = true;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.activity, self.begin, self.end);
  }
};

/// How far the values of a node's part moved in a tick.
struct MeasuredTick {
  std::uint64_t tick = 0;  ///< counted from the run's first, which is 0
  Residual moved;
};

struct NodeLog {
  Counts counts;
  std::vector<Instant> completed;       ///< own parts, tick by tick
  std::vector<ActivitySpan> spans;      ///< empty unless a trace was asked for
  std::vector<MeasuredTick> residuals;  ///< of own parts; of ticks that were measured, if any were

  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.counts, self.completed, self.spans, self.residuals);
  }
};

}  // namespace leeway::tick
