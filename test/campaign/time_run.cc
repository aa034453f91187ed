// Runs the plan of a time-stepped program and compares the result with the expected one.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "leeway/graph.h"
#include "programs/fish/tick.h"
#include "programs/fish_food/tick.h"
#include "programs/jacobi/piece.h"
#include "programs/jacobi/tick.h"
#include "programs/pagerank/piece.h"
#include "programs/pagerank/tick.h"
#include "programs/reference/oracles.h"
#include "programs/scene/spatial.h"
#include "test/campaign/time_plan.h"

namespace leeway::campaign {

namespace {

constexpr double kRankTolerance = 1e-12;

template <class Run>
TimeOutcome failed(const Run& run) {
  return {.wrong = run.error().to_string()};
}

TimeOutcome judged(bool same, std::uint64_t events, std::uint64_t digest) {
  return {.wrong = same ? "" : "not what the sequential update gives",
          .events = events,
          .digest = digest};
}

bool near(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= kRankTolerance)) return false;
  }
  return true;
}

TimeOutcome swim(const TimePlan& plan) {
  scene::FishModel model;
  model.width = 60;
  model.height = 40;
  model.visibility = 3;
  model.reach = 0.7;
  const std::vector<scene::Fish> first =
      scene::school(model, plan.things, plan.things / 10, 2, plan.seed);
  std::vector<scene::Fish> expected = first;
  expected = reference::fish_after(model, expected, plan.ticks);
  if (plan.pieces) {
    piece::FishJob job{.model = model, .things = first, .pieces = plan.pieces_each};
    job.prices.pair = 1'000'000;
    const auto run = piece::run_spatial(job, plan.cluster, plan.piece);
    if (!run) return failed(run);
    return judged(run->things == expected, run->record.events, run->record.digest);
  }
  tick::FishParameters settings{.model = model, .count = plan.things, .seed = plan.seed};
  settings.informed = plan.things / 10;
  settings.goals = 2;
  settings.price = std::chrono::microseconds(5);
  settings.partition =
      plan.seed % 2 == 0 ? tick::FishPartition::Grid : tick::FishPartition::Quadtree;
  const auto run = run_fish(settings, plan.tick, plan.cluster);
  if (!run) return failed(run);
  const auto fish = run->result.state.tuples();
  return judged(std::equal(fish.begin(), fish.end(), expected.begin(), expected.end()), run->events,
                run->digest);
}

TimeOutcome feed(const TimePlan& plan) {
  tick::FishFoodParameters settings;
  settings.fish.model = {.width = 50, .height = 30, .visibility = 2, .reach = 0.7};
  settings.fish.count = plan.things;
  settings.fish.seed = plan.seed;
  settings.fish.price = std::chrono::microseconds(5);
  settings.fish.partition =
      plan.seed % 2 == 0 ? tick::FishPartition::Grid : tick::FishPartition::Quadtree;
  settings.food = 5 + plan.things / 2;
  const scene::Pond expected =
      reference::pond_after(settings.fish.model, settings.model, first_pond(settings), plan.ticks);
  const auto run = run_fish_food(settings, plan.tick, plan.cluster);
  if (!run) return failed(run);
  const auto& state = run->result.state;
  const auto fish = state.get<tick::FishFood::kFish>().tuples();
  const auto food = state.get<tick::FishFood::kFood>().tuples();
  const bool equal =
      std::equal(fish.begin(), fish.end(), expected.fish.begin(), expected.fish.end()) &&
      std::equal(food.begin(), food.end(), expected.food.begin(), expected.food.end());
  return judged(equal, run->events, run->digest);
}

TimeOutcome attract(const TimePlan& plan) {
  piece::NBodyJob job{.pieces = plan.pieces_each};
  job.model.width = 120;
  job.model.height = 100;
  job.prices.pair = 1'000'000;
  job.things =
      scene::nbody_scene({.bodies = plan.things, .groups = 3, .seed = plan.seed}, job.model);
  const auto expected = reference::bodies_after(job.model, job.things, plan.ticks);
  const auto run = piece::run_spatial(job, plan.cluster, plan.piece);
  if (!run) return failed(run);
  return judged(run->things == expected, run->record.events, run->record.digest);
}

TimeOutcome relax(const TimePlan& plan) {
  const scene::Plate plate{.columns = plan.things, .rows = 5 + plan.things / 3};
  const auto expected =
      reference::plate_after(plate, scene::first_plate(plate, plan.seed), plan.ticks);
  if (plan.pieces) {
    const piece::JacobiJob job{
        .plate = plate, .seed = plan.seed, .pieces = plan.pieces_each, .cell_ps = 200'000};
    const auto run = piece::run_jacobi(job, plan.cluster, plan.piece);
    if (!run) return failed(run);
    return judged(run->heat == expected, run->record.events, run->record.digest);
  }
  const tick::HeatParameters settings{.plate = plate, .seed = plan.seed, .price_ps = 200'000};
  const auto run = tick::run_heat(settings, plan.tick, plan.cluster);
  if (!run) return failed(run);
  const tick::Field& field = run->result.state;
  const std::span<const double> cells(field.at(0, 0), field.size());
  return judged(std::equal(cells.begin(), cells.end(), expected.begin(), expected.end()),
                run->events, run->digest);
}

TimeOutcome rank(const TimePlan& plan) {
  LoadOptions load;
  load.seed = plan.seed;
  const std::string spec = format("uniform:{}:4", plan.things);
  const Graph graph = generate(spec, load).value();
  if (plan.pieces) {
    const piece::PageRankJob job{.pieces = std::min(plan.pieces_each, 4U)};
    piece::PieceOptions options = plan.piece;
    options.ticks = 5'000;  // upper bound; it converges before
    const auto run = piece::run_pagerank(graph, job, plan.cluster, options);
    if (!run) return failed(run);
    return judged(near(run->ranks, reference::pagerank(graph, {.tolerance = 1e-15})),
                  run->record.events, run->record.digest);
  }
  const auto ranked = tick::run_page_ranks(graph, {}, plan.tick, plan.cluster);
  if (!ranked) return failed(ranked);
  return judged(near(ranked->run.result.state.values(), reference::rank_ticks(graph, plan.ticks)),
                ranked->run.events, ranked->run.digest);
}

}  // namespace

TimeOutcome run_time_plan(const TimePlan& plan) {
  TimePlan settled = plan;
  settled.tick.ticks = tick::Tick(plan.ticks);
  settled.piece.ticks = plan.ticks;
  switch (plan.program) {
    case TimeProgram::Fish:
      return swim(settled);
    case TimeProgram::NBody:
      return attract(settled);
    case TimeProgram::Jacobi:
      return relax(settled);
    case TimeProgram::PageRank:
      return rank(settled);
    case TimeProgram::FishFood:
      return feed(settled);
  }
  return {};
}

}  // namespace leeway::campaign
