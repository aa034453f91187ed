// A query that somebody stops ends as one given up, whichever workers wait for which.
#include <catch2/catch.hpp>

#include "leeway/datasets/graph_spec.h"
#include "leeway/programs/pie/components.h"
#include "leeway/programs/pie/pagerank.h"
#include "leeway/runtime/pie/session.h"
#include "test/support/stop_after.h"

using namespace leeway;
using namespace leeway::pie;
using namespace leeway::testing;

namespace {

/// Says the same again and again, and never comes to rest.
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

}  // namespace

TEST_CASE("a query ends when it is stopped, and another may follow") {
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t nodes = GENERATE(1u, 3u);
  const Scheduler model =
      GENERATE(Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap, Scheduler::Hsync);
  const bool unresting = GENERATE(true, false);  // else whoever waits does so for messages
  if (nodes == 1 && !unresting) return;          // at rest at once
  const Graph graph = generate("grid2d:20x20", {}).value();
  SessionOptions options;
  options.cluster = {.fabric = fabric, .nodes = nodes};
  options.workers = 2 * nodes;
  options.partition.method = PartitionMethod::Hash;
  options.engine.schedule.model = model;
  if (model == Scheduler::Ssp) options.engine.schedule.bound = 1;
  const StopAfter stop(std::chrono::milliseconds(30));
  options.engine.stop = stop.flag();
  options.engine.most_rounds = 1'000'000'000;
  Session session = Session::open(graph, Restless().needs(), options).value();
  const auto answer = session.ask(Restless{.unresting = unresting});
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->record.converged());
  options.engine.stop = nullptr;
  const auto next = run_pie(graph, Components(), options);
  REQUIRE(next.has_value());
  CHECK(next->record.converged());
}

TEST_CASE("a query that is stopped before it begins has no results, and says so") {
  const Graph graph = generate("grid2d:20x20", {}).value();
  const std::atomic<bool> stop = true;
  SessionOptions options;
  options.cluster = {.fabric = GENERATE(Fabric::Loopback, Fabric::Sim), .nodes = 3};
  options.engine.schedule.model = GENERATE(Scheduler::Bsp, Scheduler::Aap);
  options.engine.stop = &stop;
  const auto answer = run_pie(graph, PageRank(), options);
  REQUIRE(answer.has_value());
  CHECK_FALSE(answer->record.converged());
  CHECK(answer->record.rounds() == 0);
}
