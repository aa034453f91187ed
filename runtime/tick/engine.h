// TickEngine: one node of a run of ticks, between the moments at which the whole state is assembled at node 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "leeway/tick_program.h"
#include "runtime/tick/epoch.h"
#include "runtime/tick/inbox.h"
#include "runtime/tick/model.h"

namespace leeway::tick {

/// The result of a run, on node 0.
struct TickEngineOutcome {
  std::unique_ptr<TickState> state;  ///< the whole state S^T, arranged
  std::vector<std::pair<Tick, std::unique_ptr<TickState>>> frames;  ///< in order of ticks
  std::vector<NodeRecord> nodes;                                    ///< by node
  std::uint32_t rebalanced = 0;  ///< number of repeated calls of PART
};

/// Where a run of ticks starts, and who receives the whole state at checkpoints.
struct TickEngineEnds {
  const TickState* from = nullptr;                       ///< null: the state that NEW creates
  Tick first{0};                                         ///< the tick of that state
  std::function<Status(Tick, const TickState&)> keeper;  ///< called on node 0
};

/// One node of a run of ticks: a sequence of epochs (TickEpoch). At the end of each epoch the whole state is
/// assembled at node 0: to be partitioned again, to be saved, or as the result. All nodes run the same code. Not
/// thread-safe.
class TickEngine {
 public:
  TickEngine(TickModel& model, Endpoint& endpoint, const TickOptions& options,
             const SyncParameters& parameters, const TickEngineEnds& ends);

  /// Runs all ticks. `result` is filled on node 0. An error is returned on all nodes.
  Status run(TickEngineOutcome& result);

 private:
  [[nodiscard]] bool is_node_0() const { return inbox_.self() == NodeId(0); }
  template <class Body>
  Status agreed(Body&& body);
  Status end_without_ticks(TickEngineOutcome& result);
  [[nodiscard]] Tick last() const { return Tick(ends_.first.value() + options_.ticks.value()); }
  [[nodiscard]] Tick next_stop(Tick tick) const;
  Status divide(const TickState* state);
  Status run_epoch(Tick tick, Tick until, std::span<const std::byte> received, ByteWriter& own);
  Status fill(TickEpoch& epoch, std::span<const std::byte> received);
  Status check_gaps() const;
  Status assemble(Tick tick, std::span<const std::byte> own, TickEngineOutcome& result,
                  std::vector<std::byte>& received);
  Status complete(Tick tick, std::unique_ptr<TickState> whole, TickEngineOutcome& result,
                  ByNode<std::byte>& starts);
  [[nodiscard]] std::unique_ptr<TickState> whole_of(const ByNode<std::byte>& all);
  Status divide_again(Tick tick, const TickState& whole, TickEngineOutcome& result);
  void write_starts(const TickState& whole, ByNode<std::byte>& starts) const;
  Status finish(TickEngineOutcome& result);
  void collect_frames(TickEngineOutcome& result);

  TickModel& model_;
  Inbox inbox_;
  const TickOptions& options_;
  const SyncParameters& parameters_;
  const TickEngineEnds& ends_;
  std::size_t queries_end_ = 0;  // in what node 0 sent: where the state begins
  NodeRecord record_;
};

}  // namespace leeway::tick
