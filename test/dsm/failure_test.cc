// What a node does when it cannot go on: it says why, once, and if whoever is told returns, nobody at that node
// waits for ever.
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "leeway/dsm.h"
#include "test/support/clusters.h"

using namespace leeway;
using testing::finish_sim;
using testing::run_sim;

namespace {

/// Keeps what it is told, and returns.
class Told {
 public:
  [[nodiscard]] NodeOptions options(const char* mode, Service service = Service::Background) {
    NodeOptions options;
    options.policy = parse_policy(mode).value();
    options.service = service;
    options.on_failure = [this](const Error& error) {
      const std::lock_guard locked(mutex_);
      errors_.push_back(error);
    };
    return options;
  }
  [[nodiscard]] std::vector<Error> errors() {
    const std::lock_guard locked(mutex_);
    return errors_;
  }

 private:
  std::mutex mutex_;
  std::vector<Error> errors_;
};

SpaceOptions few(std::uint32_t remote = 4) {
  SpaceOptions options;
  options.name = "few";
  options.local_objects = 8;
  options.remote_objects = remote;
  return options;
}

bool mentions(const Error& error, const char* text) {
  return error.to_string().find(text) != std::string::npos;
}

/// `body` on node 1, which has a copy of an object of node 0, and node 0 one of its first, after node 0 is gone; before
/// that nothing more than a little window of bytes goes there. True if it returned in time.
bool returns_without_node_0(const NodeOptions& here, Told& told,
                            const std::function<void(Node&, Dsm<std::uint64_t>&)>& body) {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{4} << 10U;
  LoopbackNetwork network(options);
  NodeOptions there = here;
  there.service = Service::Background;
  std::promise<void> opened;
  std::thread home([&] {
    Node node(network.node(NodeId(0)), there);
    auto dsm =
        Dsm<std::uint64_t>::open(node, few()).value();  // Catch checks for one thread at a time
    (void)dsm.fetch(ObjectId(NodeId(1), LocalIndex(0)));
    node.barrier();
    opened.get_future().wait();
  });
  std::promise<void> done;
  auto finished = done.get_future();
  auto node = std::make_unique<Node>(network.node(NodeId(1)), here);
  auto dsm = Dsm<std::uint64_t>::open(*node, few()).value();
  (void)dsm.fetch(ObjectId(NodeId(0), LocalIndex(0)));
  node->barrier();
  opened.set_value();
  home.join();
  std::thread reader([&] {
    body(*node, dsm);
    done.set_value();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  network.take_down(NodeId(0));
  const bool returned = finished.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  if (!returned) std::_Exit(1);  // the thread cannot be got rid of
  reader.join();
  CHECK(node->failed());
  CHECK(told.errors().size() == 1);
  return returned && !told.errors().empty() && mentions(told.errors()[0], "node 0 is gone");
}

bool returns_without_node_0(const char* mode, Service service,
                            const std::function<void(Node&, Dsm<std::uint64_t>&)>& body) {
  Told told;
  return returns_without_node_0(told.options(mode, service), told, body);
}

}  // namespace

TEST_CASE("an id whose home is no node of the cluster is an error that names it") {
  for (const std::uint32_t home : {2u, 7u, (1u << 24) - 1}) {
    Told told;
    const SimReport report = run_sim({.nodes = 2}, told.options("rcp"), [&](Node& node) {
      auto dsm = Dsm<std::uint64_t>::open(node, few()).value();
      node.barrier();
      if (node.self() == NodeId(1)) {
        const ObjectId nowhere(NodeId(home), LocalIndex(3));
        CHECK(dsm.fetch(nowhere) == 0);
        CHECK(dsm.view().fetch(nowhere) == 0);
        dsm.prefetch(std::vector{nowhere});
        CHECK(node.failed());
      }
    });
    // Nobody tells node 0, whose process would have seen the other end.
    CHECK(report.outcome == SimOutcome::Deadlock);
    REQUIRE(told.errors().size() == 3);
    for (const Error& error : told.errors()) {
      CHECK(error.exit_code() == 2);
      CHECK(mentions(error, "few: object"));
      CHECK(mentions(error, "has no home among 2 nodes"));
    }
  }
}

TEST_CASE("one object more than a space may meet is an error that says how to have more") {
  Told told;
  const SimReport report = run_sim({.nodes = 2}, told.options("rcp"), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, few(4)).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      for (std::uint32_t i = 0; i < 5; ++i)
        CHECK(dsm.fetch(ObjectId(NodeId(0), LocalIndex(i))) == 0);
    }
  });
  // Nobody tells node 0, whose process would have seen the other end.
  CHECK(report.outcome == SimOutcome::Deadlock);
  finish_sim({.nodes = 1}, told.options("rcp"), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, few()).value();
    CHECK(dsm.fetch(ObjectId(NodeId(0), LocalIndex(8))) == 0);  // more than live here
  });
  REQUIRE(told.errors().size() == 2);
  for (const Error& error : told.errors()) CHECK(error.exit_code() == 2);
}

