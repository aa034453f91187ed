// A query stopped from another thread ends without convergence, for every pattern of waiting
// workers.
#include <catch2/catch.hpp>

#include "leeway/graph.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/pie.h"
#include "test/support/stop_after.h"

using namespace leeway;
using namespace leeway::pie;
using namespace leeway::testing;

namespace {

/// Sends the same value in every round and never converges.
struct Restless {
  using Value = std::uint32_t;
  struct Partial {};
  using Result = std::uint32_t;

  [[nodiscard]] FragmentNeeds needs() const { return {}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = come; }
  Work peval(const Fragment& fragment, Partial&, Changes& changes) const {
    for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) changes.mark(p);
    return {.vertices = 1'000};
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>>,
               Changes& changes) const {
    return peval(fragment, partial, changes);
  }
  [[nodiscard]] Value parameter(const Fragment&, Partial&, Place place) const { return place; }
  [[nodiscard]] Result result(const Fragment&, const Partial&, Place) const { return 0; }
  [[nodiscard]] bool unfinished(const Partial&) const { return unresting; }

  bool unresting = true;
};

/// Fragment 0 never converges, and activates the others in its tenth round; from then on they never
/// converge either.
struct Latecomers {
  using Value = std::uint32_t;
  struct Partial {
    std::uint32_t rounds = 0;
    bool awake = false;
  };
  using Result = std::uint32_t;

  [[nodiscard]] FragmentNeeds needs() const { return {}; }
  [[nodiscard]] Candidates candidates() const { return Candidates::Outer; }
  static void aggregate(Value& kept, const Value& come) { kept = come; }
  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    partial.awake = fragment.id() == PartId(0);
    return round(fragment, partial, changes);
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    partial.awake = partial.awake || !updates.empty();
    return round(fragment, partial, changes);
  }
  static Work round(const Fragment& fragment, Partial& partial, Changes& changes) {
    if (++partial.rounds == 10 && fragment.id() == PartId(0)) {
      for (Place p = fragment.inner_count(); p < fragment.vertex_count(); ++p) changes.mark(p);
    }
    return {.vertices = 1'000};
  }
  [[nodiscard]] Value parameter(const Fragment&, Partial&, Place place) const { return place; }
  [[nodiscard]] Result result(const Fragment&, const Partial&, Place) const { return 0; }
  [[nodiscard]] bool unfinished(const Partial& partial) const { return partial.awake; }
};

/// Its partial result refers to another object, so it cannot be saved.
struct Referring : Latecomers {
  struct Partial {
    Latecomers::Partial own;
    const std::uint32_t* elsewhere = nullptr;
  };
  Work peval(const Fragment& fragment, Partial& partial, Changes& changes) const {
    return Latecomers::peval(fragment, partial.own, changes);
  }
  Work inceval(const Fragment& fragment, Partial& partial, std::span<Update<Value>> updates,
               Changes& changes) const {
    return Latecomers::inceval(fragment, partial.own, updates, changes);
  }
  [[nodiscard]] Value parameter(const Fragment&, Partial&, Place place) const { return place; }
  [[nodiscard]] Result result(const Fragment&, const Partial&, Place) const { return 0; }
  [[nodiscard]] bool unfinished(const Partial& partial) const { return partial.own.awake; }
};

}  // namespace

TEST_CASE("once a worker stops all do, including those that wait for its next round") {
  const Graph graph = generate("grid2d:20x20", {}).value();
  RunOptions options;
  options.cluster = {.fabric = GENERATE(Fabric::Loopback, Fabric::Sim), .nodes = 3};
  options.pie.workers = 3;
  options.partition.method = PartitionMethod::Hash;
  options.pie.schedule = {.model = GENERATE(Scheduler::Ssp, Scheduler::Aap, Scheduler::Bsp),
                          .bound = 1};
  const bool by_patience = GENERATE(true, false);
  if (by_patience) {
    options.pie.patience = 50;
  } else {
    options.pie.most_rounds = 50;
  }
  const auto answer = run_pie(graph, Latecomers(), options);
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->record.converged());
  CHECK(answer->record.count(Counter::MostRounds) >= 50);
  CHECK(answer->record.count(Counter::MostRounds) < 100);
}

TEST_CASE("a program whose state cannot be saved is refused if workers are to move") {
  const Graph graph = generate("cycle:20", {}).value();
  RunOptions options;
  options.cluster.fabric = Fabric::Sim;
  options.cluster.nodes = 2;
  options.pie.workers = 4;
  options.pie.rebalance = 3;
  const auto answer = run_pie(graph, Referring(), options);
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().kind == ErrorKind::Input);
  CHECK_THAT(answer.error().to_string(), Catch::Contains("cannot be saved"));
  CHECK_THAT(answer.error().to_string(), Catch::Contains("rebalance"));
}

TEST_CASE("a program whose state cannot be saved is refused if snapshots are requested") {
  const Graph graph = generate("grid2d:4x4", {}).value();
  RunOptions options;
  options.cluster.nodes = 2;
  options.snapshots = std::make_shared<snapshot::SnapshotOptions>();
  const auto answer = run_pie(graph, Referring(), options);
  REQUIRE_FALSE(answer.has_value());
  CHECK(answer.error().kind == ErrorKind::Input);
  CHECK(answer.error().where == "RunOptions::snapshots");
  CHECK_THAT(answer.error().to_string(), Catch::Contains("cannot be saved"));
}

TEST_CASE("a query ends when it is stopped, and another may follow") {
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t nodes = GENERATE(1u, 3u);
  const Scheduler model =
      GENERATE(Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync);
  const bool unresting = GENERATE(true, false);  // otherwise workers wait for messages
  if (nodes == 1 && !unresting) return;          // converges immediately
  const Graph graph = generate("grid2d:20x20", {}).value();
  RunOptions options;
  options.cluster = {.fabric = fabric, .nodes = nodes};
  options.pie.workers = 2 * nodes;
  options.partition.method = PartitionMethod::Hash;
  options.pie.schedule.model = model;
  if (model == Scheduler::Ssp) options.pie.schedule.bound = 1;
  const StopAfter stop(std::chrono::milliseconds(30));
  options.pie.stop = stop.flag();
  options.pie.most_rounds = 1'000'000'000;
  Session session = Session::open(graph, Restless().needs(), options).value();
  const auto answer = session.ask(Restless{.unresting = unresting});
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->record.converged());
  options.pie.stop = nullptr;
  const auto next = run_pie(graph, pie::PieComponents(), options);
  REQUIRE(next.has_value());
  CHECK(next->record.converged());
}

TEST_CASE("a query that is stopped before it begins returns an error") {
  const Graph graph = generate("grid2d:20x20", {}).value();
  const std::atomic<bool> stop = true;
  RunOptions options;
  options.cluster = {.fabric = GENERATE(Fabric::Loopback, Fabric::Sim), .nodes = 3};
  options.pie.schedule.model = GENERATE(Scheduler::Bsp, Scheduler::Aap);
  options.pie.stop = &stop;
  const auto answer = run_pie(graph, pie::PiePageRank(), options);
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->record.converged());
  CHECK(answer->record.count(Counter::Rounds) == 0);
}
