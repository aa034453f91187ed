// The words of the tick engine (Zou et al., SOCC'11): ticks, and the levels of one process's work. Level 0 is
// the partition query Q; level l > 0 is (W_D ∘ R_D)^l (Q), what must be stepped here to do without l rounds of
// messages; level l < 0 is (R_X ∘ W_X)^-l (Q), what can be stepped -l ticks ahead of messages. Levels are
// nested: a lower one selects no tuple that a higher one does not.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "leeway/result.h"
#include "runtime/cluster/record.h"

namespace leeway::tick {

using Tick = Id<struct TickTag, std::uint32_t>;  ///< a version of the global state: S^0, S^1, …

using Level = std::int32_t;

// What a user writes for the tick engine: the eight functions of the paper's Table 1, over a state and a query
// kind that are ready-made (Table with Box, Field with IndexRange, VertexState with LabelQuery) or one's
// own. Communication, scheduling, replication and versions follow from these alone.

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

// How a run of ticks is synchronized. Plain data; `settled` says whether it makes sense.
enum class Sync : std::uint8_t {
  Barrier,    ///< plain bulk-synchronous: nobody starts a tick before everybody has ended the last
  Local,      ///< Algorithm 1: wait for the neighbours that DISJOINT names, each tick
  Schedule,   ///< Algorithm 2: step up to `depth` ticks ahead what needs no message
  Replicate,  ///< Algorithm 3: `replicas` layers, messages every `every` ticks
  Combined,   ///< 2 and 3 together
};

/// "barrier", "local", "schedule", "replicate" or "combined".
Result<Sync> parse_sync(std::string_view name);
[[nodiscard]] std::string_view sync_name(Sync sync);

struct TickOptions {
  Sync sync = Sync::Local;
  std::optional<std::uint32_t> depth;     ///< d
  std::optional<std::uint32_t> every;     ///< k
  std::optional<std::uint32_t> replicas;  ///< m
  Tick ticks{1};                          ///< how many in all
  std::uint32_t rebalance = 0;            ///< PART is called again every so many ticks; 0: never
  std::uint32_t checkpoint = 0;  ///< the whole state is handed out every so many ticks; 0: never
  std::uint32_t frames = 0;      ///< each process's tuples are shown every so many ticks; 0: never
  bool check = false;            ///< every STEP twice: with all there is, and with R_D alone
  bool trace = false;            ///< keeps spans of time for pictures
  std::uint32_t measure = 0;     ///< how far values moved is told every so many ticks; 0: never
  StopFlag stop = nullptr;       ///< once set the run fails, everywhere alike
  bool meter =
      false;  ///< tells apart the processor time of STEP and of all else; real threads, one a node
  unsigned threads = 1;  ///< a node's, for STEP; 0: as many as there are cores
};

/// The three numbers that tell the synchronizations apart, all decided.
struct Parameters {
  Level depth = 0;          ///< d: the lowest level stepped is -d
  std::uint32_t every = 1;  ///< k
  Level replicas = 0;       ///< m
  bool barrier = false;

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// An Input error for numbers that contradict the synchronization or each other (k > m + 1 among them).
Result<Parameters> settled(const TickOptions& options);

}  // namespace leeway::tick
