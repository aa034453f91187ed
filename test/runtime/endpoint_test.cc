#include "runtime/cluster/endpoint.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "base/bytes.h"
#include "transport/loopback.h"

using namespace leeway;

namespace {

Frame number(std::uint64_t value, std::size_t padding = 0) {
  ByteWriter out;
  out.byte(1);
  out.varint(value);
  std::byte* const rest = out.extend(padding);
  for (std::size_t i = 0; i < padding; ++i) rest[i] = static_cast<std::byte>(i * 7 + value);
  return out.take();
}

/// Every node sends `count` numbers to every other node, and returns when it has received all
/// numbers of all nodes in order.
Status exchange(Endpoint& endpoint, std::uint64_t count, std::size_t padding) {
  const std::uint32_t others = endpoint.node_count() - 1;
  std::vector<std::uint64_t> next(endpoint.node_count());
  std::uint64_t got = 0;
  const Endpoint::Handler take = [&](NodeId from, std::span<const std::byte> frame) {
    ByteReader in(frame);
    (void)in.byte();
    const std::uint64_t value = in.varint();
    bool whole = in.left() == padding;
    const auto rest = in.raw(in.left());
    for (std::size_t i = 0; i < rest.size(); ++i)
      whole = whole && rest[i] == static_cast<std::byte>(i * 7 + value);
    if (whole && value == next[from.index()]++) ++got;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::uint32_t to = 0; to < endpoint.node_count(); ++to) {
      if (NodeId(to) != endpoint.self()) endpoint.send(NodeId(to), number(i, padding));
    }
  }
  while (got < count * others || endpoint.kept() > 0) {
    if (endpoint.receive(take) == 0) endpoint.wait();
  }
  return {};
}

ClusterOptions cluster(Fabric fabric, std::uint32_t nodes) {
  ClusterOptions options;
  options.fabric = fabric;
  options.nodes = nodes;
  return options;
}

}  // namespace

