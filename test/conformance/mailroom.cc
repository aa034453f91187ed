#include "test/conformance/mailroom.h"

#include <utility>

#include "base/bytes.h"

namespace leeway::conformance {

namespace {

constexpr Duration kPatience = std::chrono::seconds(60);

std::uint64_t seed_of(NodeId from, NodeId to, std::uint64_t number, std::size_t bytes) {
  return mix64((std::uint64_t{from.value()} << 48) ^ (std::uint64_t{to.value()} << 32) ^ number ^
               (std::uint64_t{bytes} << 20));
}

}  // namespace

Frame make_frame(NodeId from, NodeId to, std::uint64_t number, std::size_t bytes) {
  Frame frame(bytes);
  std::uint64_t state = seed_of(from, to, number, bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) state = mix64(state + i);
    frame[i] = static_cast<std::byte>(state >> (8 * (i % 8)));
  }
  return frame;
}

template <class Done>
void Mailroom::until(Done&& done, const std::string& what) {
  const Instant limit = transport_.now() + kPatience;
  while (true) {
    const std::uint64_t ticket = transport_.ticket();
    if (done()) return;
    if (transport_.now() > limit) throw Broken("waited a minute for " + what);
    if (poll() == 0) transport_.wait(ticket, limit);
  }
}

void Mailroom::send(NodeId to, Frame frame) {
  until([&] { return transport_.send(to, frame) == SendOutcome::Sent; },
        format("room on the way to node {}", to));
}

Frame Mailroom::receive(NodeId from) {
  auto& queue = in_[from.index()];
  until([&] { return !queue.empty(); }, format("a frame of node {}", from));
  Frame frame = std::move(queue.front());
  queue.pop_front();
  return frame;
}

void Mailroom::expect_frame(NodeId from, std::uint64_t number, std::size_t bytes) {
  const Frame frame = receive(from);
  expect(frame.size() == bytes, format("frame {} of node {} has {} bytes instead of {}", number,
                                       from, frame.size(), bytes));
  expect(frame == make_frame(from, self(), number, bytes),
         format("frame {} of node {} ({} bytes) has other content than was sent", number, from,
                bytes));
}

void Mailroom::wait_for_down(NodeId peer) {
  until([&] { return is_down(peer); }, format("word that node {} is down", peer));
}

void Mailroom::barrier() {
  constexpr std::uint64_t kArrive = 0xB0, kGo = 0xB1;
  const NodeId root(0);
  if (self() != root) {
    send(root, make_frame(self(), root, kArrive, 16));
    expect_frame(root, kGo, 16);
    return;
  }
  for (std::uint32_t i = 1; i < node_count(); ++i) expect_frame(NodeId(i), kArrive, 16);
  for (std::uint32_t i = 1; i < node_count(); ++i) {
    send(NodeId(i), make_frame(root, NodeId(i), kGo, 16));
  }
}

void Mailroom::on_frame(NodeId from, std::span<const std::byte> frame) {
  in_[from.index()].emplace_back(frame.begin(), frame.end());
}

}  // namespace leeway::conformance
