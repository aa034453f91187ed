#include "leeway/transport/ofi_wire.h"

#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

using namespace leeway;

namespace {

/// Some wires of one process, tied to each other over TCP; each moves only when it is asked to.
std::vector<std::unique_ptr<OfiWire>> wires(std::uint32_t count) {
  const Secret secret = Secret::random();
  std::vector<std::unique_ptr<OfiWire>> all;
  std::vector<std::string> peers;
  for (std::uint32_t i = 0; i < count; ++i) {
    all.push_back(open_ofi({.provider = "tcp;ofi_rxm",
                            .host = "127.0.0.1",
                            .self = NodeId(i),
                            .nodes = count,
                            .secret = secret})
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

/// Moves both until `to` has received a frame; false if that takes two seconds.
bool arrives(OfiWire& from, OfiWire& to) {
  Packet packet;
  for (int i = 0; i < 2000; ++i) {
    (void)from.drained();
    if (to.receive(packet)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

TEST_CASE("a receiver that takes nothing does not keep back what others are sent", "[clock]") {
  const auto all = wires(3);
  for (const std::uint32_t peer : {1U, 2U}) {
    send(*all[0], peer, 10);
    REQUIRE(arrives(*all[0], *all[peer]));
  }
  // Far more than sockets hold; node 2 no longer moves.
  for (int i = 0; i < 64; ++i) send(*all[0], 2, std::size_t{1} << 20U);
  for (int i = 0; i < 200; ++i) (void)all[0]->drained();
  send(*all[0], 1, 10);
  CHECK(arrives(*all[0], *all[1]));
}
