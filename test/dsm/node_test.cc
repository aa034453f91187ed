// The node around its spaces: which thread handles its messages, its statistics, and that it sleeps
// while there is nothing to do.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "leeway/dsm.h"
#include "test/support/clusters.h"
#include "test/support/processor_time.h"
#include "transport/transport.h"

using namespace leeway;
using testing::finish_sim;
using testing::processor_seconds;
using testing::run_loopback;
using testing::run_sim;

namespace {

NodeOptions served_by(Service service) {
  NodeOptions options;
  options.policy = parse_policy("rcp").value();
  options.service = service;
  return options;
}

SpaceOptions one_object(const Node& node) {
  SpaceOptions options;
  options.local_objects = node.self() == NodeId(0) ? 1 : 0;
  options.remote_objects = 1;
  return options;
}

struct Wait {
  double lasted = 0, used = 0;
};

/// A fetch that is not answered for `idle` seconds, because the home does not poll. The waiting
/// node has a service activity that waits too.
Wait wait_for_an_answer(double idle) {
  LoopbackNetwork network({.nodes = 2});
  std::atomic<bool> away{false}, asking{false};
  std::thread home([&] {
    Node node(network.node(NodeId(0)), served_by(Service::Inline));
    (void)Dsm<std::uint64_t>::open(node, one_object(node))
        .value();  // no REQUIRE, because Catch is not thread-safe
    node.barrier();
    away = true;
    while (!asking) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::duration<double>(idle));
    node.close();
  });
  Node node(network.node(NodeId(1)), served_by(Service::Background));
  auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
  node.barrier();
  while (!away) std::this_thread::yield();
  const SteadyClock clock;
  const Instant start = clock.now();
  asking = true;
  const double before = processor_seconds();
  (void)dsm.fetch(ObjectId(NodeId(0), LocalIndex(0)));
  const Wait wait{.lasted = seconds(clock.now() - start), .used = processor_seconds() - before};
  node.close();
  home.join();
  return wait;
}

}  // namespace

TEST_CASE("a stale hit refreshes the copy, in every service mode") {
  for (const Service service : {Service::Background, Service::Inline, Service::Separate}) {
    const auto body = [](Node& node) {
      auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
      const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
      (void)dsm.fetch(object);
      for (std::uint64_t round = 1; round <= 20; ++round) {
        node.barrier();
        if (node.self() == NodeId(0)) dsm.store(object, round);
        node.barrier();  // all nodes have the invalidation
        const std::uint64_t stale = dsm.fetch(object);
        node.quiesce();
        const std::uint64_t fresh = dsm.fetch(object);
        if (stale > round || fresh != round) throw std::runtime_error("not refreshed");
      }
      node.barrier();
    };
    run_loopback({.nodes = 3}, served_by(service), body);
    REQUIRE(run_sim({.nodes = 3}, served_by(service), body).outcome == SimOutcome::Finished);
  }
}

TEST_CASE("with a service activity a fetch is answered while the home's thread is busy") {
  std::atomic<bool> fetched{false};
  run_loopback({.nodes = 2}, served_by(Service::Background), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      (void)dsm.fetch(ObjectId(NodeId(0), LocalIndex(0)));
      fetched = true;
    }
    // The home's thread does not call the node during this loop.
    for (int i = 0; i < 2000 && !fetched; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  CHECK(fetched);
}

TEST_CASE("evidence names the reads, the stores and the collective that a node waits for") {
  std::string reading, storing, meeting;
  NodeOptions options;
  options.policy = parse_policy("scp").value();
  options.service = Service::Inline;
  finish_sim({.nodes = 2}, options, [&](Node& node) {
    SpaceOptions space = one_object(node);
    space.name = "ranks";
    auto dsm = Dsm<std::uint64_t>::open(node, space).value();
    const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      dsm.prefetch(std::vector{object});
      reading = node.evidence();
    }
    node.quiesce();
    if (node.self() == NodeId(0)) {
      node.transport().spawn("observer", [&] {
        storing = node.evidence();
        node.transport().wake();
      });
      dsm.store(object, 1);  // waits for node 1
      node.transport().spawn("observer", [&] { meeting = node.evidence(); });
    } else {
      node.transport().charge({.vertices = 1'000'000});  // makes node 0 wait
    }
    node.barrier();
  });
  INFO(reading << storing << meeting);
  CHECK(reading.find("space ranks: 1 reads are not answered") != std::string::npos);
  CHECK(storing.find("space ranks: a store waits for node 1 to acknowledge") != std::string::npos);
  CHECK(meeting.find("waits for node 1") != std::string::npos);
  CHECK(meeting.find("collective") != std::string::npos);
}

// LEEWAY_IDLE_SECONDS sets the duration. The polls of the home before it sleeps count too and can
// be long on a busy machine; a node that loops while it waits exceeds the bound every time.
TEST_CASE("nodes that wait use no processor", "[clock]") {
  const char* const setting = std::getenv("LEEWAY_IDLE_SECONDS");
  const double idle = setting != nullptr ? std::atof(setting) : 1.5;
  double least = idle;
  for (int attempt = 0; attempt < 5 && least >= 0.01 * idle; ++attempt) {
    const Wait wait = wait_for_an_answer(idle);
    REQUIRE(wait.lasted >= idle * 0.99);
    least = std::min(least, wait.used);
  }
  INFO(least << " s of processor in " << idle << " s");
  CHECK(least < 0.01 * idle);
}

