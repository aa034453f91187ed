// Vertex programs whose compute threads share a node's work, compared with their oracles.
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "base/random.h"
#include "leeway/job.h"
#include "programs/bfs/vertex.h"
#include "programs/cc/vertex.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/vertex.h"
#include "test/support/small_graphs.h"

using namespace leeway;
using leeway::testing::random_graph;

namespace {

RunOptions threaded(unsigned threads, std::uint32_t nodes, Scheduler scheduler, Visit visit) {
  RunOptions options;
  options.cluster.fabric = Fabric::Loopback;
  options.cluster.nodes = nodes;
  options.partition.method = PartitionMethod::Hash;
  options.vertex.threads = threads;
  options.vertex.scheduler = scheduler;
  options.vertex.visit = visit;
  return options;
}

template <class Check>
void with_threads(Check&& check) {
  for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Ap, Scheduler::Bsp}) {
    for (const Visit visit : {Visit::Auto, Visit::Active}) {
      for (const unsigned threads : {2u, 3u, 4u}) {
        for (const std::uint32_t nodes : {1u, 2u}) {
          INFO(scheduler_name(scheduler) << ", " << threads << " threads, " << nodes << " nodes, "
                                         << (visit == Visit::Active ? "active" : "auto"));
          check(threaded(threads, nodes, scheduler, visit));
        }
      }
    }
  }
}

/// Breadth-first search that records the threads that run it.
class WatchedBfs : public Bfs {
 public:
  struct Seen {
    std::mutex lock;
    std::set<std::thread::id> threads;
  };
  WatchedBfs(VertexId source, Seen& seen) : Bfs(source), seen_(&seen) {}

  [[nodiscard]] std::uint32_t along(std::uint32_t from, double weight) const {
    thread_local const Seen* recorded = nullptr;
    if (std::exchange(recorded, seen_) != seen_) {
      const std::lock_guard locked(seen_->lock);
      seen_->threads.insert(std::this_thread::get_id());
    }
    // The source's readers take long, so that the other threads join before the sweep ends.
    if (from == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return Bfs::along(from, weight);
  }

 private:
  Seen* seen_;
};

}  // namespace

TEST_CASE("distances equal Dijkstra's if several threads share a node's vertices") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    // 4,000 vertices in paths and dense parts: few are active at a time, spread over all words of
    // the set.
    const Graph graph = random_graph(seed, 4000, 9000, seed % 2 == 0, WeightKind::Integer);
    const auto expected = reference::shortest_distances(graph, VertexId(0));
    with_threads([&](const RunOptions& options) {
      const auto found = run_job(graph, Sssp(graph, VertexId(0)), options);
      REQUIRE(found.has_value());
      REQUIRE(found->values == expected);
    });
  }
}

TEST_CASE("components equal the oracle's if several threads share a node's vertices") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    const Graph graph = random_graph(seed, 3001, 3000, false);
    const auto expected = reference::components(graph);
    with_threads([&](const RunOptions& options) {
      const auto found = run_job(graph, Components(graph), options);
      REQUIRE(found.has_value());
      REQUIRE(found->values == expected);
    });
  }
}

namespace {

/// A graph with enough vertices of each distance for all threads.
const Graph& wide_graph() {
  static const Graph graph = random_graph(3, 60'000, 240'000, false, WeightKind::Integer);
  return graph;
}

template <class Check>
void by_list_with_threads(Check&& check) {
  for (const Scheduler scheduler : {Scheduler::DoWork, Scheduler::Ap, Scheduler::Ssp}) {
    for (const unsigned threads : {2u, 3u, 16u}) {
      for (const std::uint32_t nodes : {1u, 2u, 3u}) {
        INFO(scheduler_name(scheduler) << ", " << threads << " threads, " << nodes << " nodes");
        check(threaded(threads, nodes, scheduler, Visit::Auto));
      }
    }
  }
}

}  // namespace

TEST_CASE("distances by worklist equal Dijkstra's if threads process a bucket together") {
  const auto expected = reference::shortest_distances(wide_graph(), VertexId(5));
  by_list_with_threads([&](const RunOptions& options) {
    const auto found = run_job(wide_graph(), Sssp(wide_graph(), VertexId(5)), options);
    REQUIRE(found.has_value());
    REQUIRE(found->values == expected);
  });
}

TEST_CASE("components equal the oracle's if threads join a node's vertices together") {
  const auto expected = reference::components(wide_graph());
  by_list_with_threads([&](const RunOptions& options) {
    const auto found = run_job(wide_graph(), Components(wide_graph()), options);
    REQUIRE(found.has_value());
    REQUIRE(found->values == expected);
  });
}

TEST_CASE("a bucket that is long enough is processed by more than one thread") {
  WatchedBfs::Seen seen;
  for (int run = 0; run < 50 && seen.threads.size() < 2; ++run) {
    const auto found = run_job(wide_graph(), WatchedBfs(VertexId(0), seen),
                               threaded(2, 1, Scheduler::DoWork, Visit::Auto));
    REQUIRE(found.has_value());
  }
  CHECK(seen.threads.size() >= 2);
}

TEST_CASE("a few hundred vertices are enough for three threads") {
  const Graph graph = random_graph(1, 600, 3000, false);
  WatchedBfs::Seen seen;
  // On a busy machine a thread may start late, so it can take several runs until every thread has
  // worked.
  for (int run = 0; run < 50 && seen.threads.size() < 3; ++run) {
    const auto found = run_job(graph, WatchedBfs(VertexId(0), seen),
                               threaded(3, 1, Scheduler::DoWork, Visit::All));
    REQUIRE(found.has_value());
  }
  CHECK(seen.threads.size() >= 3);
}
