// StepPlanner: the state of Algorithms 1, 2 and 3 and of their combination. It records which levels of which ticks
// have been stepped or received, and decides what may be stepped next, what must be sent, and which versions are
// still needed. Pure: knows neither queries nor messages.
//
// One rule covers all of them. If level s of tick t has been stepped, level s - 1 of tick t + 1 may be stepped:
// stepping (W_D∘R_D)^s(Q) completes R_D∘(W_D∘R_D)^(s-1)(Q), and for s <= 0 the same holds with R_X and W_X. The
// messages of tick t complete the context of level m there, as if level m + 1 had been stepped. So DEPTH[t] of
// Algorithm 2 is -stepped(t), and WIDTH[t] of Algorithm 3 is stepped(t) - 1.
#pragma once

#include <deque>
#include <optional>

#include "leeway/tick_program.h"

namespace leeway::tick {

/// Steps level `to` of tick - 1 into tick, without the tuples that level `from` selects, which have been stepped
/// before.
struct Step {
  Tick tick{};
  std::optional<Level> from;  ///< absent: nothing has been stepped
  Level to = 0;

  /// Whether this step completes the process's own part of the tick.
  [[nodiscard]] bool completes() const { return to >= 0 && (!from || *from < 0); }
  friend bool operator==(const Step&, const Step&) = default;
};

/// Plans the steps of one process from tick to tick. Not thread-safe.
class StepPlanner {
 public:
  /// At tick `first` all messages count as received; `last` is the end. Requires first <= last.
  StepPlanner(const SyncParameters& parameters, Tick first, Tick last);

  /// The most useful step that is possible without waiting: of the earliest tick first; within a tick, a step that no
  /// message can make unnecessary before one that a message may. None: wait for messages.
  [[nodiscard]] std::optional<Step> next() const;
  /// Requires a step returned by `next`.
  void stepped(const Step& step);

  /// t_w: the tick whose messages are processed next, once its own part is complete.
  [[nodiscard]] Tick waiting_for() const { return waiting_; }
  [[nodiscard]] bool can_receive() const { return waiting_ <= own_ && waiting_ < last_; }
  /// All messages of tick `waiting_for` have been processed.
  void received();

  /// Whether this process's part of `tick` must be sent to the neighbours (never for the last tick).
  [[nodiscard]] bool sends(Tick tick) const;
  /// The last tick with a complete own part.
  [[nodiscard]] Tick own() const { return own_; }
  [[nodiscard]] bool finished() const { return own_ == last_; }
  /// No step will read an earlier version.
  [[nodiscard]] Tick oldest() const { return oldest_; }
  /// Number of ticks beyond `own` of which a level has been stepped.
  [[nodiscard]] std::uint32_t ahead() const;
  /// The highest level of a tick that has been stepped (or counts as stepped); none: nothing. Requires tick >=
  /// oldest.
  [[nodiscard]] std::optional<Level> level(Tick tick) const;

 private:
  [[nodiscard]] std::optional<Step> replica_for(Tick tick) const;
  [[nodiscard]] std::optional<Step> inner_of(Tick tick) const;
  std::optional<Level>& entry(Tick tick);

  SyncParameters parameters_;
  Tick first_, last_;
  Tick own_;
  Tick waiting_;
  Tick oldest_;  // also the last tick that is complete with all its replicas
  // By tick, from oldest_ on; the entry of oldest_ is m + 1.
  std::deque<std::optional<Level>> stepped_;
};

}  // namespace leeway::tick
