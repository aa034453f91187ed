// Several threads that wait at one endpoint of the loopback transport.
#include "transport/loopback.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/clock.h"

using namespace leeway;

namespace {

class Counting final : public FrameSink {
 public:
  void on_frame(NodeId, std::span<const std::byte>) override { ++frames; }
  void on_peer_down(NodeId) override {}
  std::uint32_t frames = 0;
};

}  // namespace

// Thread 1 sleeps since before any frame was sent. Thread 2, asleep since later, is notified of two
// frames, takes the first one when it is due, and leaves. The second frame must wake thread 1.
TEST_CASE("a frame that is due later wakes a thread that still waits", "[clock]") {
  LoopbackOptions options{.nodes = 2, .profile = {}, .seed = 1};
  options.profile.name = "slow";
  options.profile.latency_ns = {20'000'000};
  options.profile.picoseconds_per_byte = 1'000'000;
  LoopbackNetwork network(options);
  Transport& here = network.node(NodeId(0));
  Transport& there = network.node(NodeId(1));
  Counting sink;
  std::atomic<std::uint32_t> taken{0};
  std::atomic<bool> over{false};
  std::mutex polling;
  const auto poll = [&] {
    const std::lock_guard locked(polling);
    here.poll(sink, 64);
    taken = sink.frames;
  };
  std::thread stands_by([&] {
    while (!over) {
      const std::uint64_t ticket = here.ticket();
      poll();
      if (!over) here.wait(ticket, std::nullopt);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::thread leaves([&] {
    while (taken == 0) {
      const std::uint64_t ticket = here.ticket();
      poll();
      if (taken == 0) here.wait(ticket, std::nullopt);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (int i = 0; i < 2; ++i) {
    Frame frame(100'000);  // 0.1 s transmission time each
    REQUIRE(there.send(NodeId(0), frame) == SendOutcome::Sent);
  }
  leaves.join();
  const SteadyClock clock;
  const Instant until = clock.now() + std::chrono::seconds(5);
  while (taken < 2 && clock.now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(taken == 2);
  over = true;
  here.wake();
  stands_by.join();
}
