// Collective: barriers and sums over all nodes, as messages along a tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/outbox.h"

namespace leeway {

/// The kinds of collectives; one byte in a message.
enum class CollectiveKind : std::uint8_t {
  Open,
  Barrier,
  Sum,
  Vote,
  Quiesce,
  Close,
  RelaxedBarrier,
  Fence
};
inline constexpr std::uint8_t kLastCollectiveKind =
    static_cast<std::uint8_t>(CollectiveKind::Fence);
[[nodiscard]] std::string_view collective_name(CollectiveKind kind);

/// One collective operation at a time over all nodes: each node gives a few numbers, and all get
/// their sums. Runs up and down a tree of messages (the children of node i are kArity·i + 1, …), so
/// it is also a barrier. A pure state machine. One caller at a time.
///
/// Each message carries the sender's kind and count of numbers. If nodes call different
/// collectives, the sums would be wrong, so the wave is never done and `mismatch` reports the
/// reason.
class Collective {
 public:
  /// One node's call of a wave.
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
  /// Most numbers of a wave, or the number of nodes if that is greater.
  static constexpr std::size_t kMostNumbers = 16;

  Collective(NodeId self, std::uint32_t nodes);

  /// Gives this node's numbers for the next wave. Requires that the previous wave is done
  /// (checked). All nodes must call the same kind with the same count of numbers; otherwise there
  /// is a mismatch.
  void enter(CollectiveKind kind, std::span<const std::uint64_t> numbers, Outbox& out);
  [[nodiscard]] bool on_message(NodeId from, ByteReader& in, Outbox& out);

  [[nodiscard]] bool done() const { return !entered_; }
  /// The sums of the last completed wave.
  [[nodiscard]] std::span<const std::uint64_t> sums() const { return result_; }
  [[nodiscard]] std::uint64_t wave() const { return wave_; }
  /// The first mismatch with another node; never cleared.
  [[nodiscard]] const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  /// The nodes for whose message this node waits: children whose numbers are missing, else the
  /// parent.
  [[nodiscard]] std::vector<NodeId> missing() const;

 private:
  [[nodiscard]] std::size_t most_numbers() const {
    return std::max<std::size_t>(kMostNumbers, nodes_);
  }
  [[nodiscard]] NodeId parent() const;
  [[nodiscard]] bool is_child(NodeId node) const;
  [[nodiscard]] std::uint32_t child_count() const;
  [[nodiscard]] Call own_call() const { return {kind_, own_.size()}; }
  /// Whether the peer's call equals this node's; records a mismatch if not.
  bool agrees(NodeId peer, const Call& call);
  void advance(Outbox& out);
  void finish(std::vector<std::uint64_t> sums, Outbox& out);
  struct NodeShare {
    CollectiveKind kind = CollectiveKind::Barrier;
    std::vector<std::uint64_t> numbers;
  };
  static void add(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from);

  NodeId self_;
  std::uint32_t nodes_;
  std::uint64_t wave_ = 0;  // the current or next wave
  bool entered_ = false;    // this node has given its numbers
  bool sent_up_ = false;
  CollectiveKind kind_ = CollectiveKind::Barrier;
  std::vector<std::uint64_t> own_;
  std::map<NodeId, NodeShare> from_children_;  // at most kArity
  std::optional<Mismatch> mismatch_;
  std::vector<std::uint64_t> result_;
};

}  // namespace leeway
