// A node that cannot continue reports the reason once. If its failure handler returns, no thread of
// that node waits forever.
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

/// Failure handler that stores the errors and returns.
class RecordedErrors {
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

/// Runs `body` on node 1 after node 0 is lost. Node 1 has a copy of an object of node 0, and node 0
/// one of node 1's first object; the window to node 0 is small. True if `body` returned in time.
bool returns_without_node_0(const NodeOptions& here, RecordedErrors& recorded,
                            const std::function<void(Node&, Dsm<std::uint64_t>&)>& body) {
  LoopbackOptions options{.nodes = 2};
  options.profile.window_bytes = std::uint64_t{4} << 10U;
  LoopbackNetwork network(options);
  NodeOptions there = here;
  there.service = Service::Background;
  std::promise<void> opened;
  std::thread home([&] {
    Node node(network.node(NodeId(0)), there);
    auto dsm = Dsm<std::uint64_t>::open(node, few())
                   .value();  // no REQUIRE here, because Catch is not thread-safe
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
  if (!returned) std::_Exit(1);  // the thread cannot be stopped
  reader.join();
  CHECK(node->failed());
  CHECK(recorded.errors().size() == 1);
  return returned && !recorded.errors().empty() && mentions(recorded.errors()[0], "node 0 is gone");
}

bool returns_without_node_0(const char* mode, Service service,
                            const std::function<void(Node&, Dsm<std::uint64_t>&)>& body) {
  RecordedErrors recorded;
  return returns_without_node_0(recorded.options(mode, service), recorded, body);
}

}  // namespace

TEST_CASE("an id whose home is not in the cluster is an error that names it") {
  for (const std::uint32_t home : {2u, 7u, (1u << 24) - 1}) {
    RecordedErrors recorded;
    const SimReport report = run_sim({.nodes = 2}, recorded.options("rcp"), [&](Node& node) {
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
    // Node 0 is not notified here; a real process would see the connection close.
    CHECK(report.outcome == SimOutcome::Deadlock);
    REQUIRE(recorded.errors().size() == 3);
    for (const Error& error : recorded.errors()) {
      CHECK(error.exit_code() == 2);
      CHECK(mentions(error, "few: object"));
      CHECK(mentions(error, "has no home among 2 nodes"));
    }
  }
}

TEST_CASE("exceeding the number of remote objects is an error that names the option") {
  RecordedErrors recorded;
  const SimReport report = run_sim({.nodes = 2}, recorded.options("rcp"), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, few(4)).value();
    node.barrier();
    if (node.self() == NodeId(1)) {
      for (std::uint32_t i = 0; i < 5; ++i)
        CHECK(dsm.fetch(ObjectId(NodeId(0), LocalIndex(i))) == 0);
    }
  });
  // Node 0 is not notified here; a real process would see the connection close.
  CHECK(report.outcome == SimOutcome::Deadlock);
  finish_sim({.nodes = 1}, recorded.options("rcp"), [&](Node& node) {
    auto dsm = Dsm<std::uint64_t>::open(node, few()).value();
    CHECK(dsm.fetch(ObjectId(NodeId(0), LocalIndex(8))) == 0);  // beyond the local objects
  });
  REQUIRE(recorded.errors().size() == 2);
  for (const Error& error : recorded.errors()) CHECK(error.exit_code() == 2);
}

TEST_CASE("if nodes call different collectives, each gets an error that names both") {
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
        RecordedErrors recorded;
        const SimReport report = run_sim({.nodes = 2}, recorded.options("rcp"), [&](Node& node) {
          node.barrier();
          if ((node.self() == NodeId(odd)) == late) node.transport().charge({.vertices = 100'000});
          (node.self() == NodeId(odd) ? pair.one : pair.other)(node);
          CHECK(node.failed());
        });
        INFO(pair.here << " and " << pair.there << ", odd " << odd << report.detail);
        REQUIRE(report.outcome == SimOutcome::Finished);
        REQUIRE(recorded.errors().size() == 2);
        for (const Error& error : recorded.errors()) {
          INFO(error.to_string());
          CHECK(error.exit_code() == 2);
          CHECK(mentions(error, pair.here));
          CHECK(mentions(error, pair.there));
        }
      }
    }
  }
}

TEST_CASE(
    "after the loss of a peer, waiting threads continue once the failure handler has returned") {
  for (const Service service : {Service::Background, Service::Inline, Service::Separate}) {
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
      dsm.store(Handle(0), 5);  // node 0 has a copy and no longer acknowledges
    }));
    for (const char* const mode : {"scp", "rcp"}) {
      RecordedErrors recorded;
      NodeOptions options = recorded.options(mode, service);
      options.policy.optimizations.collocation = false;
      CHECK(returns_without_node_0(options, recorded, [](Node& node, Dsm<std::uint64_t>& dsm) {
        const Handle away = dsm.resolve({NodeId(0), LocalIndex(1)}).value();
        // Under scp the first store waits for an acknowledgement; under rcp a later one waits for
        // room in the backlog.
        for (std::uint64_t i = 0; !node.failed(); ++i) dsm.store(away, i);
      }));
    }
  }
}
