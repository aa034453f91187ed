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

namespace {

std::string_view describe(TickMessageKind kind) {
  switch (kind) {
    case TickMessageKind::State:
      return "the state of a tick";
    case TickMessageKind::Barrier:
      return "the barrier";
    case TickMessageKind::Gather:
      return "the state at the end of a stretch";
    case TickMessageKind::Parts:
      return "its part";
    case TickMessageKind::Picture:
      return "a frame";
    case TickMessageKind::Log:
      return "its log";
    case TickMessageKind::Leave:
      return "permission to end";
    case TickMessageKind::Stop:
      break;
  }
  return "the end";
}

}  // namespace

Inbox::Inbox(Endpoint& endpoint)
    : endpoint_(endpoint),
      handler_([this](NodeId from, std::span<const std::byte> frame) { handle(from, frame); }),
      stops_(endpoint.node_count()) {
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
  if (kind == static_cast<std::uint8_t>(TickMessageKind::Stop)) {
    Error error;
    error.kind = static_cast<ErrorKind>(in.byte());
    error.where = in.text();
    error.what = in.text();
    error.remedy = in.text();
    if (in.failed() || error.kind > ErrorKind::Peer || !stops_.add(from)) endpoint_.refuse(from);
    if (!stopped_) stopped_ = std::move(error);
    return;
  }
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

Status Inbox::poll() {
  endpoint_.receive(handler_);
  if (stopped_) return fail(*stopped_);
  return {};
}

Status Inbox::flush() {
  endpoint_.flush(handler_);
  if (stopped_) return fail(*stopped_);
  return {};
}

Status Inbox::await(TickMessageKind kind, NodeId from) {
  while (true) {
    LEEWAY_TRY(poll());
    if (first(kind, from)) return {};
    wait({describe(kind), std::nullopt, from});
  }
}

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

Error Inbox::stop(Error error) {
  if (!stopped_) stopped_ = std::move(error);
  ByteWriter out = message(TickMessageKind::Stop, Tick(0));
  out.byte(static_cast<std::uint8_t>(stopped_->kind));
  out.text(stopped_->where);
  out.text(stopped_->what);
  out.text(stopped_->remedy);
  send_all(out);
  endpoint_.flush(handler_);
  while (stops_.count() + 1 < node_count()) {
    if (endpoint_.receive(handler_) == 0) endpoint_.wait({"the other nodes to stop"});
  }
  return *stopped_;
}

}  // namespace leeway::tick
