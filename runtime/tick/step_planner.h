// The book-keeping of Algorithms 1, 2 and 3 and of their combination: which levels of which ticks have been
// stepped or received, hence what may be stepped next, what must be sent, and which versions are still
// needed. Pure: knows neither queries nor messages.
//
// One rule holds it together. If level s of tick t has been stepped, level s - 1 of tick t + 1 may be:
// stepping (W_D∘R_D)^s(Q) completes R_D∘(W_D∘R_D)^(s-1)(Q), and for s <= 0 the same is true of R_X and W_X.
// Messages of tick t complete the context of level m there, as if level m + 1 had been stepped.
// So DEPTH[t] of Algorithm 2 is -stepped(t), WIDTH[t] of Algorithm 3 is stepped(t) - 1.
#pragma once

#include <deque>
#include <optional>

#include "leeway/tick_program.h"

namespace leeway::tick {

/// Step level `to` of tick - 1 into tick, but not what level `from` selects, which has been.
struct Step {
  Tick tick{};
  std::optional<Level> from;  ///< nothing has been
  Level to = 0;

  /// Whether this process's own part of the tick is complete after it, and was not before.
  [[nodiscard]] bool completes() const { return to >= 0 && (!from || *from < 0); }
  friend bool operator==(const Step&, const Step&) = default;
};

class StepPlanner {
 public:
  /// Knows tick `first` as if all messages had come; ends with `last`. Requires first <= last.
  StepPlanner(const Parameters& parameters, Tick first, Tick last);

  /// The most useful step that can be done without waiting: the earliest tick's first; of one tick, what
  /// no message can make needless before what one may. Nothing: wait for messages.
  [[nodiscard]] std::optional<Step> next() const;
  /// Requires a step that `next` gave.
  void stepped(const Step& step);

  /// The tick t_w whose messages are waited for, once its own part is complete.
  [[nodiscard]] Tick waiting_for() const { return waiting_; }
  [[nodiscard]] bool can_receive() const { return waiting_ <= own_ && waiting_ < last_; }
  /// All messages of `waiting_for` are in.
  void received();

  /// Whether the neighbours are to be told of `tick` (never of the last).
  [[nodiscard]] bool sends(Tick tick) const;
  /// The last tick whose own part is complete.
  [[nodiscard]] Tick own() const { return own_; }
  [[nodiscard]] bool finished() const { return own_ == last_; }
  /// No step will read an earlier version.
  [[nodiscard]] Tick oldest() const { return oldest_; }
  /// Ticks ahead of `own` of which some level has been stepped.
  [[nodiscard]] std::uint32_t ahead() const;
  /// The level as if of which a tick was stepped; nothing: none. Requires tick >= oldest.
  [[nodiscard]] std::optional<Level> level(Tick tick) const;

 private:
  [[nodiscard]] std::optional<Step> replica_for(Tick tick) const;
  [[nodiscard]] std::optional<Step> inner_of(Tick tick) const;
  std::optional<Level>& entry(Tick tick);

  Parameters parameters_;
  Tick first_, last_;
  Tick own_;
  Tick waiting_;
  Tick oldest_;  // also the last tick that is complete with all its replicas
  std::deque<std::optional<Level>>
      stepped_;  // of oldest_, oldest_ + 1, …; that of oldest_ is m + 1
};

}  // namespace leeway::tick
