// bench-tick: overhead of the tick engine on real threads, for Jacobi on 1,000 x 1,000 cells and for 20,000 fish: one
// node compared with a plain sequential loop, and the runtime's share of time (neither STEP nor waiting) on one node,
// on two that share this work, and on two with this work each, as in the paper. Goals: at most 1.2 times the loop; at
// most 1 %.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/median.h"
#include "benchmarks/harness.h"
#include "programs/fish/tick.h"
#include "programs/jacobi/tick.h"

namespace {

using namespace leeway;
using namespace leeway::tick;

constexpr std::uint32_t kHeatTicks = 60;
constexpr std::uint32_t kFishTicks = 15;
constexpr int kRounds = 7;

/// `times`: multiple of the work of the one-node race.
HeatParameters heat(std::uint32_t times = 1) { return {.plate = {1000, 1000 * times}}; }

FishParameters fish(std::uint32_t times = 1) {
  FishParameters settings;
  settings.count = 20'000 * times;
  settings.model.width = 400;  // about fourteen visible fish each
  settings.model.height = 400 * times;
  return settings;
}

ClusterOptions threads(std::uint32_t nodes) {
  ClusterOptions cluster;
  cluster.nodes = nodes;
  return cluster;
}

/// The share of the nodes' processor time, without waiting, that is not STEP. The share of elapsed time would be
/// less, because waiting would count, and meaningless if other processes use the cores.
template <class TickResult>
double own_share(const TickResult& run) {
  Duration own{}, stepping{};
  for (const NodeRecord& node : run.result.nodes) {
    own += node.counters.time(Counter::RuntimeProcessorTime);
    stepping += node.counters.time(Counter::StepProcessorTime);
  }
  return seconds(own) / seconds(own + stepping);
}

double heat_share(std::uint32_t nodes, std::uint32_t times, std::uint32_t ticks) {
  return own_share(
      run_heat(heat(times), {.ticks = Tick(ticks), .meter = true}, threads(nodes)).value());
}
double fish_share(std::uint32_t nodes, std::uint32_t times, std::uint32_t ticks) {
  return own_share(
      run_fish(fish(times), {.ticks = Tick(ticks), .meter = true}, threads(nodes)).value());
}

void heat_by_hand(std::uint32_t ticks) {
  const scene::Plate shape = heat().plate;
  const std::size_t width = shape.columns;
  auto plate = scene::first_plate(shape, 1);
  std::vector<double> next(plate);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    for (std::size_t row = 1; row + 1 < shape.rows; ++row) {
      const double* const here = &plate[row * width + 1];
      scene::relax_row(here - width, here, here + width, &next[row * width + 1], width - 2);
    }
    std::swap(plate, next);
  }
  bench::keep(plate[500'500]);
}

void fish_by_hand(std::uint32_t ticks) {
  auto school = scene::school(fish().model, fish().count, 0, 1, 1);
  for (std::uint32_t tick = 0; tick < ticks; ++tick)
    school = scene::fish_tick(fish().model, school);
  bench::keep(school.front());
}

/// Processor seconds of `ticks` additional ticks; set-up and gathering occur in both runs and cancel out.
template <class Ticks>
double processor_seconds(Ticks&& run, std::uint32_t ticks) {
  const double begin = bench::processor_seconds();
  run(ticks);
  const double middle = bench::processor_seconds();
  run(2 * ticks);
  const double end = bench::processor_seconds();
  return (end - middle) - (middle - begin);
}

/// Runs both variants of a program in turn, prints the medians and writes them as a member of the JSON. Ratios are within
/// a round.
template <class ByHand, class Share>
void race(const char* name, std::uint32_t ticks, ByHand&& by_hand, Share&& share,
          JsonWriter& json) {
  double hand = 0;
  std::vector<double> alone;
  const auto by_ticks = [&](std::uint32_t some) { alone.push_back(share(1, 1, some)); };
  std::vector<bench::Contender> runs = {
      {"loop_seconds", [&] { return hand = processor_seconds(by_hand, ticks); }},
      {"one_node", [&] { return processor_seconds(by_ticks, ticks) / hand; }},
      {"own_share_two_nodes", [&] { return share(2, 1, ticks); }},
      {"own_share_two_full_nodes", [&] { return share(2, 2, ticks); }},
  };
  (void)processor_seconds(by_hand, ticks);
  bench::race(runs, kRounds, 0);
  const double own = median(std::move(alone));
  std::printf(
      "%-7s loop %.3f s, one node %.2f of it; runtime's own share %.2f %%, of two nodes that share "
      "it %.2f %%, that have as much each %.2f %%\n",
      name, runs[0].median, runs[1].median, 100 * own, 100 * runs[2].median, 100 * runs[3].median);
  json.key(name).object([&] {
    json.member(runs[0].name, runs[0].median, ".4f").member(runs[1].name, runs[1].median, ".3f");
    json.member("own_share", own, ".4f");
    for (std::size_t i = 2; i < runs.size(); ++i) json.member(runs[i].name, runs[i].median, ".4f");
  });
}

}  // namespace

int main() {
  bench::print_json("tick", [](JsonWriter& json) {
    race("jacobi", kHeatTicks, heat_by_hand, heat_share, json);
    race("fish", kFishTicks, fish_by_hand, fish_share, json);
  });
}
