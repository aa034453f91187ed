// A run by ticks that is stopped from another thread fails at every node, for all patterns of
// waiting nodes.
#include <catch2/catch.hpp>

#include "programs/jacobi/tick.h"
#include "test/support/stop_after.h"

using namespace leeway;
using namespace leeway::tick;
using namespace leeway::testing;

TEST_CASE("a run of ticks ends when it is stopped, and another may follow") {
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t nodes = GENERATE(1u, 4u);
  const Sync sync = GENERATE(Sync::Barrier, Sync::Local, Sync::Schedule);
  ClusterOptions cluster{.fabric = fabric, .nodes = nodes};
  TickOptions options{.sync = sync, .ticks = Tick(4'000'000'000)};
  if (sync == Sync::Schedule) options.depth = 2;
  const StopAfter stop(std::chrono::milliseconds(30));
  options.stop = stop.flag();
  const HeatParameters plate{.plate = {40, 40}};
  const auto run = run_heat(plate, options, cluster);
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().what == stopped_error().what);
  options.stop = nullptr;
  options.ticks = Tick(3);
  CHECK(run_heat(plate, options, cluster).has_value());
}
