// WireTransport over an in-memory wire. The bytes between a sender and a receiver that does not
// poll stay within the window, whichever thread makes progress on the wire, and credit that the
// wire refused is sent later.
#include "transport/wire_transport.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

using namespace leeway;

namespace {

constexpr std::uint64_t kWindow = 4096;

/// The channel between two ends; either end can refuse data for a while.
struct Between {
  std::array<std::deque<Packet>, 2> arriving;
  std::array<bool, 2> takes = {true, true};
};

class MemoryWire final : public Wire {
 public:
  MemoryWire(Between& between, std::uint32_t self) : between_(between), self_(self) {}
  NodeId self() const override { return NodeId(self_); }
  std::uint32_t node_count() const override { return 2; }
  bool send(NodeId to, const Envelope& envelope, Frame& frame) override {
    if (!between_.takes[self_]) return false;
    between_.arriving[to.index()].push_back({self(), envelope, std::move(frame)});
    frame.clear();
    return true;
  }
  bool receive(Packet& packet) override {
    auto& arriving = between_.arriving[self_];
    if (arriving.empty()) return false;
    packet = std::move(arriving.front());
    arriving.pop_front();
    return true;
  }
  bool drained() override { return true; }
  void rest(Duration, Duration) override {}
  void interrupt() override {}
  void drop(NodeId peer) override {
    between_.arriving[self_].clear();
    between_.arriving[peer.index()].clear();
  }

 private:
  Between& between_;
  const std::uint32_t self_;
};

class Counted final : public FrameSink {
 public:
  void on_frame(NodeId, std::span<const std::byte> frame) override {
    ++frames;
    bytes += frame.size();
  }
  void on_peer_down(NodeId) override {}
  std::size_t frames = 0;
  std::size_t bytes = 0;
};

struct Pair {
  Between between;
  WireTransport sender{std::make_unique<MemoryWire>(between, 0), kWindow};
  WireTransport receiver{std::make_unique<MemoryWire>(between, 1), kWindow};
  Counted received;

  /// True if the sender accepted it.
  bool send(std::size_t bytes, std::uint32_t to = 1) {
    Frame frame(bytes);
    return sender.send(NodeId(to), frame) == SendOutcome::Sent;
  }
  /// Sends until the sender accepts nothing more; the receiver makes progress on its wire but does
  /// not poll. Returns the number of frames sent.
  std::size_t fill(std::size_t bytes) {
    std::size_t sent = 0;
    for (; sent < 1000 && send(bytes); ++sent) receiver.pump();
    return sent;
  }
  void receive_all() {
    while (receiver.poll(received, 64) > 0) {
    }
  }
};

}  // namespace

TEST_CASE("a receiver that does not poll is sent at most a window and one frame") {
  for (const std::size_t bytes : {0UL, 1UL, 100UL, 1000UL, 4000UL, 20'000UL}) {
    INFO(bytes << " bytes a frame");
    Pair pair;
    const std::size_t sent = pair.fill(bytes);
    CHECK(sent >= 1);
    CHECK((sent - 1) * CreditWindow::weight(bytes) <= kWindow);
    CHECK(pair.between.arriving[1].empty());  // all bytes are in the receiver
    pair.receive_all();
    CHECK(pair.received.frames == sent);
    CHECK(pair.received.bytes == sent * bytes);
    pair.sender.pump();
    CHECK(pair.fill(bytes) > 0);
  }
}

TEST_CASE("frames to the node itself are bounded like all others") {
  Pair pair;
  std::size_t sent = 0;
  while (sent < 1000 && pair.send(100, 0)) ++sent;
  CHECK((sent - 1) * CreditWindow::weight(100) <= kWindow);
  Counted own;
  while (pair.sender.poll(own, 64) > 0) {
  }
  CHECK(own.frames == sent);
  CHECK(pair.send(100, 0));
}

TEST_CASE("credit that the wire refused is sent later") {
  Pair pair;
  for (int round = 1; round <= 5; ++round) {
    pair.between.takes[1] = false;
    REQUIRE(pair.fill(100) > 0);
    pair.receive_all();
    pair.sender.pump();
    REQUIRE_FALSE(pair.send(100));  // no credit has arrived
    pair.between.takes[1] = true;
    pair.receiver.pump();
    pair.sender.pump();
  }
  CHECK(pair.fill(100) > 0);
}

TEST_CASE("if the wire refuses a frame, the sender keeps it and the window is unchanged") {
  Pair pair;
  pair.between.takes[0] = false;
  Frame frame(100, std::byte{7});
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(pair.sender.send(NodeId(1), frame) == SendOutcome::Full);
    REQUIRE(frame == Frame(100, std::byte{7}));
  }
  pair.between.takes[0] = true;
  CHECK(pair.fill(100) >= kWindow / CreditWindow::weight(100));
}

TEST_CASE("frames to a lost peer are dropped") {
  Pair pair;
  REQUIRE(pair.fill(100) > 0);
  pair.sender.take_down(NodeId(1));
  CHECK(pair.fill(100) == 1000);  // frames to it are dropped
  CHECK(pair.between.arriving[1].empty());
}
