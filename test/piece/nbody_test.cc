#include "programs/reference/oracles.h"
#include "programs/scene/spatial.h"

#include <catch2/catch.hpp>
#include <limits>

#include "base/random.h"
#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

NBodyJob small_job(std::uint32_t bodies = 400, std::uint64_t seed = 3) {
  NBodyJob job;
  job.model.width = 120;
  job.model.height = 100;
  job.pieces = 6;
  job.things = nbody_scene({.bodies = bodies, .groups = 3, .seed = seed}, job.model);
  return job;
}

/// Random faults, except the loss of a node, drawn from a seed.
ClusterOptions rough(std::uint32_t nodes, std::uint64_t seed) {
  ClusterOptions cluster = piece_cluster(
      Fabric::Sim, nodes,
      "custom:latency_us=40,jitter_us=200,spike_per_million=60000,spike_us=9000,gbit=1", seed);
  Random random(seed, 0x726F756768);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    cluster.faults.slowdown_percent.push_back(
        random.chance(0.3) ? 100 + static_cast<std::uint32_t>(random.below(900)) : 100);
  }
  for (int i = 0; i < 3; ++i) {
    cluster.faults.pauses.push_back(
        {.node = NodeId(static_cast<std::uint32_t>(random.below(nodes))),
         .at = Instant(std::chrono::microseconds(random.below(20'000))),
         .length = std::chrono::microseconds(random.below(10'000))});
  }
  return cluster;
}

}  // namespace

TEST_CASE(
    "n-body is bit-identical to the sequential program in every system, on any number of nodes") {
  const std::uint32_t nodes = GENERATE(1u, 2u, 5u, 16u);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const NBodyJob job = small_job();
  const auto expected = reference::bodies_after(job.model, job.things, 11);
  for (const System system : kSystems) {
    CAPTURE(nodes, system_name(system));
    const auto run = run_spatial(job, piece_cluster(fabric, nodes, "ideal"),
                                 {.system = system, .ticks = 11, .balance_every = 3});
    REQUIRE(run.has_value());
    CHECK(run->things == expected);
    CHECK(run->record.ticks == 11);
    CHECK(run->record.nodes.size() == nodes);
  }
}

TEST_CASE("spikes, stragglers and pauses change no bit of n-body") {
  const NBodyJob job = small_job(120);
  const auto expected = reference::bodies_after(job.model, job.things, 8);
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 5);
    PieceOptions options{.system = kSystems[seed % 4], .ticks = 8};
    options.scheduler = seed % 3 != 0;
    options.balance_every = 2 + static_cast<std::uint32_t>(seed % 3);
    INFO("seed " << seed << ", " << nodes << " nodes, " << system_name(options.system));
    const auto run = run_spatial(job, rough(nodes, seed), options);
    REQUIRE(run.has_value());
    REQUIRE(run->things == expected);
  }
}

TEST_CASE("the same seed gives the same run in the virtual cluster") {
  const NBodyJob job = small_job();
  const PieceOptions options{.ticks = 6};
  const auto once = run_spatial(job, rough(4, 9), options);
  const auto again = run_spatial(job, rough(4, 9), options);
  const auto other = run_spatial(job, rough(4, 10), options);
  REQUIRE(once.has_value());
  CHECK(once->record.digest == again->record.digest);
  CHECK(once->record.digest != other->record.digest);
}

TEST_CASE("pieces change workers with the balancer, and only then") {
  NBodyJob job = small_job(600);
  job.things = nbody_scene({.bodies = 600, .groups = 2, .grouped = 0.9}, job.model);
  for (const System system : kSystems) {
    const auto run =
        run_spatial(job, piece_cluster(Fabric::Sim, 4, "gigabit"), {.system = system, .ticks = 16});
    REQUIRE(run.has_value());
    const std::uint64_t moved = run->record.count(Counter::MovedIn);
    CHECK((moved > 0) == has_balancer(system));
  }
}

TEST_CASE("frames show all bodies at the requested ticks") {
  const NBodyJob job = small_job();
  const auto run =
      run_spatial(job, piece_cluster(Fabric::Sim, 3, "ideal"), {.ticks = 7, .frame_every = 3});
  REQUIRE(run.has_value());
  REQUIRE(run->frames.size() == 4);  // before tick 0, 3 and 6, and the end
  for (const auto& [tick, bodies] : run->frames) {
    CHECK(bodies == reference::bodies_after(job.model, job.things, tick));
  }
  CHECK(run->frames.back().first == 7);
}

TEST_CASE("invalid bodies and invalid numbers of pieces are refused") {
  NBodyJob job = small_job(20);
  const auto error_text = [&] {
    const auto run = run_spatial(job, piece_cluster(Fabric::Sim, 2, "ideal"), {.ticks = 1});
    return run ? std::string("ran") : run.error().to_string();
  };
  job.things[7].x = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error_text(), Catch::Contains("body 7") && Catch::Contains("not finite"));
  job = small_job(20);
  job.things[4].y = 101;
  CHECK_THAT(error_text(), Catch::Contains("body 4") && Catch::Contains("outside"));
  job = small_job(20);
  job.things[3].id = 5;
  CHECK_THAT(error_text(), Catch::Contains("twice"));
  job = small_job(20);
  job.pieces = 0;
  CHECK_THAT(error_text(), Catch::Contains("zero pieces"));
  job.pieces = 0xFFFFFFFF;
  CHECK_THAT(error_text(), Catch::Contains("more than memory holds"));
}
