// When a distributed computation has ended: Termination decides from the sums of an iteration, TerminationDetector from the
// reports of nodes without common iterations.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace leeway {

enum class Ending { Continue, Converged };

/// Sums over all nodes at the end of an iteration.
struct IterationTotals {
  std::uint64_t votes = 0;       ///< nodes that vote to continue
  std::uint64_t stale_used = 0;  ///< stale values used in this iteration
  std::uint64_t sent = 0;        ///< messages that report a write, since the start
  std::uint64_t handled = 0;     ///< those of them that were handled
};

/// Decides when an iterative computation is over (ASPIRE §4.2, Termination Semantics): no node
/// votes to continue, no stale value was used in the last iteration, and no message was in flight
/// during it. In-flight messages are counted, not timed: if the number of messages handled at the
/// end of the previous iteration equals the number sent by the end of this one, none was in flight
/// between (the four-counter argument). Reads and replies need not be counted, because a fetched
/// copy is as new as its home's value. All nodes pass the same totals, so all reach the same
/// verdict.
class Termination {
 public:
  Ending decide(const IterationTotals& totals) {
    const std::uint64_t handled_before = handled_before_;
    handled_before_ = totals.handled;
    // mutant: count-handled-twice
    const bool quiet = totals.sent == handled_before;
    // mutant: forget-stale-use
    const bool fresh = totals.stale_used == 0;
    // mutant: stop-on-first-vote
    const bool agreed = totals.votes == 0;
    return quiet && fresh && agreed ? Ending::Converged : Ending::Continue;
  }

 private:
  std::uint64_t handled_before_ = ~std::uint64_t{0};  // no iteration before the first
};

/// Numbers of designated messages sent and received between nodes, since the start.
struct MessageCounts {
  std::uint64_t sent = 0;
  std::uint64_t handled = 0;
  friend bool operator==(const MessageCounts&, const MessageCounts&) = default;
};

/// Termination detection of an asynchronous run (AAP §3), at the master P_0. A node whose workers are all inactive
/// reports that to P_0. When all have, P_0 sends `terminate` to all nodes, and each answers `ack` or `wait`. An early
/// `ack` does not account for messages in flight, so messages are counted as well: the run ends only if the number
/// handled at the first reports equals the number sent at the answers (four-counter method). After the end, reports change nothing:
/// a node that a message without a count has woken may report again. Pure: returns the action to take. Not thread-safe.
class TerminationDetector {
 public:
  enum class DetectorStep : std::uint8_t {
    None,
    Terminate,  ///< send `terminate` to every node, with the number of this attempt
    Over,       ///< announce the end to every node
  };

  explicit TerminationDetector(std::uint32_t nodes) : nodes_(nodes) {}

  /// A node has become inactive.
  [[nodiscard]] DetectorStep inactive(NodeId node, const MessageCounts& counts);
  /// A node's answer to the open attempt: `ack` if it is inactive. Requires that it has not answered yet.
  [[nodiscard]] DetectorStep answer(NodeId node, bool ack, const MessageCounts& counts);

  /// The number of the last attempt.
  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  /// Whether answers to it are missing.
  [[nodiscard]] bool open() const { return missing_ > 0; }
  [[nodiscard]] bool has_answered(NodeId node) const { return nodes_[node.index()].answered; }
  /// Discards all reports: the nodes now run in step, or become asynchronous again.
  void forget();

 private:
  struct Flag {
    bool inactive = false;
    MessageCounts counts;
    bool answered = false;  ///< in the open attempt
  };

  [[nodiscard]] DetectorStep consider();

  std::vector<Flag> nodes_;
  std::uint32_t attempt_ = 0;
  std::uint32_t missing_ = 0;  // answers missing in the open attempt; 0: none is open
  bool over_ = false;
  bool refused_ =
      false;  // a node answered `wait`, or has sent or handled messages since its report
};

}  // namespace leeway
