// STEP on a node's threads: the tuples to step are dealt out in stretches, for a step reads one version and writes
// another. What comes out is the same, to the bit and in the same order, however many threads there are.
#pragma once

#include <cstddef>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/runtime/parallel.h"
#include "leeway/runtime/tick/program.h"

namespace leeway::tick {

/// A state whose selections can be dealt out: `Selection::stretch(number, of, found)` is the number-th of `of`
/// stretches, one after the other the whole. Steps write to places of their own in one `result`, or, where the state
/// has `take`, into states of their own, which the result takes in turn.
template <class State>
concept SplitState = requires(const typename State::Selection& whole, std::size_t number,
                              typename State::Selection& found) {
  { whole.stretch(number, number, found) } -> std::same_as<void>;
};

/// One node's. A program whose steps share something that is made when first asked for has `ready(context)`, which
/// makes it.
template <TickProgram Program>
class ThreadedStep {
 public:
  using Query = typename Program::Query;
  using State = typename Program::State;

  ThreadedStep(const Program& program, unsigned threads) : program_(program), threads_(threads) {}

  [[nodiscard]] unsigned threads() const { return threads_.count(); }

  /// `own` and `held` as `result` has been reset with.
  void step(const typename State::Selection& to_step, const State& context, const Query& own,
            const Query& held, State& result) {
    const Instant begin = clock_.now();
    const bool apart = SplitState<State> && length_.worth_threads(to_step.size());
    if (apart) {
      if constexpr (SplitState<State>) step_apart(to_step, context, own, held, result);
    } else {
      program_.step(to_step, context, result);
    }
    length_.took(to_step.size(), clock_.now() - begin, apart);
  }

 private:
  static constexpr std::size_t kStretches =
      4;  ///< a thread's, so that none waits long for the last

  void step_apart(const typename State::Selection& to_step, const State& context, const Query& own,
                  const Query& held, State& result) {
    const std::size_t count = kStretches * threads();
    stretches_.resize(count);
    for (std::size_t i = 0; i < count; ++i) to_step.stretch(i, count, stretches_[i]);
    if constexpr (requires { program_.ready(context); }) program_.ready(context);
    if constexpr (requires { result.take(result); }) {
      results_.resize(count);
      each(count, [&](std::size_t i) {
        results_[i].reset(own, held);
        program_.step(stretches_[i], context, results_[i]);
      });
      for (const State& part : results_) result.take(part);
    } else {
      each(count, [&](std::size_t i) { program_.step(stretches_[i], context, result); });
    }
  }

  template <class Body>
  void each(std::size_t count, Body&& body) {
    threads_.for_chunks(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }

  const Program& program_;
  ComputeThreads threads_;
  SteadyClock clock_;
  LoopLength length_{threads_.count(), std::chrono::nanoseconds(100)};
  std::vector<typename State::Selection> stretches_;
  std::vector<State> results_;
};

}  // namespace leeway::tick