TEST_CASE("nodes that call different collectives are all told which") {
  struct Pair {
    const char* here;
    const char* there;
    std::function<void(Node&)> one;
    std::function<void(Node&)> other;
  };
  const std::vector<Pair> pairs = {
      {"barrier()", "converged()", [](Node& node) { node.barrier(); },
       [](Node& node) { (void)node.converged(false); }},
      {"barrier()", "sum()", [](Node& node) { node.barrier(); },
       [](Node& node) { (void)node.sum({}); }},
      {"sum() with 4 numbers", "converged() with 4 numbers",
       [](Node& node) { (void)node.sum(std::vector<std::uint64_t>(4)); },
       [](Node& node) { (void)node.converged(true); }},
      {"sum() with 1 numbers", "sum() with 2 numbers",
       [](Node& node) { (void)node.sum(std::vector<std::uint64_t>(1)); },
       [](Node& node) { (void)node.sum(std::vector<std::uint64_t>(2)); }},
      {"quiesce()", "barrier()", [](Node& node) { node.quiesce(); },
       [](Node& node) { node.barrier(); }},
      {"has returned", "waits in barrier()", [](Node& node) { node.close(); },
       [](Node& node) { node.barrier(); }},
  };
  for (const Pair& pair : pairs) {
    for (const std::uint32_t odd : {0u, 1u}) {
      for (const bool late : {false, true}) {
        Told told;
        const SimReport report = run_sim({.nodes = 2}, told.options("rcp"), [&](Node& node) {
          node.barrier();
          if ((node.self() == NodeId(odd)) == late) node.transport().charge({.vertices = 100'000});
          (node.self() == NodeId(odd) ? pair.one : pair.other)(node);
          CHECK(node.failed());
        });
        INFO(pair.here << " and " << pair.there << ", odd " << odd << report.detail);
        REQUIRE(report.outcome == SimOutcome::Finished);
        REQUIRE(told.errors().size() == 2);
        for (const Error& error : told.errors()) {
          INFO(error.to_string());
          CHECK(error.exit_code() == 2);
          CHECK(mentions(error, pair.here));
          CHECK(mentions(error, pair.there));
        }
      }
    }
  }
}

TEST_CASE("whoever waits goes on when a peer is gone and the one who is told returns") {
  for (const Service service : {Service::Background, Service::Inline}) {
    CHECK(returns_without_node_0("rcp", service, [](Node&, Dsm<std::uint64_t>& dsm) {
      CHECK(dsm.fetch(ObjectId(NodeId(0), LocalIndex(1))) == 0);
    }));
    CHECK(returns_without_node_0("rcp", service,
                                 [](Node& node, Dsm<std::uint64_t>&) { node.barrier(); }));
    CHECK(returns_without_node_0("rcp", service,
                                 [](Node& node, Dsm<std::uint64_t>&) { node.quiesce(); }));
    CHECK(returns_without_node_0("rcp", service, [](Node& node, Dsm<std::uint64_t>&) {
      while (!node.converged(true)) {
      }
    }));
    CHECK(returns_without_node_0("rcp", service, [](Node& node, Dsm<std::uint64_t>&) {
      CHECK(node.sum(std::vector<std::uint64_t>{1, 2, 3}).size() == 3);
    }));
    CHECK(returns_without_node_0("rcp", service, [](Node& node, Dsm<std::uint64_t>&) {
      SpaceOptions more;
      more.name = "more";
      CHECK_FALSE(Dsm<double>::open(node, more).has_value());
    }));
    CHECK(returns_without_node_0("rcp", service, [](Node&, Dsm<std::uint64_t>& dsm) {
      const Handle object = dsm.resolve({NodeId(0), LocalIndex(2)}).value();
      dsm.replicate(std::span(&object, 1));
    }));
    CHECK(returns_without_node_0("scp", service, [](Node&, Dsm<std::uint64_t>& dsm) {
      dsm.store(Handle(0), 5);  // node 0 has a copy, and acknowledges nothing any more
    }));
    for (const char* const mode : {"scp", "rcp"}) {
      Told told;
      NodeOptions options = told.options(mode, service);
      options.policy.optimizations.collocation = false;
      CHECK(returns_without_node_0(options, told, [](Node& node, Dsm<std::uint64_t>& dsm) {
        const Handle away = dsm.resolve({NodeId(0), LocalIndex(1)}).value();
        // Under scp the first waits for its acknowledgement, under rcp one of many for room.
        for (std::uint64_t i = 0; !node.failed(); ++i) dsm.store(away, i);
      }));
    }
  }
}
