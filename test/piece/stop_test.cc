// A run by pieces that is stopped from another thread fails at every worker, for all messages in
// flight.
#include <catch2/catch.hpp>

#include "programs/jacobi/piece.h"
#include "test/piece/piece_support.h"
#include "test/support/stop_after.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

TEST_CASE("a run by pieces ends when it is stopped, and another may follow") {
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t nodes = GENERATE(1u, 4u);
  const System system = GENERATE(from_range(kSystems));
  // With it workers report every tick to the master.
  const std::optional<double> tolerance =
      GENERATE(std::optional<double>(), std::optional<double>(1e-300));
  CAPTURE(fabric_name(fabric), nodes, system_name(system), tolerance.has_value());
  const ClusterOptions cluster = piece_cluster(fabric, nodes, "ideal");
  const JacobiJob job{.plate = {.columns = 60, .rows = 60}, .pieces = 4, .tolerance = tolerance};
  const StopAfter stop(std::chrono::milliseconds(30));
  PieceOptions options{.system = system, .ticks = 1'000'000'000, .stop = stop.flag()};
  const auto run = run_jacobi(job, cluster, options);
  REQUIRE_FALSE(run.has_value());
  CHECK(run.error().what == stopped_error().what);
  options.stop = nullptr;
  options.ticks = 3;
  CHECK(run_jacobi(job, cluster, options).has_value());
}
