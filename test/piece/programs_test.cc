#include <catch2/catch.hpp>
#include <limits>

#include "base/random.h"
#include "leeway/graph.h"
#include "programs/jacobi/piece.h"
#include "programs/pagerank/piece.h"
#include "programs/reference/oracles.h"
#include "programs/scene/spatial.h"
#include "test/piece/piece_support.h"

using namespace leeway;
using namespace leeway::piece;
using namespace leeway::testing;

namespace {

FishJob small_school(std::uint32_t count = 300) {
  FishJob job;
  job.model.width = 80;
  job.model.height = 60;
  job.model.reach = 1.5;
  job.pieces = 5;
  job.things = scene::school(job.model, count, count / 10, 2, 5);
  return job;
}

std::vector<scene::Fish> swum(const FishJob& job, std::uint32_t ticks) {
  std::vector<scene::Fish> fish = job.things;
  fish = reference::fish_after(job.model, fish, ticks);
  return fish;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE(
    "fish are bit-identical to the sequential program in every system, on any number of nodes") {
  const std::uint32_t nodes = GENERATE(1u, 2u, 5u, 16u);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const FishJob job = small_school();
  const auto expected = swum(job, 10);
  for (const System system : kSystems) {
    CAPTURE(nodes, system_name(system));
    const auto run = run_spatial(job, piece_cluster(fabric, nodes, "ideal"),
                                 {.system = system, .ticks = 10, .balance_every = 3});
    REQUIRE(run.has_value());
    CHECK(run->things == expected);
  }
}

TEST_CASE("a plate is bit-identical to the sequential program for every division into blocks") {
  const std::uint32_t nodes = GENERATE(1u, 2u, 5u, 16u);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const std::uint32_t pieces = GENERATE(1u, 6u, 40u);
  JacobiJob job{.plate = {.columns = 37, .rows = 23}, .pieces = pieces};
  const auto expected = reference::plate_after(job.plate, scene::first_plate(job.plate, 1), 12);
  for (const System system : kSystems) {
    CAPTURE(nodes, pieces, system_name(system));
    const auto run = run_jacobi(job, piece_cluster(fabric, nodes, "ideal"),
                                {.system = system, .ticks = 12, .balance_every = 3});
    REQUIRE(run.has_value());
    CHECK(run->heat == expected);
  }
}

TEST_CASE("plates of one or a few cells") {
  for (const std::uint32_t columns : {1u, 2u, 3u, 5u}) {
    for (const std::uint32_t rows : {1u, 2u, 4u}) {
      const JacobiJob job{.plate = {.columns = columns, .rows = rows}, .pieces = 3};
      const auto run = run_jacobi(job, piece_cluster(Fabric::Sim, 3, "gigabit"), {.ticks = 4});
      REQUIRE(run.has_value());
      CHECK(run->heat == reference::plate_after(job.plate, scene::first_plate(job.plate, 1), 4));
    }
  }
}

TEST_CASE("a run ends at the tick at which its plate has converged") {
  JacobiJob job{.plate = {.columns = 14, .rows = 14}, .pieces = 4, .tolerance = 1e-3};
  auto heat = scene::first_plate(job.plate, 1);
  std::uint32_t ticks = 0;
  for (double change = 1; change > *job.tolerance; ++ticks) {
    const auto next = reference::plate_after(job.plate, heat, 1);
    change = farthest(next, heat);
    heat = next;
  }
  for (const System system : kSystems) {
    const auto run = run_jacobi(job, piece_cluster(Fabric::Sim, 5, "gigabit"),
                                {.system = system, .ticks = 10'000});
    REQUIRE(run.has_value());
    CHECK(run->record.terminated);
    CHECK(run->record.ticks == ticks);
    CHECK(run->heat == heat);
  }
}

TEST_CASE("ranks equal PageRank's definition within 1e-12") {
  const std::string spec = GENERATE("kron:8:8", "star:40", "grid2d:9x7", "path:5");
  const std::uint32_t nodes = GENERATE(1u, 3u, 16u);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  const Graph graph = generate(spec, {}).value();
  const auto expected = reference::pagerank(graph, {.tolerance = 1e-15});
  for (const System system : kSystems) {
    CAPTURE(spec, nodes, system_name(system));
    const auto run = run_pagerank(graph, {}, piece_cluster(fabric, nodes, "ideal"),
                                  {.system = system, .ticks = 5'000});
    INFO((run ? std::string() : run.error().to_string()));
    REQUIRE(run.has_value());
    CHECK(run->record.terminated);
    CHECK(farthest(run->ranks, expected) < 1e-12);
  }
}

TEST_CASE("a worker sends only the ranks that the other worker's vertices read") {
  // A path: each half reads one rank of the other.
  const Graph graph = generate("path:4000", {}).value();
  PageRankJob job{.fixed = true, .pieces = 1};
  job.partition.method = PartitionMethod::Block;
  const auto run = run_pagerank(graph, job, piece_cluster(Fabric::Sim, 2, "ideal"),
                                {.system = System::AsyTick, .ticks = 10});
  REQUIRE(run.has_value());
  // 32 words of bits and one rank in each direction in each tick; and at the end 2,000 from worker 1 to worker 0.
  CHECK(run->record.nodes.at(0).counters[Counter::BytesSent] < 10 * 33 * 8 + 500);
  CHECK(run->record.nodes.at(1).counters[Counter::BytesSent] < 10 * 33 * 8 + 2'000 * 8 + 500);
  CHECK(run->record.nodes.at(1).counters[Counter::BytesSent] > 2'000 * 8);
}

TEST_CASE("zeros that stand for larger data change no result, and are sent") {
  const FishJob school = small_school(200);
  const auto fish = swum(school, 8);
  const auto run_with = [&](System system, double needed, double moved) {
    PieceOptions options{.system = system, .ticks = 8, .balance_every = 3};
    options.needed_bytes = needed;
    options.moved_bytes = moved;
    auto cluster = piece_cluster(Fabric::Sim, 4, "gigabit");
    cluster.faults.slowdown_percent = {100, 500};  // pieces of worker 1 move
    auto run = run_spatial(school, cluster, options);
    REQUIRE(run.has_value());
    CHECK(run->things == fish);
    return run->record.bytes();
  };
  for (const System system : kSystems) {
    CAPTURE(system_name(system));
    const std::uint64_t usual = run_with(system, 1, 1);
    CHECK(run_with(system, 20, 20) > 8 * usual);
    CHECK((run_with(system, 1, 20) > usual) == has_balancer(system));
  }
}

TEST_CASE("spikes, stragglers and pauses change no bit of fish or plate") {
  const FishJob school = small_school(80);
  const auto fish = swum(school, 6);
  const JacobiJob plate{.plate = {.columns = 20, .rows = 17}, .pieces = 4};
  const auto heat = reference::plate_after(plate.plate, scene::first_plate(plate.plate, 1), 9);
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(seed % 4);
    auto cluster = piece_cluster(
        Fabric::Sim, nodes,
        "custom:latency_us=40,jitter_us=200,spike_per_million=60000,spike_us=9000,gbit=1", seed);
    Random random(seed, 0x726F75);
    cluster.faults.slowdown_percent.assign(nodes, 100);
    cluster.faults.slowdown_percent[random.below(nodes)] = 700;
    cluster.faults.pauses.push_back(
        {.node = NodeId(static_cast<std::uint32_t>(random.below(nodes))),
         .at = Instant(std::chrono::microseconds(random.below(3'000))),
         .length = std::chrono::milliseconds(8)});
    PieceOptions options{.system = kSystems[seed % 4], .scheduler = seed % 3 != 0};
    options.balance_every = 2 + static_cast<std::uint32_t>(seed % 3);
    INFO("seed " << seed);
    options.ticks = 6;
    REQUIRE(run_spatial(school, cluster, options)->things == fish);
    options.ticks = 9;
    REQUIRE(run_jacobi(plate, cluster, options)->heat == heat);
  }
}

TEST_CASE("most of a tick's work is asynchronous") {
  FishJob school = small_school(2000);
  const auto fish = run_spatial(school, piece_cluster(Fabric::Sim, 4, "gigabit"), {.ticks = 4});
  CHECK(fish->record.asynchronous_share() > 0.857);
  const JacobiJob plate{.plate = {.columns = 1000, .rows = 1000}};
  const auto heat = run_jacobi(plate, piece_cluster(Fabric::Sim, 4, "gigabit"), {.ticks = 2});
  CHECK(heat->record.asynchronous_share() > 0.857);
}

TEST_CASE("zero pieces, empty plates and fish without a position are refused") {
  const auto cluster = piece_cluster(Fabric::Sim, 2, "ideal");
  const auto error_text = [](const auto& run) {
    return run ? std::string("ran") : run.error().to_string();
  };
  CHECK_THAT(error_text(run_jacobi({.pieces = 0}, cluster, {})), Catch::Contains("zero pieces"));
  CHECK_THAT(error_text(run_jacobi({.plate = {.columns = 0, .rows = 4}}, cluster, {})),
             Catch::Contains("0 x 4"));
  const Graph graph = generate("path:4", {}).value();
  CHECK_THAT(error_text(run_pagerank(graph, {.pieces = 0}, cluster, {})),
             Catch::Contains("zero pieces"));
  CHECK_THAT(error_text(run_pagerank(Graph(), {}, cluster, {})), Catch::Contains("no vertices"));
  FishJob school = small_school(20);
  school.things[9].y = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error_text(run_spatial(school, cluster, {})), Catch::Contains("fish 9"));
}

TEST_CASE("pieces on several threads of a worker give the sequential program's bits") {
  const System system = GENERATE(System::OriTick, System::AsyTick, System::AsyTickPlb);
  const std::uint32_t nodes = GENERATE(1u, 2u);
  FishJob job = small_school(4000);
  job.pieces = 24;
  const auto expected = swum(job, 30);
  std::size_t side_by_side = 0;  // overlapping time spans of one worker
  // On a busy machine one thread may finish all work before another one starts.
  for (int attempt = 0; attempt < 20 && side_by_side == 0; ++attempt) {
    const auto run = run_spatial(
        job, piece_cluster(Fabric::Loopback, nodes, "ideal"),
        {.system = system, .ticks = 30, .balance_every = 3, .threads = 3, .trace = true});
    REQUIRE(run.has_value());
    CHECK(run->things == expected);
    for (const NodeRecord& worker : run->record.nodes) {
      Instant end{};
      for (const ActivitySpan& span : worker.spans) {
        side_by_side += span.begin < end ? 1 : 0;
        end = std::max(end, span.end);
      }
    }
  }
  CHECK(side_by_side > 0);
}
