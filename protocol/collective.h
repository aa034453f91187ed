// When an iterative computation is over (ASPIRE §4.2, Termination Semantics): nobody votes to continue,
// no stale value was used in the last iteration, and nothing was in flight during it. In flight is
// counted, never timed: if as many messages that carry news had been handled at the end of the iteration
// before as have been sent by the end of this one, then none travelled in between (the four-counter
// argument). Reads and their replies need not be counted: a copy that is read is as new as its home.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/outbox.h"

namespace leeway {

enum class Verdict { Continue, Converged };

/// The sums over all nodes at the end of an iteration.
struct IterationTotals {
  std::uint64_t votes = 0;       ///< nodes that vote to continue
  std::uint64_t stale_used = 0;  ///< stale values used in this iteration
  std::uint64_t sent = 0;        ///< messages that carry news, since the start
  std::uint64_t handled = 0;     ///< of those, handled
};

/// Fed the same totals on every node, so every node reaches the same verdict.
class Termination {
 public:
  Verdict decide(const IterationTotals& totals) {
    const std::uint64_t handled_before = handled_before_;
    handled_before_ = totals.handled;
    const bool quiet = totals.sent == handled_before;
    const bool fresh = totals.stale_used == 0;
    const bool agreed = totals.votes == 0;
    return quiet && fresh && agreed ? Verdict::Converged : Verdict::Continue;
  }

 private:
  std::uint64_t handled_before_ = ~std::uint64_t{0};  // no iteration before the first
};

// One collective at a time over all nodes: everybody gives a few numbers, everybody gets their sums.
// Runs up and down a tree of messages (a node's children are arity·i + 1 …), so it is a barrier too.
// A pure machine like the rest of this folder. One caller at a time.
//
// Every message says which collective its sender is in. Nodes that call different ones, or with different
// counts of numbers, would read each other's sums amiss: such a wave is never done, and `mismatch` says why.

/// What a node calls; on the wire one byte.
enum class CollectiveKind : std::uint8_t { Open, Barrier, Sum, Vote, Quiesce, Close };
inline constexpr std::uint8_t kLastCollectiveKind =
    static_cast<std::uint8_t>(CollectiveKind::Close);
[[nodiscard]] std::string_view collective_name(CollectiveKind kind);

class Collective {
 public:
  /// One node's part in a wave.
  struct Call {
    CollectiveKind kind = CollectiveKind::Barrier;
    std::size_t numbers = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Mismatch {
    NodeId peer{0};
    Call here;
    Call there;
  };

  static constexpr std::uint32_t kArity = 8;
  static constexpr std::size_t kMostNumbers = 16;

  Collective(NodeId self, std::uint32_t nodes);

  /// This node's numbers for the next wave. Requires the wave before to be done (checked), and every
  /// node to call the same (or there is a mismatch).
  void enter(CollectiveKind kind, std::span<const std::uint64_t> numbers, Outbox& out);
  [[nodiscard]] bool on_message(NodeId from, ByteReader& in, Outbox& out);

  [[nodiscard]] bool done() const { return !entered_; }
  /// The sums of the last wave that is done.
  [[nodiscard]] std::span<const std::uint64_t> sums() const { return result_; }
  [[nodiscard]] std::uint64_t wave() const { return wave_; }
  /// Another node is in a different collective: the first that was met, for good.
  [[nodiscard]] const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  /// Children whose numbers are still missing, for saying what a barrier waits for; this node's parent
  /// if all are in.
  [[nodiscard]] std::vector<NodeId> missing() const;

 private:
  [[nodiscard]] NodeId parent() const;
  [[nodiscard]] bool is_child(NodeId node) const;
  [[nodiscard]] std::uint32_t child_count() const;
  [[nodiscard]] Call own_call() const { return {kind_, own_.size()}; }
  /// False, and a mismatch, unless the peer's call is this node's.
  bool agrees(NodeId peer, const Call& call);
  void advance(Outbox& out);
  void finish(std::vector<std::uint64_t> sums, Outbox& out);
  struct Share {
    CollectiveKind kind = CollectiveKind::Barrier;
    std::vector<std::uint64_t> numbers;
  };
  static void add(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from);

  NodeId self_;
  std::uint32_t nodes_;
  std::uint64_t wave_ = 0;  // the one under way or next
  bool entered_ = false;    // this node has given its numbers
  bool sent_up_ = false;
  CollectiveKind kind_ = CollectiveKind::Barrier;
  std::vector<std::uint64_t> own_;
  std::map<NodeId, Share> from_children_;  // at most kArity
  std::optional<Mismatch> mismatch_;
  std::vector<std::uint64_t> result_;
};

}  // namespace leeway
