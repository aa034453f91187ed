#include "transport/ofi_wire.h"

#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

using namespace leeway;

namespace {

/// Wires in one process, connected over TCP; each makes progress only when it is called.
std::vector<std::unique_ptr<OfiWire>> wires(std::uint32_t count, bool encrypt = false) {
  const Secret secret = Secret::random();
  std::vector<std::unique_ptr<OfiWire>> all;
  std::vector<std::string> peers;
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back(open_ofi({.provider = "tcp;ofi_rxm",
                            .host = "127.0.0.1",
                            .self = NodeId(i),
                            .nodes = count,
                            .secret = secret,
                            .encrypt = encrypt})
                      .value());
    peers.push_back(all.back()->address());
  }
  for (const auto& wire : all) REQUIRE(wire->meet(peers).has_value());
  return all;
}

void send(OfiWire& from, std::uint32_t to, std::size_t bytes) {
  Frame frame(bytes, std::byte{1});
  REQUIRE(from.send(NodeId(to), {.credit = 0, .carries = 1}, frame));
}

/// Makes progress on both until `to` has received a frame; false after two seconds.
bool arrives(OfiWire& from, OfiWire& to) {
  Packet packet;
  for (int i = 0; i < 2000; ++i) {
    (void)from.drained();
    if (to.receive(packet)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

Frame pattern(std::size_t bytes, std::size_t seed) {
  Frame frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::byte>((i * 31 + seed) >> 3U);
  return frame;
}

}  // namespace

TEST_CASE("frames of all sizes arrive in order although libfabric accepts only a few at a time") {
  const auto all = wires(2, GENERATE(false, true));
  constexpr std::size_t kFrames = 120;
  const auto size = [](std::size_t i) { return i % 3 == 0 ? i * 7000 : i * 10; };
  std::size_t sent = 0;
  std::size_t received = 0;
  Packet packet;
  for (int turn = 0; turn < 100'000 && received < kFrames; ++turn) {
    // First far more than socket buffers hold before the receiver polls; afterwards at most that
    // many in flight.
    for (; sent < kFrames && (turn == 0 || sent < received + 20); ++sent) {
      Frame frame = pattern(size(sent), sent);
      REQUIRE(all[0]->send(NodeId(1), {.credit = sent, .carries = 1}, frame));
    }
    (void)all[0]->drained();
    while (all[1]->receive(packet)) {
      REQUIRE(packet.envelope.credit == received);
      REQUIRE(packet.frame == pattern(size(received), received));
      ++received;
      all[1]->reuse(std::move(packet.frame));
    }
  }
  CHECK(received == kFrames);
  CHECK(all[0]->dropped() == 0);
  CHECK(all[1]->dropped() == 0);
}

TEST_CASE("a peer may leave while frames to it are in flight") {
  const auto all = wires(3);
  for (int i = 0; i < 64; ++i) send(*all[0], 2, std::size_t{1} << 20U);
  for (int i = 0; i < 50; ++i) (void)all[0]->drained();
  all[0]->drop(NodeId(2));
  send(*all[0], 1, 100'000);
  CHECK(arrives(*all[0], *all[1]));
}

TEST_CASE("a receiver that does not poll does not block frames to others", "[clock]") {
  const auto all = wires(3);
  for (const std::uint32_t peer : {1U, 2U}) {
    send(*all[0], peer, 10);
    REQUIRE(arrives(*all[0], *all[peer]));
  }
  // Far more than socket buffers hold; node 2 no longer polls.
  for (int i = 0; i < 64; ++i) send(*all[0], 2, std::size_t{1} << 20U);
  for (int i = 0; i < 200; ++i) (void)all[0]->drained();
  send(*all[0], 1, 10);
  CHECK(arrives(*all[0], *all[1]));
}
