// What the tick engine costs on real threads: one node beside a plain sequential loop, for Jacobi on
// 1,000 x 1,000 cells and for 20,000 fish; and the runtime's own share of time (neither STEP nor waiting)
// on one and two nodes. Goals: within 1.2 of the loop; at most 1 %.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "leeway/base/format.h"
#include "leeway/benchmarks/stopwatch.h"
#include "leeway/programs/tick/fish_school.h"
#include "leeway/programs/tick/heat_plate.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kHeatTicks = 60;
constexpr std::uint32_t kFishTicks = 15;
constexpr int kRounds = 7;

HeatSettings heat() { return {.plate = {1000, 1000}}; }

FishSettings fish() {
  FishSettings settings;
  settings.count = 20'000;
  settings.model.width = settings.model.height = 400;  // some fourteen in sight of each
  return settings;
}

ClusterOptions threads(std::uint32_t nodes) {
  ClusterOptions cluster;
  cluster.nodes = nodes;
  return cluster;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// The share of all nodes' time that is neither STEP nor waiting. Where threads outnumber free cores, being
/// put aside by the system counts too.
template <class Run>
double own_share(const Run& run) {
  Duration own{}, all{};
  for (const TickLog& log : run.result.logs) {
    own += log.counts.runtime();
    all += log.counts.end - log.counts.begin;
  }
  return seconds(own) / seconds(all);
}

double heat_share(std::uint32_t nodes, std::uint32_t ticks) {
  return own_share(run_heat(heat(), {.ticks = Tick(ticks)}, threads(nodes)).value());
}
double fish_share(std::uint32_t nodes, std::uint32_t ticks) {
  return own_share(run_fish(fish(), {.ticks = Tick(ticks)}, threads(nodes)).value());
}

void heat_by_hand(std::uint32_t ticks) {
  auto plate = reference::first_plate(heat().plate, 1);
  std::vector<double> next(plate);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    reference::jacobi_tick(heat().plate, plate, next);
    std::swap(plate, next);
  }
  bench::keep(plate[500'500]);
}

void fish_by_hand(std::uint32_t ticks) {
  auto school = reference::school(fish().model, fish().count, 0, 1, 1);
  for (std::uint32_t tick = 0; tick < ticks; ++tick)
    school = reference::fish_tick(fish().model, school);
  bench::keep(school.front());
}

/// Processor seconds that `ticks` more ticks take: setting up and handing in are in both, and cancel.
template <class Ticks>
double processor_seconds(Ticks&& run, std::uint32_t ticks) {
  const std::clock_t begin = std::clock();
  run(ticks);
  const std::clock_t middle = std::clock();
  run(2 * ticks);
  const std::clock_t end = std::clock();
  return static_cast<double>((end - middle) - (middle - begin)) / CLOCKS_PER_SEC;
}

/// One program: both ways in turn, several times over, the median of ratios within a round.
template <class ByHand, class Share>
std::string race(const char* name, std::uint32_t ticks, ByHand&& by_hand, Share&& share) {
  std::vector<double> ratios, alone, two, hand_seconds;
  (void)processor_seconds(by_hand, ticks);
  for (int round = 0; round < kRounds; ++round) {
    hand_seconds.push_back(processor_seconds(by_hand, ticks));
    const auto by_ticks = [&](std::uint32_t some) { alone.push_back(share(1, some)); };
    ratios.push_back(processor_seconds(by_ticks, ticks) / hand_seconds.back());
    two.push_back(share(2, ticks));
  }
  std::printf(
      "%-7s loop %.3f s, one node %.2f of it; runtime's own share %.2f %%, on two nodes %.2f %%\n",
      name, median(hand_seconds), median(ratios), 100 * median(alone), 100 * median(two));
  return format(
      "\"{}\": {{\"loop_seconds\": {:.4f}, \"one_node\": {:.3f}, \"own_share\": {:.4f}, "
      "\"own_share_two_nodes\": {:.4f}}}",
      name, median(hand_seconds), median(ratios), median(alone), median(two));
}

}  // namespace

int main() {
  const std::string plate = race("jacobi", kHeatTicks, heat_by_hand, heat_share);
  const std::string school = race("fish", kFishTicks, fish_by_hand, fish_share);
  std::printf("{\"bench\": \"tick\", \"machine\": \"%s\", %s, %s}\n", bench::machine().c_str(),
              plate.c_str(), school.c_str());
}
