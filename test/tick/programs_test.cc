// Every synchronization, on threads and in the virtual cluster, compared bit by bit with the
// sequential update.
#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "programs/fish/tick.h"
#include "programs/jacobi/tick.h"
#include "programs/reference/oracles.h"
#include "test/tick/ways.h"

using namespace leeway;
using namespace leeway::tick;
using leeway::testing::ways;

namespace {

FishParameters small_school() {
  FishParameters settings;
  settings.model.width = 60;
  settings.model.height = 40;
  settings.model.visibility = 3;
  settings.model.reach = 0.7;
  settings.count = 250;
  settings.informed = 10;
  settings.goals = 2;
  settings.price = std::chrono::microseconds(5);
  return settings;
}

std::vector<scene::Fish> sequential(const FishParameters& settings, std::uint32_t ticks) {
  auto fish = scene::school(settings.model, settings.count, settings.informed, settings.goals,
                            settings.seed);
  fish = reference::fish_after(settings.model, fish, ticks);
  return fish;
}

ClusterOptions cluster(Fabric fabric, std::uint32_t nodes) {
  ClusterOptions options;
  options.fabric = fabric;
  options.nodes = nodes;
  if (fabric == Fabric::Sim) options.network = parse_profile("ec2").value();
  return options;
}

std::vector<double> cells(const Field& field) {
  return {field.at(0, 0), field.at(0, 0) + field.size()};
}

}  // namespace

TEST_CASE(
    "fish are bit-identical to the sequential program, for every synchronization and fabric") {
  constexpr std::uint32_t kTicks = 17;
  FishParameters settings = small_school();
  const auto expected = sequential(settings, kTicks);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const std::uint32_t nodes : {1u, 2u, 5u, 16u, 50u}) {
    if (fabric == Fabric::Loopback && nodes > 16) continue;
    for (const TickOptions& way : ways(kTicks)) {
      settings.partition = way.depth == 3u ? FishPartition::Quadtree : FishPartition::Grid;
      CAPTURE(nodes, sync_name(way.sync), fabric_name(fabric));
      const auto run = run_fish(settings, way, cluster(fabric, nodes));
      REQUIRE(run.has_value());
      const auto fish = run->result.state.tuples();
      REQUIRE(std::vector(fish.begin(), fish.end()) == expected);
    }
  }
}

TEST_CASE(
    "a plate is bit-identical to the sequential program, for every synchronization and fabric") {
  constexpr std::uint32_t kTicks = 17;
  HeatParameters settings{.plate = {37, 29}, .seed = 4, .price_ps = 50'000};
  const auto expected =
      reference::plate_after(settings.plate, scene::first_plate(settings.plate, 4), kTicks);
  const Fabric fabric = GENERATE(Fabric::Loopback, Fabric::Sim);
  for (const std::uint32_t nodes : {1u, 2u, 5u, 16u, 50u}) {
    if (fabric == Fabric::Loopback && nodes > 16) continue;
    for (const TickOptions& way : ways(kTicks)) {
      CAPTURE(nodes, sync_name(way.sync), fabric_name(fabric));
      const auto run = run_heat(settings, way, cluster(fabric, nodes));
      REQUIRE(run.has_value());
      REQUIRE(cells(run->result.state) == expected);
    }
  }
}

TEST_CASE("a plate of one cell, and more nodes than cells, are computed correctly") {
  for (const scene::Plate plate : {scene::Plate{1, 1}, {2, 3}, {1, 40}}) {
    HeatParameters settings{.plate = plate};
    const auto expected = reference::plate_after(plate, scene::first_plate(plate, 1), 5);
    for (const TickOptions& way : ways(5)) {
      const auto run = run_heat(settings, way, cluster(Fabric::Sim, 16));
      REQUIRE(run.has_value());
      REQUIRE(cells(run->result.state) == expected);
    }
  }
}

TEST_CASE("a meter separates the processor time of STEP from that of the runtime") {
  const HeatParameters plate{.plate = {400, 400}};
  TickOptions options{.ticks = Tick(50)};
  for (const bool metered : {false, true}) {
    options.meter = metered;
    const auto run = run_heat(plate, options, cluster(Fabric::Loopback, 2));
    REQUIRE(run.has_value());
    for (const NodeRecord& node : run->result.nodes) {
      CHECK((node.counters.time(Counter::StepProcessorTime).count() > 0) == metered);
      CHECK((node.counters.time(Counter::RuntimeProcessorTime).count() > 0) == metered);
      CHECK(node.counters.time(Counter::StepProcessorTime) +
                node.counters.time(Counter::RuntimeProcessorTime) <=
            node.end - node.begin);
    }
  }
}

namespace {

/// Records which threads run its steps.
template <class Program>
class Watched : public Program {
 public:
  using Program::Program;
  using State = typename Program::State;

  void step(const typename State::Selection& to_step, const State& context, State& result) const {
    {
      const std::lock_guard lock(seen_->mutex);
      seen_->threads.insert(std::this_thread::get_id());
    }
    Program::step(to_step, context, result);
  }
  [[nodiscard]] std::size_t threads() const { return seen_->threads.size(); }

 private:
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
};

TickOptions on_threads(std::uint32_t ticks, Sync sync) {
  return {.sync = sync, .ticks = Tick(ticks), .threads = 3};
}

}  // namespace

/// Runs more and more work until helper threads have joined the nodes' own, because the threshold
/// for helpers and the time until they run depend on the machine. `run(factor)` returns how many
/// threads worked.
template <class TickResult>
void run_until_helped(std::uint32_t nodes, TickResult&& run) {
  constexpr std::uint32_t kMostTimes = 16;
  for (std::uint32_t factor = 1; factor <= kMostTimes; factor *= 2) {
    for (int again = 0; again < 3; ++again) {
      if (run(factor) > nodes) return;
    }
  }
  FAIL("no other thread has ever helped");
}

TEST_CASE("steps on several threads give the bits and the order of the sequential program") {
  constexpr std::uint32_t kTicks = 40;
  const Sync sync = GENERATE(Sync::Local, Sync::Combined);
  const std::uint32_t nodes = GENERATE(1u, 2u);
  const TickOptions options = on_threads(kTicks, sync);
  run_until_helped(nodes, [&](std::uint32_t factor) {
    FishParameters settings = small_school();
    settings.count = 2000 + 2000 * factor;
    const auto first = std::make_shared<const std::vector<scene::Fish>>(scene::school(
        settings.model, settings.count, settings.informed, settings.goals, settings.seed));
    const Watched<FishSchool> school(settings, first);
    const auto swum = run_ticks(school, options, cluster(Fabric::Loopback, nodes));
    REQUIRE(swum.has_value());
    const auto expected = sequential(settings, kTicks);
    const auto fish = swum->result.state.tuples();
    CHECK(std::vector(fish.begin(), fish.end()) == expected);
    return school.threads();
  });
  run_until_helped(nodes, [&](std::uint32_t factor) {
    const HeatParameters plate{.plate = {700 * factor, 500}, .seed = 3};
    const Watched<HeatPlate> heated(plate);
    const auto run = run_ticks(heated, options, cluster(Fabric::Loopback, nodes));
    REQUIRE(run.has_value());
    CHECK(cells(run->result.state) ==
          reference::plate_after(plate.plate, scene::first_plate(plate.plate, plate.seed), kTicks));
    return heated.threads();
  });
}
