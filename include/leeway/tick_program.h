// The tick engine (Zou et al., SOCC'11) from the user's side: the concept TickProgram, which states the eight
// functions that a user writes. TickOptions are in options.h. A process works on levels of tuples. Level 0 is its partition query
// Q. Level l > 0 is (W_D ∘ R_D)^l (Q): the tuples that must be stepped here to save l rounds of messages. Level l < 0
// is (R_X ∘ W_X)^-l (Q): the tuples that can be stepped -l ticks before the messages arrive. Levels are nested: each
// selects a subset of the next higher one.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/result.h"
#include "leeway/options.h"
#include "runtime/cluster/record.h"

namespace leeway {
class TickSnapshots;
}  // namespace leeway

namespace leeway::tick {

using Level = std::int32_t;

/// A tick program: the eight functions of the paper's Table 1, over a state and a query type. The types are ready-made
/// (Table with Box, Field with IndexRange, VertexState with LabelQuery, several of them as Tables with QueryPerTable) or
/// the user's. The engine derives communication, scheduling, replication and versions from these functions.
///
/// Functions other than `part` and `create` must be pure and return the same on every node; `part` must return the
/// same on every node for the same arguments.
template <class P>
concept TickProgram = requires(const P& program, const typename P::Query& query,
                               typename P::State& state, const typename P::State& context,
                               const typename P::State::Selection& to_step, std::uint32_t count) {
  requires std::same_as<typename P::Query, typename P::State::Query>;
  requires std::is_trivially_copyable_v<typename P::Query>;
  /// PART: queries that divide every state among `count` processes. `context` is the current state, for a new
  /// division during the run; null at the start.
  { program.part(count, &context) } -> std::same_as<Result<std::vector<typename P::Query>>>;
  /// NEW: creates the tuples of the first state that `query` selects, in `state`.
  { program.create(query, state) } -> std::same_as<Status>;
  /// STEP: writes the next tick's version of the tuples of `to_step`, and the new tuples that they create, to
  /// `state`. Reads only `context`, which contains `to_step`.
  { program.step(to_step, context, state) } -> std::same_as<void>;
  /// R_D, R_X, W_D, W_X of the paper's Definitions 1 and 2.
  { program.rd(query) } -> std::same_as<typename P::Query>;
  { program.rx(query) } -> std::same_as<typename P::Query>;
  { program.wd(query) } -> std::same_as<typename P::Query>;
  { program.wx(query) } -> std::same_as<typename P::Query>;
  /// DISJOINT: false if the two queries may ever select a common tuple.
  { program.disjoint(query, query) } -> std::same_as<bool>;
};

/// A program that can measure how far the tuples of a selection moved from one state to the next.
template <class P>
concept MeasuringProgram =
    requires(const P& program, const typename P::State::Selection& own,
             const typename P::State& before, const typename P::State& after) {
      { program.moved(own, before, after) } -> std::same_as<Residual>;
    };

/// The virtual time of a step in the virtual cluster: `price` of the program if it has one, else a fixed time for
/// each tuple. Does not affect results.
template <TickProgram P>
[[nodiscard]] Duration step_price(const P& program, const typename P::State::Selection& to_step) {
  if constexpr (requires { program.price(to_step); }) {
    return program.price(to_step);
  } else {
    constexpr std::int64_t kNanosecondsPerTuple = 100;
    return Duration(static_cast<std::int64_t>(to_step.size()) * kNanosecondsPerTuple);
  }
}

/// "barrier", "local", "schedule", "replicate" or "combined".
Result<Sync> parse_sync(std::string_view name);
[[nodiscard]] std::string_view sync_name(Sync sync);

/// The parameters d, k and m that define a synchronization, with all defaults filled in.
struct SyncParameters {
  Level depth = 0;          ///< d: the lowest level stepped is -d
  std::uint32_t every = 1;  ///< k
  Level replicas = 0;       ///< m
  bool barrier = false;

  friend bool operator==(const SyncParameters&, const SyncParameters&) = default;
};

/// The snapshots of `options.saving`; sets the remaining ticks and the interval of checkpoints. Collective.
Result<std::unique_ptr<TickSnapshots>> open_snapshots(TickOptions& options,
                                                      const ClusterOptions& cluster);

/// Fills in the defaults. An Input error for numbers that contradict the synchronization or each other, such as k > m
/// + 1.
Result<SyncParameters> settled(const TickOptions& options);

}  // namespace leeway::tick
