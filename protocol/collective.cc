#include "protocol/collective.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace leeway {

namespace {

/// In the lowest bit of a message's first byte, below the kind.
enum class CollectiveDirection : std::uint8_t { Up = 0, Down = 1 };
constexpr unsigned kKindShift = 1;

void send(NodeId to, CollectiveDirection direction, CollectiveKind kind, std::uint64_t wave,
          std::span<const std::uint64_t> numbers, Outbox& out) {
  ByteWriter& writer = out.begin(to, MessageKind::Collective, SpaceId(0));
  writer.byte(static_cast<std::uint8_t>(static_cast<unsigned>(direction) |
                                        static_cast<unsigned>(kind) << kKindShift));
  writer.varint(wave);
  writer.varint(numbers.size());
  for (const std::uint64_t number : numbers) writer.varint(number);
}

}  // namespace

std::string_view collective_name(CollectiveKind kind) {
  constexpr std::array<std::string_view, kLastCollectiveKind + std::size_t{1}> kNames = {
      "the opening of a space", "barrier()", "sum()", "converged()", "quiesce()", "close()",
      "relaxed_barrier()",      "fence()"};
  return kNames[static_cast<std::size_t>(kind)];
}

Collective::Collective(NodeId self, std::uint32_t nodes) : self_(self), nodes_(nodes) {}

void Collective::enter(CollectiveKind kind, std::span<const std::uint64_t> numbers, Outbox& out) {
  LEEWAY_CHECK(!entered_, "wave", wave_);
  LEEWAY_CHECK(numbers.size() <= most_numbers());
  kind_ = kind;
  own_.assign(numbers.begin(), numbers.end());
  entered_ = true;
  advance(out);
}

bool Collective::on_message(NodeId from, ByteReader& in, Outbox& out) {
  const std::uint8_t first = in.byte();
  const auto direction = static_cast<CollectiveDirection>(first & 1U);
  const unsigned kind = first >> kKindShift;
  const std::uint64_t wave = in.varint();
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(in.varint_up_to(most_numbers())));
  for (std::uint64_t& number : numbers) number = in.varint();
  if (in.failed() || kind > kLastCollectiveKind) return false;
  if (wave < wave_) return true;  // duplicate
  if (wave > wave_) return false;
  const auto peer_kind = static_cast<CollectiveKind>(kind);
  if (direction == CollectiveDirection::Up) {
    if (!is_child(from)) return false;
    from_children_[from] = {peer_kind, std::move(numbers)};
    advance(out);
    return true;
  }
  if (self_ == NodeId(0) || from != parent() || !sent_up_) return false;
  if (agrees(from, {peer_kind, numbers.size()})) finish(std::move(numbers), out);
  return true;
}

bool Collective::agrees(NodeId peer, const Call& call) {
  // mutant: a-mismatch-of-collectives-passes
  if (call == own_call()) return true;
  if (!mismatch_) mismatch_ = {peer, own_call(), call};
  return false;
}

void Collective::advance(Outbox& out) {
  if (!entered_ || sent_up_) return;
  for (const auto& [child, share] : from_children_) {
    if (agrees(child, {share.kind, share.numbers.size()})) continue;
    // So that the child detects the mismatch too.
    send(child, CollectiveDirection::Down, kind_, wave_, own_, out);
    sent_up_ = true;  // sends nothing more of this wave
    return;
  }
  if (from_children_.size() < child_count()) return;
  std::vector<std::uint64_t> sums = own_;
  for (const auto& [child, share] : from_children_) add(sums, share.numbers);
  if (self_ == NodeId(0)) {
    finish(std::move(sums), out);
    return;
  }
  send(parent(), CollectiveDirection::Up, kind_, wave_, sums, out);
  sent_up_ = true;
}

void Collective::finish(std::vector<std::uint64_t> sums, Outbox& out) {
  for (const auto& [child, share] : from_children_)
    send(child, CollectiveDirection::Down, kind_, wave_, sums, out);
  from_children_.clear();
  result_ = std::move(sums);
  entered_ = false;
  sent_up_ = false;
  ++wave_;
}

void Collective::add(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from) {
  LEEWAY_CHECK(to.size() == from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

NodeId Collective::parent() const { return NodeId((self_.value() - 1) / kArity); }

bool Collective::is_child(NodeId node) const {
  return node.value() < nodes_ && node != NodeId(0) && (node.value() - 1) / kArity == self_.value();
}

std::uint32_t Collective::child_count() const {
  const std::uint64_t first = std::uint64_t{self_.value()} * kArity + 1;
  if (first >= nodes_) return 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kArity, nodes_ - first));
}

std::vector<NodeId> Collective::missing() const {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < child_count(); ++i) {
    const NodeId child(self_.value() * kArity + 1 + i);
    if (!from_children_.contains(child)) nodes.push_back(child);
  }
  if (nodes.empty() && self_ != NodeId(0)) nodes.push_back(parent());
  return nodes;
}

}  // namespace leeway
