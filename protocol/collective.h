// One collective at a time over all nodes: everybody gives a few numbers, everybody gets their sums.
// Runs up and down a tree of messages (a node's children are arity·i + 1 …), so it is a barrier too.
// A pure machine like the rest of this folder. One caller at a time.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "leeway/protocol/outbox.h"

namespace leeway {

class Collective {
 public:
  static constexpr std::uint32_t kArity = 8;
  static constexpr std::size_t kMostNumbers = 16;

  Collective(NodeId self, std::uint32_t nodes);

  /// This node's numbers for the next wave. Requires the wave before to be done (checked), and every
  /// node to give the same count of numbers.
  void enter(std::span<const std::uint64_t> numbers, Outbox& out);
  [[nodiscard]] bool on_message(NodeId from, ByteReader& in, Outbox& out);

  [[nodiscard]] bool done() const { return !entered_; }
  /// The sums of the last wave that is done.
  [[nodiscard]] std::span<const std::uint64_t> sums() const { return result_; }
  [[nodiscard]] std::uint64_t wave() const { return wave_; }
  /// Children whose numbers are still missing, for saying what a barrier waits for; this node's parent
  /// if all are in.
  [[nodiscard]] std::vector<NodeId> missing() const;

 private:
  [[nodiscard]] NodeId parent() const;
  [[nodiscard]] bool is_child(NodeId node) const;
  [[nodiscard]] std::uint32_t child_count() const;
  void advance(Outbox& out);
  void finish(std::vector<std::uint64_t> sums, Outbox& out);
  static void add(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from);

  NodeId self_;
  std::uint32_t nodes_;
  std::uint64_t wave_ = 0;  // the one under way or next
  bool entered_ = false;    // this node has given its numbers
  bool sent_up_ = false;
  std::vector<std::uint64_t> own_;
  std::map<NodeId, std::vector<std::uint64_t>> from_children_;
  std::vector<std::uint64_t> result_;
};

}  // namespace leeway
