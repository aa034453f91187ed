// The checking mode's two questions. Does STEP read what R_D does not select? Each step is done once with all
// that is known and once with R_D alone; results that differ name the tuple. And do two processes that step
// the same tuples get the same? Replicas stepped here are held against the originals when those arrive.
#pragma once

#include <optional>
#include <string>

#include "leeway/base/format.h"
#include "leeway/runtime/tick/levels.h"
#include "leeway/runtime/tick/program.h"
#include "leeway/runtime/tick/step_planner.h"

namespace leeway::tick {

/// What `query` selects of `whole`, as a state of its own; whatever lies outside reads as no number.
template <class State>
[[nodiscard]] State restricted(const State& whole, const typename State::Query& query,
                               const typename State::Query& held) {
  State part;
  part.reset(held, held);
  if constexpr (requires { part.poison(); }) part.poison();
  whole.copy(query, part);
  return part;
}

template <TickProgram Program>
[[nodiscard]] Status check_step(const Program& program, const typename Program::State& context,
                                const Levels<Program>& levels, const Step& step) {
  using State = typename Program::State;
  const auto& held = levels.held();
  const auto& inside = levels.at(step.to);
  std::optional<typename Program::Query> outside;
  if (step.from) outside = levels.at(*step.from);
  State results[2];
  const State narrow = restricted(context, program.rd(inside), held);
  for (const bool all : {false, true}) {
    const State& read = all ? context : narrow;
    typename State::Selection to_step;
    read.select(inside, outside, to_step);
    results[all].reset(held, held);
    if constexpr (requires { results[all].poison(); }) results[all].poison();
    program.step(to_step, read, results[all]);
    results[all].mark_own();
  }
  const auto difference = State::difference(results[0], results[1]);
  if (!difference) return {};
  return fail(input_error(
      format("tick {}", step.tick),
      format("STEP reads outside its context: with R_D alone it gives other results than with more "
             "around it: {}",
             *difference),
      "let R_D select all that STEP reads, and STEP read nothing but its context"));
}

/// Remembers the replicas of one tick, to be compared with the originals.
template <TickProgram Program>
class StepCheck {
 public:
  using State = typename Program::State;

  StepCheck(const State& state, const Levels<Program>& levels, std::optional<Level> level)
      : levels_(levels), level_(level.value_or(0)) {
    if (level_ > 0) copies_ = restricted(state, complete(), levels_.held());
  }

  [[nodiscard]] Status compare(const State& received, Tick tick) const {
    if (level_ <= 0) return {};
    const auto difference =
        State::difference(copies_, restricted(received, complete(), levels_.held()));
    if (!difference) return {};
    return fail(input_error(
        format("tick {}", tick),
        format("two nodes have stepped the same tuples and differ: {}", *difference),
        "STEP must give the same wherever it runs: random state belongs into the tuple, and sums "
        "must not depend on the order of tuples"));
  }

 private:
  /// What stepping so many layers completes.
  [[nodiscard]] typename Program::Query complete() const { return levels_.context(level_ - 1); }

  const Levels<Program>& levels_;
  Level level_;
  State copies_;
};

}  // namespace leeway::tick
