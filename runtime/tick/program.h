// What a user writes for the tick engine: the eight functions of the paper's Table 1, over a state and a query
// kind that are ready-made (Table with Box, Field with IndexRange, VertexState with LabelQuery) or one's
// own. Communication, scheduling, replication and versions follow from these alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <vector>

#include "leeway/base/clock.h"
#include "leeway/base/result.h"
#include "leeway/runtime/residual.h"

namespace leeway::tick {

/// All but `part` and `create` are pure and give the same on every node; `part` gives the same on every
/// node for the same arguments.
template <class P>
concept TickProgram = requires(const P& program, const typename P::Query& query,
                               typename P::State& state, const typename P::State& context,
                               const typename P::State::Selection& to_step, std::uint32_t count) {
  requires std::same_as<typename P::Query, typename P::State::Query>;
  requires std::is_trivially_copyable_v<typename P::Query>;
  /// PART: queries that split every state between `count` processes. `now` is the state to split, where
  /// parts are to be made anew; null at the start.
  { program.part(count, &context) } -> std::same_as<Result<std::vector<typename P::Query>>>;
  /// NEW: puts into `state` what `query` selects of the first state.
  { program.create(query, state) } -> std::same_as<Status>;
  /// STEP: puts into `state` what the tuples of `to_step` are one tick later, and what new tuples they
  /// make. Reads `context` only, of which `to_step` is a part.
  { program.step(to_step, context, state) } -> std::same_as<void>;
  /// R_D, R_X, W_D, W_X of Definitions 1 and 2.
  { program.rd(query) } -> std::same_as<typename P::Query>;
  { program.rx(query) } -> std::same_as<typename P::Query>;
  { program.wd(query) } -> std::same_as<typename P::Query>;
  { program.wx(query) } -> std::same_as<typename P::Query>;
  /// DISJOINT: false if the two can ever select a tuple in common.
  { program.disjoint(query, query) } -> std::same_as<bool>;
};

/// A program that says how far the tuples of a selection have moved from one state to the next.
template <class P>
concept MeasuringProgram =
    requires(const P& program, const typename P::State::Selection& own,
             const typename P::State& before, const typename P::State& after) {
      { program.moved(own, before, after) } -> std::same_as<Residual>;
    };

/// What a step takes in a virtual cluster: the program's own word if it has one, else a fixed price a
/// tuple. Without influence on results.
template <TickProgram P>
[[nodiscard]] Duration step_price(const P& program, const typename P::State::Selection& to_step) {
  if constexpr (requires { program.price(to_step); }) {
    return program.price(to_step);
  } else {
    constexpr std::int64_t kNanosecondsPerTuple = 100;
    return Duration(static_cast<std::int64_t>(to_step.size()) * kNanosecondsPerTuple);
  }
}

}  // namespace leeway::tick