TEST_CASE("statistics are a consistent snapshot while other threads handle messages") {
  std::atomic<bool> over{false};
  run_loopback({.nodes = 2}, served_by(Service::Background), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
    const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
    node.barrier();
    std::uint64_t torn = 0;
    std::thread watcher([&] {
      while (!over) {
        const NodeStats stats = node.stats();
        std::uint64_t of_all_kinds = 0;
        for (std::size_t kind = 1; kind < stats.sent_by_kind.size(); ++kind) {
          if (kind != static_cast<std::size_t>(MessageKind::Collective))
            of_all_kinds += stats.sent_by_kind[kind].messages;
        }
        torn += of_all_kinds != stats.messages_sent ? 1 : 0;
      }
    });
    const SteadyClock clock;
    const Instant end = clock.now() + std::chrono::milliseconds(300);
    for (std::uint64_t i = 1; clock.now() < end; ++i) {
      if (node.self() == NodeId(0)) {
        dsm.store(object, i);
        node.progress();
      } else {
        (void)dsm.fetch(object);
      }
    }
    node.barrier();
    over = true;
    watcher.join();
    if (torn > 0) throw std::runtime_error("counts of different moments");
  });
}

// Both threads acquire the lock. Usually the one that ends the recording gets it first. Then the other
// thread, which saw the recording active before it got the lock, must check again.
TEST_CASE("no times are recorded after the recording was ended") {
  constexpr int kRounds = 20;
  LoopbackNetwork network({.nodes = 1});
  Node node(network.node(NodeId(0)), served_by(Service::Inline));
  int ended_first = 0;
  for (int round = 0; round < kRounds; ++round) {
    NodeTimes times;
    node.keep_times(&times);
    std::size_t kept = 0;
    std::thread waiter, ender;
    {
      const std::lock_guard locked(node.lock());
      ender = std::thread([&] {
        node.keep_times(nullptr);
        kept = times.blocked.size();
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      waiter = std::thread([&] { node.note_blocked(Instant{}, Instant{}); });
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    waiter.join();
    ender.join();
    CHECK(times.blocked.size() == kept);  // no entry after the end
    ended_first += kept == 0 ? 1 : 0;
  }
  CHECK(ended_first > 0);  // otherwise the race did not occur
  node.close();
}

// Node 0 answers immediately, node 2 only after a signal. Another thread of node 1 reads from node
// 2.
TEST_CASE("a thread that waits for its reads does not wait for those of other threads") {
  LoopbackNetwork network({.nodes = 3});
  std::atomic<bool> go_on{false};
  std::atomic<int> away{0};  // homes that have stopped polling
  const auto with_objects = [](Node& node) {
    SpaceOptions options;
    options.local_objects = node.self() == NodeId(1) ? 0 : 4;
    options.remote_objects = 8;
    return Dsm<std::uint64_t>::open(node, options).value();
  };
  const auto home = [&](std::uint32_t id, Service service) {
    return std::thread([&, id, service] {
      Node node(network.node(NodeId(id)), served_by(service));
      [[maybe_unused]] const auto dsm = with_objects(node);
      node.barrier();
      ++away;
      while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      node.close();
    });
  };
  std::thread quick = home(0, Service::Background);
  std::thread slow = home(2, Service::Inline);
  Node node(network.node(NodeId(1)), served_by(Service::Background));
  auto dsm = with_objects(node);
  node.barrier();
  while (away < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Handle theirs = dsm.resolve({NodeId(2), LocalIndex(0)}).value();
  const Handle mine = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
  std::thread other([&] { (void)dsm.fetch(theirs); });
  while (dsm.space().age(MetIndex(0)) == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // its read is in flight
  std::atomic<bool> here{false};
  std::thread replicator([&] {
    dsm.replicate(std::span(&mine, 1));
    here = true;
  });
  for (int i = 0; i < 2000 && !here; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(here);
  go_on = true;
  replicator.join();
  other.join();
  node.close();
  quick.join();
  slow.join();
}

namespace {

/// Stops the calling thread after its next poll until a frame has arrived that woke another thread,
/// and that thread waits again.
class StoppedPoll final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;

  void stop_next(std::function<void()> and_send) {
    and_send_ = std::move(and_send);
    stops_ = std::this_thread::get_id();
  }

  std::size_t poll(FrameSink& sink, std::size_t most) override {
    const std::size_t found = ForwardingTransport::poll(sink, most);
    if (stops_ == std::this_thread::get_id()) {
      stops_ = std::thread::id();
      while (waits_ == 0) std::this_thread::yield();
      const int before = waits_;
      and_send_();
      while (waits_ == before) std::this_thread::yield();
    }
    return found;
  }
  void wait(std::uint64_t seen, std::optional<Instant> deadline) override {
    ++waits_;
    ForwardingTransport::wait(seen, deadline);
  }

 private:
  std::function<void()> and_send_;  // called by the stopped thread
  std::atomic<std::thread::id> stops_{};
  std::atomic<int> waits_{0};
};

}  // namespace

TEST_CASE("a message that arrives while another thread polls is handled") {
  LoopbackNetwork network({.nodes = 2});
  std::atomic<bool> store{false}, over{false};
  std::thread home([&] {
    Node node(network.node(NodeId(0)), served_by(Service::Inline));
    auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
    const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
    node.barrier();
    node.barrier();
    while (!store) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    dsm.store(object, 1);
    node.progress();
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    node.close();
  });
  StoppedPoll transport(network.node(NodeId(1)));
  Node node(transport, served_by(Service::Background));
  auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
  node.barrier();
  (void)dsm.fetch(ObjectId(NodeId(0), LocalIndex(0)));
  node.barrier();
  const std::uint64_t before = node.stats().messages_handled;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the service activity sleeps
  transport.stop_next([&] { store = true; });
  node.progress();
  for (int i = 0; i < 2000 && node.stats().messages_handled == before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(node.stats().messages_handled > before);
  over = true;
  node.close();
  home.join();
}
