// TickEpoch: the ticks of one node between two global states, and its neighbours (TickNeighbours).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "leeway/tick_program.h"
#include "runtime/tick/check.h"
#include "runtime/tick/inbox.h"
#include "runtime/tick/model.h"
#include "runtime/tick/step_planner.h"

namespace leeway::tick {

/// The tuples that a node holds: R_D ∘ (W_D ∘ R_D)^m of its part.
[[nodiscard]] inline QueryName held_by(NodeId node, Level replicas) {
  return {node, replicas, QueryScope::Read};
}

/// The nodes that one node sends to and receives from, derived from DISJOINT only (Section 5.1), once for a
/// division. Immutable.
class TickNeighbours {
 public:
  /// `lowest`: the lowest level that may be stepped.
  TickNeighbours(const TickModel& model, std::uint32_t nodes, NodeId self, Level lowest,
                 Level replicas);

  /// Nodes whose reach overlaps this node's part.
  [[nodiscard]] std::span<const NodeId> readers() const { return readers_; }
  /// Nodes whose part overlaps this node's reach.
  [[nodiscard]] std::span<const NodeId> writers() const { return writers_; }
  /// A query whose tuples no reader needs, if there is one.
  [[nodiscard]] const std::optional<QueryName>& private_part() const { return private_; }

 private:
  std::vector<NodeId> readers_;
  std::vector<NodeId> writers_;
  std::optional<QueryName> private_;
};

/// The ticks of one node from one global state to the next: the loop of Algorithms 1, 2 and 3 and of their
/// combination. The planner decides what may be stepped, the model has queries and states, and the neighbours are the
/// receivers. Not thread-safe.
class TickEpoch {
 public:
  TickEpoch(TickModel& model, Inbox& inbox, const TickOptions& options,
            const SyncParameters& parameters, NodeRecord& record, Tick first, Tick last);

  /// All tuples that this node ever holds.
  [[nodiscard]] const QueryName& held() const { return checked_.held; }
  /// The version to fill with all tuples that `held` selects, before `run`.
  [[nodiscard]] TickState& start() { return *versions_.front(); }
  /// After `run` to the end: the last version; this node's own part of it is complete.
  [[nodiscard]] const TickState& end() { return version(planner_.own()); }

  /// Ends early, without an error, if another node has stopped (Group::stop).
  Status run();

 private:
  TickState& version(Tick tick);
  void free_versions();
  Status perform(const Step& step);
  void count(const Step& step, std::size_t tuples, Instant begin, Instant end);
  Status publish(Tick tick);
  void send_state(Tick tick, const TickState& state);
  void measure(Tick tick, const TickState& state);
  void show(Tick tick, const TickState& state);
  Status take_arrivals();
  [[nodiscard]] bool arrived(Tick tick) const;
  Status merge(Tick tick);
  [[nodiscard]] bool barrier_passed();
  void wait();
  [[nodiscard]] NodeId blocker() const;

  TickModel& model_;
  Inbox& inbox_;
  const TickOptions& options_;
  const SyncParameters& parameters_;
  NodeRecord& record_;
  QueryName own_;  // this node's part
  CheckedNode checked_;
  TickNeighbours neighbours_;
  StepPlanner planner_;
  std::deque<std::unique_ptr<TickState>> versions_;  // by tick, from base_ on
  Tick base_;
  std::vector<std::unique_ptr<TickState>> spare_;
  ThreadMeter meter_;
  std::size_t longest_message_ = 64;
  std::uint32_t round_ = 0;  // of the current barrier
  bool sent_ = false;        // to this round's partner
};

}  // namespace leeway::tick
