// Runs a tick program on every node of a cluster and hands back the whole state of the last tick: the one
// function a user of the tick engine calls. Instantiate each program in one source file: it is a whole
// engine.
#pragma once

#include <utility>

#include "base/fields.h"
#include "leeway/cluster.h"
#include "runtime/tick/engine.h"
#include "runtime/tick/field.h"
#include "runtime/tick/table.h"
#include "runtime/tick/vertex_state.h"

namespace leeway::tick {

template <class State>
struct TickRun {
  TickOutcome<State> result;  ///< node 0's; empty in other processes of a job
  Parameters parameters;
  Duration
      elapsed{};  ///< from the first node's first step to the last one's end; virtual under sim
  std::uint64_t events = 0;  ///< sim's
  std::uint64_t digest = 0;  ///< sim's: equal runs have equal digests
};

/// What a run starts from and who is handed states under way; all may be left out.
template <class State>
struct TickEnds {
  const State* from = nullptr;  ///< a state that was kept; else NEW makes the first
  Tick first{0};                ///< its tick
  std::function<Status(Tick, const State&)> keeper;  ///< called at checkpoints
};

/// All of a state as bytes, to be kept; and back. Requires of the state that all of it is its own.
template <class State>
[[nodiscard]] std::vector<std::byte> packed_state(const State& state) {
  ByteWriter out;
  state.encode_own(out);
  return out.take();
}
/// False for bytes that are no such state. `all` selects every tuple.
template <class State>
[[nodiscard]] bool unpack_state(std::span<const std::byte> bytes, const typename State::Query& all,
                                State& state) {
  state.reset(all, all);
  ByteReader in(bytes);
  const bool good = state.decode(in) && in.at_end();
  state.mark_own();
  return good;
}

[[nodiscard]] inline Duration elapsed_of(const std::vector<TickNodeLog>& logs) {
  if (logs.empty()) return {};
  Instant begin = logs.front().counts.begin;
  Instant end = logs.front().counts.end;
  for (const TickNodeLog& log : logs) {
    begin = std::min(begin, log.counts.begin);
    end = std::max(end, log.counts.end);
  }
  return end - begin;
}

template <TickProgram Program>
[[nodiscard]] Result<TickRun<typename Program::State>> run_ticks(
    const Program& program, const TickOptions& options, const ClusterOptions& given,
    const TickEnds<typename Program::State>& ends = {}) {
  TickRun<typename Program::State> run;
  LEEWAY_ASSIGN(const ClusterOptions cluster, settle_cluster(given));
  LEEWAY_ASSIGN(run.parameters, settled(options));
  if (options.threads != 1 && !SplitState<typename Program::State>) {
    return fail(input_error("Options::threads", "this state's selections cannot be dealt out",
                            "give its Selection a `stretch`, or take one thread"));
  }
  LEEWAY_ASSIGN(const EndpointsOutcome outcome, run_endpoints(cluster, [&](Endpoint& endpoint) {
                  TickEngine<Program> engine(program, endpoint, options, run.parameters, ends.from,
                                             ends.first, ends.keeper);
                  TickOutcome<typename Program::State> unused;
                  const bool chief = endpoint.self() == NodeId(0);
                  return engine.run(chief ? run.result : unused);
                }));
  if (cluster.job != nullptr) {  // whose clocks differ
    for (TickNodeLog& log : run.result.logs) shift_times(log, log.counts.begin.time_since_epoch());
  }
  run.elapsed = elapsed_of(run.result.logs);
  run.events = outcome.ran.events;
  run.digest = outcome.ran.digest;
  return run;
}

}  // namespace leeway::tick
