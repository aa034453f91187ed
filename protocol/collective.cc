#include "leeway/protocol/collective.h"

#include <algorithm>

#include "leeway/base/check.h"

namespace leeway {

namespace {

enum class Direction : std::uint8_t { Up = 0, Down = 1 };

void send(NodeId to, Direction direction, std::uint64_t wave,
          std::span<const std::uint64_t> numbers, Outbox& out) {
  ByteWriter& writer = out.begin(to, MessageKind::Collective, SpaceId(0));
  writer.byte(static_cast<std::uint8_t>(direction));
  writer.varint(wave);
  writer.varint(numbers.size());
  for (const std::uint64_t number : numbers) writer.varint(number);
}

}  // namespace

Collective::Collective(NodeId self, std::uint32_t nodes) : self_(self), nodes_(nodes) {}

void Collective::enter(std::span<const std::uint64_t> numbers, Outbox& out) {
  LEEWAY_CHECK(!entered_, "wave", wave_);
  LEEWAY_CHECK(numbers.size() <= kMostNumbers);
  own_.assign(numbers.begin(), numbers.end());
  entered_ = true;
  advance(out);
}

bool Collective::on_message(NodeId from, ByteReader& in, Outbox& out) {
  const std::uint8_t direction = in.byte();
  const std::uint64_t wave = in.varint();
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(in.varint_up_to(kMostNumbers)));
  for (std::uint64_t& number : numbers) number = in.varint();
  if (in.failed() || direction > 1) return false;
  if (wave < wave_) return true;  // arrived before
  if (wave > wave_) return false;
  // Nodes that disagree on what they count have lost step, and a sum of it would be read amiss.
  if (entered_ && numbers.size() != own_.size()) return false;
  if (direction == static_cast<std::uint8_t>(Direction::Up)) {
    if (!is_child(from)) return false;
    from_children_[from] = std::move(numbers);
    advance(out);
    return true;
  }
  if (self_ == NodeId(0) || from != parent() || !sent_up_) return false;
  finish(std::move(numbers), out);
  return true;
}

void Collective::advance(Outbox& out) {
  if (!entered_ || sent_up_ || from_children_.size() < child_count()) return;
  std::vector<std::uint64_t> sums = own_;
  for (const auto& [child, numbers] : from_children_) add(sums, numbers);
  if (self_ == NodeId(0)) {
    finish(std::move(sums), out);
    return;
  }
  send(parent(), Direction::Up, wave_, sums, out);
  sent_up_ = true;
}

void Collective::finish(std::vector<std::uint64_t> sums, Outbox& out) {
  for (const auto& [child, numbers] : from_children_)
    send(child, Direction::Down, wave_, sums, out);
  from_children_.clear();
  result_ = std::move(sums);
  entered_ = false;
  sent_up_ = false;
  ++wave_;
}

void Collective::add(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from) {
  to.resize(std::max(to.size(), from.size()));
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
