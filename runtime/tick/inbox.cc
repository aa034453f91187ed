#include "runtime/tick/inbox.h"

#include <ctime>
#include <string>
#include <utility>

#include "base/check.h"

namespace leeway::tick {

Instant ThreadClock::now() const {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return Instant(std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec));
}

ThreadMeter::ThreadMeter(bool on) : on_(on) {
  if (!on) return;
  constexpr int kReadings = 100;
  reading_ = Duration::max();
  for (int i = 0; i < kReadings; ++i) {
    const Instant first = clock_.now();
    reading_ = std::min(reading_, clock_.now() - first);
  }
}

Inbox::Inbox(Endpoint& endpoint)
    : endpoint_(endpoint),
      handler_([this](NodeId from, std::span<const std::byte> frame) { handle(from, frame); }) {
  endpoint_.expect_kinds(kKinds);
  for (auto& boxes : boxes_) boxes.resize(endpoint.node_count());
  for (auto& ticks : newest_) ticks.resize(endpoint.node_count());
}

ByteWriter Inbox::message(TickMessageKind kind, Tick tick, std::size_t room) {
  ByteWriter out;
  out.reserve(room);
  out.byte(static_cast<std::uint8_t>(kind));
  out.varint(tick.value());
  return out;
}

void Inbox::handle(NodeId from, std::span<const std::byte> frame) {
  ByteReader in(frame);
  const std::uint8_t kind = in.byte();
  const Tick tick(static_cast<std::uint32_t>(in.varint_up_to(0xFFFFFFFF)));
  if (in.failed() || kind >= kKinds) endpoint_.refuse(from);
  // A node sends at most one message of a kind for a tick, in the order of ticks.
  std::optional<Tick>& newest = newest_[kind][from.index()];
  if (newest && tick <= *newest) endpoint_.refuse(from);
  newest = tick;
  const auto body = in.raw(in.left());
  Frame kept;
  if (!spare_.empty()) {
    kept = std::move(spare_.back());
    spare_.pop_back();
  }
  kept.assign(body.begin(), body.end());
  boxes_[kind][from.index()].push_back({tick, std::move(kept)});
}

void Inbox::keep(ByteWriter& message) { handle(self(), message.take()); }

std::deque<Inbox::WaitingMessage>& Inbox::box(TickMessageKind kind, NodeId from) {
  return boxes_[static_cast<std::size_t>(kind)][from.index()];
}
const std::deque<Inbox::WaitingMessage>& Inbox::box(TickMessageKind kind, NodeId from) const {
  return boxes_[static_cast<std::size_t>(kind)][from.index()];
}

std::optional<Tick> Inbox::first(TickMessageKind kind, NodeId from) const {
  const auto& messages = box(kind, from);
  if (messages.empty()) return std::nullopt;
  return messages.front().tick;
}

void Inbox::drop_before(TickMessageKind kind, NodeId from, Tick tick) {
  auto& messages = box(kind, from);
  while (!messages.empty() && messages.front().tick < tick) messages.pop_front();
}

Frame Inbox::take(TickMessageKind kind, NodeId from) {
  auto& messages = box(kind, from);
  LEEWAY_CHECK(!messages.empty());
  Frame body = std::move(messages.front().body);
  messages.pop_front();
  return body;
}

}  // namespace leeway::tick
