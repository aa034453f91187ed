// The node around the spaces: who moves its messages, what it says of itself, and that it sleeps while
// there is nothing to do.
#include <sys/resource.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "leeway/dsm/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
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

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

TEST_CASE("a stale hit brings the current value, whoever moves the messages") {
  for (const Service service : {Service::Background, Service::Inline}) {
    const auto body = [](Node& node) {
      auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
      const Handle object = dsm.resolve({NodeId(0), LocalIndex(0)}).value();
      (void)dsm.fetch(object);
      for (std::uint64_t round = 1; round <= 20; ++round) {
        node.barrier();
        if (node.self() == NodeId(0)) dsm.store(object, round);
        node.barrier();  // the news is everywhere
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

TEST_CASE(
    "with a service activity a fetch is answered while the home's thread does something else") {
  std::atomic<bool> fetched{false};
  run_loopback({.nodes = 2}, served_by(Service::Background), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, one_object(node)).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      (void)dsm.fetch(ObjectId(NodeId(0), LocalIndex(0)));
      fetched = true;
    }
    // The home's thread never calls into the node meanwhile.
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
  run_sim({.nodes = 2}, options, [&](Node& node) {
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
      node.transport().charge({.vertices = 1'000'000});  // keeps node 0 waiting
    }
    node.barrier();
  });
  INFO(reading << storing << meeting);
  CHECK(reading.find("space ranks: 1 reads are not answered") != std::string::npos);
  CHECK(storing.find("space ranks: a store waits for node 1 to acknowledge") != std::string::npos);
  CHECK(meeting.find("waits for node 1") != std::string::npos);
  CHECK(meeting.find("collective") != std::string::npos);
}

// A fetch that is not answered for a while, because the home serves nobody meanwhile; the node that waits has
// a service activity that waits too. LEEWAY_IDLE_SECONDS sets for how long.
TEST_CASE("nodes that wait use no processor") {
  const char* const told = std::getenv("LEEWAY_IDLE_SECONDS");
  const double idle = told != nullptr ? std::atof(told) : 1.5;
  LoopbackNetwork network({.nodes = 2});
  std::atomic<bool> away{false}, asking{false};
  std::thread home([&] {
    Node node(network.node(NodeId(0)), served_by(Service::Inline));
    REQUIRE(Dsm<std::uint64_t>::open(node, one_object(node)).has_value());
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
  const double waited = seconds(clock.now() - start);
  const double used = processor_seconds() - before;
  node.close();
  home.join();
  INFO(used << " s of processor in " << waited << " s");
  CHECK(waited >= idle * 0.99);
  CHECK(used < 0.01 * idle);
}
