// run_ticks: runs a tick program on every node of a cluster and returns the whole state after the last tick.
// Instantiate it in one source file for each program, because each instance compiles a whole engine.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "leeway/cluster.h"
#include "runtime/cluster/record.h"
#include "runtime/cluster/recovery.h"
#include "runtime/cluster/saving.h"
#include "runtime/tick/engine.h"
#include "runtime/tick/field.h"
#include "runtime/tick/model_of.h"
#include "runtime/tick/table.h"
#include "runtime/tick/tables.h"
#include "runtime/tick/vertex_state.h"

namespace leeway::tick {

/// The result of a run, on node 0.
template <class State>
struct TickOutcome {
  State state;                                 ///< the whole state S^T, arranged
  std::vector<std::pair<Tick, State>> frames;  ///< in order of ticks
  std::vector<NodeRecord> nodes;               ///< by node
  std::uint32_t rebalanced = 0;                ///< number of repeated calls of PART
};

template <class State>
struct TickResult {
  TickOutcome<State> result;  ///< of node 0; empty in other processes of a job
  SyncParameters parameters;
  /// From the first step of the first node to the end of the last step of the last node; virtual under sim.
  Duration elapsed{};
  std::uint64_t events = 0;  ///< sim: number of simulated events
  std::uint64_t digest = 0;  ///< sim: digest of the events; equal runs have equal digests
  Tick first{0};             ///< the tick of the snapshot that the run resumed
};

/// Resume and checkpoints of a run. All members are optional.
template <class State>
struct TickEnds {
  const State* from = nullptr;  ///< the state to resume from; null: NEW creates it
  Tick first{0};                ///< the tick of that state
  std::function<Status(Tick, const State&)> keeper;  ///< called at checkpoints
};

/// Serializes a whole state. Requires that all tuples of the state are its own, not copies.
template <class State>
[[nodiscard]] std::vector<std::byte> packed_state(const State& state) {
  ByteWriter out;
  state.encode_own(out);
  return out.take();
}
/// Deserializes a state of packed_state. False if the bytes are not a valid state. `all` is the query that selects
/// every tuple.
template <class State>
[[nodiscard]] bool unpack_state(std::span<const std::byte> bytes, const typename State::Query& all,
                                State& state) {
  state.reset(all, all);
  ByteReader in(bytes);
  const bool good = state.decode(in) && in.at_end();
  state.mark_own();
  return good;
}

/// Gives the checkpoints of a run to `snapshots`, if this node takes some.
template <class State>
void keep_in(TickSnapshots& snapshots, TickEnds<State>& ends) {
  if (!snapshots.takes()) return;
  ends.keeper = [&snapshots](Tick tick, const State& state) -> Status {
    snapshots.keep(tick.value(), packed_state(state));
    return {};
  };
}

/// The start of a run that may resume a snapshot, whose state is stored in `saved`, and the receiver of its checkpoints. `all`:
/// the query that selects every tuple.
template <class State>
Result<TickEnds<State>> ends_of(TickSnapshots& snapshots, const typename State::Query& all,
                                State& saved) {
  TickEnds<State> ends{.first = Tick(snapshots.first())};
  if (const auto& start = snapshots.start()) {
    if (!unpack_state(start->state, all, saved)) return fail(snapshots.unreadable());
    ends.from = &saved;
  }
  keep_in(snapshots, ends);
  return ends;
}

/// The ends without the type of the state. `from` refers to the first state.
template <class State>
[[nodiscard]] TickEngineEnds erased_ends(const TickEnds<State>& ends,
                                         std::optional<TypedState<State>>& from) {
  TickEngineEnds erased{.first = ends.first};
  if (ends.from != nullptr) {
    from.emplace(*ends.from);
    erased.from = &*from;
  }
  if (ends.keeper) {
    erased.keeper = [keeper = ends.keeper](Tick tick, const TickState& state) {
      return keeper(tick, static_cast<const TypedState<State>&>(state).value());
    };
  }
  return erased;
}
/// The outcome with the type of the state.
template <class State>
[[nodiscard]] TickOutcome<State> typed_outcome(TickEngineOutcome outcome) {
  const auto value = [](std::unique_ptr<TickState>& state) -> State& {
    return static_cast<TypedState<State>&>(*state).value();
  };
  TickOutcome<State> typed{.nodes = std::move(outcome.nodes), .rebalanced = outcome.rebalanced};
  if (outcome.state != nullptr) typed.state = std::move(value(outcome.state));
  for (auto& [tick, state] : outcome.frames)
    typed.frames.emplace_back(tick, std::move(value(state)));
  return typed;
}

/// One attempt of run_ticks.
template <TickProgram Program>
[[nodiscard]] Result<TickResult<typename Program::State>> run_ticks_once(
    const Program& program, const TickOptions& options, const ClusterOptions& cluster,
    const TickEnds<typename Program::State>& ends) {
  TickResult<typename Program::State> run;
  LEEWAY_ASSIGN(run.parameters, settled(options));
  if (options.threads != 1 && !SplitState<typename Program::State>) {
    return fail(input_error("TickOptions::threads",
                            "this state's selections cannot be split among threads",
                            "give its Selection a `slice` function, or use one thread"));
  }
  TickOptions remaining = options;
  TickEnds<typename Program::State> used = ends;
  typename Program::State saved;
  std::unique_ptr<TickSnapshots> snapshots;
  if (options.saving.any()) {
    if (ends.from != nullptr || ends.keeper) {
      return fail(input_error("TickOptions::saving", "TickEnds::from or keeper is set, too",
                              "set one of the two"));
    }
    LEEWAY_ASSIGN(snapshots, open_snapshots(remaining, cluster));
    LEEWAY_ASSIGN(const auto parts, program.part(1, nullptr));
    const auto all = query_of_all(std::span<const typename Program::Query>(parts));
    LEEWAY_ASSIGN(used, ends_of(*snapshots, all, saved));
    run.first = used.first;
  }
  std::optional<TypedState<typename Program::State>> from;
  const TickEngineEnds erased = erased_ends(used, from);
  TickEngineOutcome found;
  LEEWAY_ASSIGN(const EndpointsOutcome outcome, run_endpoints(cluster, [&](Endpoint& endpoint) {
                  TickModelOf<Program> model(program, options.threads);
                  TickEngine engine(model, endpoint, remaining, run.parameters, erased);
                  TickEngineOutcome unused;
                  const bool chief = endpoint.self() == NodeId(0);
                  note_computing(cluster.job);
                  return engine.run(chief ? found : unused);
                }));
  run.result = typed_outcome<typename Program::State>(std::move(found));
  if (snapshots != nullptr && !run.result.nodes.empty())
    run.result.nodes.front().snapshots = snapshots->end();
  if (cluster.job != nullptr) start_at_zero(run.result.nodes);
  run.elapsed = elapsed_of(run.result.nodes);
  run.events = outcome.ran.events;
  run.digest = outcome.ran.digest;
  return run;
}

/// Runs the program. Blocks. Over several processes it is collective, and only node 0's result has the state.
/// `given`: the cluster; `ends`: a state to resume from and a receiver of checkpoints.
template <TickProgram Program>
[[nodiscard]] Result<TickResult<typename Program::State>> run_ticks(
    const Program& program, const TickOptions& options, const ClusterOptions& given,
    const TickEnds<typename Program::State>& ends = {}) {
  LEEWAY_ASSIGN(const ClusterOptions cluster, settle_cluster(given));
  return run_recoverably<TickResult<typename Program::State>>(
      cluster.job, options.saving.folder, [&](const RunAttempt& attempt) {
        TickOptions mine = options;
        attempt.resume_in(mine.saving);
        return run_ticks_once(program, mine, cluster, ends);
      });
}
/// Reports a type that is none, in place of an error about overloads.
template <class Program>
  requires(!TickProgram<Program>)
auto run_ticks(const Program& /*program*/, const TickOptions& /*options*/,
               const ClusterOptions& /*given*/) {
  static_assert(
      TickProgram<Program>,
      "this type is not a tick program. It needs the types Query and State, and the public "
      "const functions part, create, "
      "step, rd, rx, wd, wx and disjoint (see leeway/tick_program.h)");
}

}  // namespace leeway::tick