TEST_CASE("messages arrive once, complete and in order, even if they fill every window") {
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t nodes = GENERATE(1u, 2u, 5u);
  const auto [padding, parts] = GENERATE(std::pair<std::size_t, std::size_t>{0, 1},
                                         std::pair<std::size_t, std::size_t>{40'000, 1},
                                         std::pair<std::size_t, std::size_t>{400'000, 7});
  auto options = cluster(fabric, nodes);
  const std::size_t messages = padding == 0 ? 300 : 40;
  const std::size_t room = padding;
  const auto outcome = run_endpoints(
      options, [&](Endpoint& endpoint) { return exchange(endpoint, messages, room); });
  REQUIRE(outcome.has_value());
  REQUIRE(outcome->nodes.size() == nodes);
  for (const TransportStats& node : outcome->nodes) {
    CHECK(node.frames_received == messages * parts * (nodes - 1));
  }
}

TEST_CASE("a slowed virtual node takes longer for charged work") {
  auto options = cluster(Fabric::Sim, 2);
  options.faults.slowdown_percent = {100, 300};
  const auto outcome = run_endpoints(options, [](Endpoint& endpoint) -> Status {
    endpoint.charge(std::chrono::milliseconds(2));
    return {};
  });
  REQUIRE(outcome.has_value());
  CHECK(outcome->ran.elapsed == std::chrono::milliseconds(6));
}

TEST_CASE("the error of a body is the error of the run") {
  const auto outcome = run_endpoints(cluster(Fabric::Loopback, 2), [](Endpoint&) -> Status {
    return fail(input_error("here", "no good", "do better"));
  });
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().to_string().find("no good") != std::string::npos);
}

TEST_CASE("a wait with a deadline ends when a message arrives or the deadline passes") {
  LoopbackNetwork network({.nodes = 2});
  Endpoint here(network.node(NodeId(0)), std::chrono::seconds(60));
  Endpoint there(network.node(NodeId(1)));
  std::size_t heard = 0;
  const Endpoint::Handler count = [&](NodeId, std::span<const std::byte>) { ++heard; };
  CHECK(here.receive(count) == 0);
  here.wait({"an arrival"}, here.now() + std::chrono::milliseconds(2));
  CHECK(here.receive(count) == 0);
  there.send(NodeId(0), number(1));
  here.wait();
  CHECK(here.receive(count) == 1);
}

namespace {

constexpr std::size_t kLimit = std::size_t{256} << 10U;
constexpr std::size_t kMessage = 10'000;

/// Two nodes with small windows, so that most messages are queued.
LoopbackOptions narrow() {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{32} << 10U;
  return options;
}

/// Receives messages that are numbered from 0.
class Reader {
 public:
  Endpoint::Handler handler() {
    return [this](NodeId, std::span<const std::byte> frame) {
      ByteReader in(frame);
      (void)in.byte();
      in_order = in_order && in.varint() == heard;
      ++heard;
    };
  }
  std::uint64_t heard = 0;
  bool in_order = true;
};

}  // namespace

TEST_CASE("a sender blocks once the queue for a node that does not receive is full") {
  LoopbackNetwork network(narrow());
  constexpr std::uint64_t kMessages = 500;
  std::atomic<std::uint64_t> sent{0};
  std::thread receiver([&] {
    Endpoint endpoint(network.node(NodeId(1)));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(sent < 40);  // capacity of the window and the queue
    Reader reader;
    const Endpoint::Handler handler = reader.handler();
    while (reader.heard < kMessages) {
      if (endpoint.receive(handler) == 0) endpoint.wait();
    }
    CHECK(reader.in_order);
  });
  Endpoint endpoint(network.node(NodeId(0)), {}, kLimit);
  std::size_t most = 0;
  for (std::uint64_t i = 0; i < kMessages; ++i) {
    endpoint.send(NodeId(1), number(i, kMessage));
    sent = i + 1;
    most = std::max(most, endpoint.kept_bytes(NodeId(1)));
  }
  CHECK(most <= kLimit + kMessage + 16);
  endpoint.flush([](NodeId, std::span<const std::byte>) {});
  CHECK(endpoint.kept_bytes(NodeId(1)) == 0);
  receiver.join();
}

TEST_CASE(
    "two nodes that exceed their queue limits do not deadlock, and messages arrive in order") {
  LoopbackNetwork network(narrow());
  constexpr std::uint64_t kMessages = 300;
  const auto body = [&](std::uint32_t self) {
    Endpoint endpoint(network.node(NodeId(self)), {}, kLimit);
    Reader reader;
    const Endpoint::Handler handler = reader.handler();
    for (std::uint64_t i = 0; i < kMessages; ++i)
      endpoint.send(NodeId(1 - self), number(i, kMessage));
    while (reader.heard < kMessages) {
      if (endpoint.receive(handler) == 0) endpoint.wait();
    }
    endpoint.flush(handler);
    CHECK(reader.in_order);
    CHECK(reader.heard == kMessages);
  };
  std::thread other([&] { body(1); });
  body(0);
  other.join();
}

TEST_CASE("a handler with large answers leaves at most the limit in the queue") {
  LoopbackNetwork network(narrow());
  constexpr std::uint64_t kAsked = 200;
  constexpr std::uint64_t kAnswers = 10;
  std::thread other([&] {
    Endpoint endpoint(network.node(NodeId(1)), {}, kLimit);
    std::uint64_t answered = 0;
    const Endpoint::Handler answer = [&](NodeId from, std::span<const std::byte>) {
      for (std::uint64_t i = 0; i < kAnswers; ++i)
        endpoint.send(from, number(answered++, kMessage));
    };
    while (answered < kAsked * kAnswers) {
      if (endpoint.receive(answer) == 0) endpoint.wait();
      CHECK(endpoint.kept_bytes(NodeId(0)) <= kLimit);
    }
    endpoint.flush(answer);
  });
  Endpoint endpoint(network.node(NodeId(0)), {}, kLimit);
  Reader reader;
  const Endpoint::Handler handler = reader.handler();
  for (std::uint64_t i = 0; i < kAsked; ++i) endpoint.send(NodeId(1), number(i));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  while (reader.heard < kAsked * kAnswers) {
    if (endpoint.receive(handler) == 0) endpoint.wait();
  }
  CHECK(reader.in_order);
  other.join();
}
