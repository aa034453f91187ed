// bench-tick: overhead of the tick engine on real threads, for Jacobi on 1,000 x 1,000 cells and for 20,000 fish: one
// node compared with a plain sequential loop, and the runtime's share of time (neither STEP nor waiting) on one node,
// on two that share this work, and on two with this work each, as in the paper. Goals: at most 1.2 times the loop; at
// most 1 %.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "benchmarks/stopwatch.h"
#include "programs/tick/fish_school.h"
#include "programs/tick/heat_plate.h"

namespace {

using namespace leeway;
using namespace leeway::tick;

constexpr std::uint32_t kHeatTicks = 60;
constexpr std::uint32_t kFishTicks = 15;
constexpr int kRounds = 7;

/// `times`: multiple of the work of the one-node race.
HeatSettings heat(std::uint32_t times = 1) { return {.plate = {1000, 1000 * times}}; }

FishSettings fish(std::uint32_t times = 1) {
  FishSettings settings;
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

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// The share of the nodes' processor time, without waiting, that is not STEP. The share of elapsed time would be
/// less, because waiting would count, and meaningless if other processes use the cores.
template <class TickResult>
double own_share(const TickResult& run) {
  Duration own{}, stepping{};
  for (const tick::TickNodeLog& log : run.result.logs) {
    own += log.counts.own;
    stepping += log.counts.stepping;
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
  const std::clock_t begin = std::clock();
  run(ticks);
  const std::clock_t middle = std::clock();
  run(2 * ticks);
  const std::clock_t end = std::clock();
  return static_cast<double>((end - middle) - (middle - begin)) / CLOCKS_PER_SEC;
}

/// Runs both variants of a program in turn; reports the median of the ratios within a round.
template <class ByHand, class Share>
std::string race(const char* name, std::uint32_t ticks, ByHand&& by_hand, Share&& share) {
  std::vector<double> ratios, alone, two, two_full, hand_seconds;
  (void)processor_seconds(by_hand, ticks);
  for (int round = 0; round < kRounds; ++round) {
    hand_seconds.push_back(processor_seconds(by_hand, ticks));
    const auto by_ticks = [&](std::uint32_t some) { alone.push_back(share(1, 1, some)); };
    ratios.push_back(processor_seconds(by_ticks, ticks) / hand_seconds.back());
    two.push_back(share(2, 1, ticks));
    two_full.push_back(share(2, 2, ticks));
  }
  std::printf(
      "%-7s loop %.3f s, one node %.2f of it; runtime's own share %.2f %%, of two nodes that share "
      "it %.2f %%, that have as much each %.2f %%\n",
      name, median(hand_seconds), median(ratios), 100 * median(alone), 100 * median(two),
      100 * median(two_full));
  return format(
      "\"{}\": {{\"loop_seconds\": {:.4f}, \"one_node\": {:.3f}, \"own_share\": {:.4f}, "
      "\"own_share_two_nodes\": {:.4f}, \"own_share_two_full_nodes\": {:.4f}}}",
      name, median(hand_seconds), median(ratios), median(alone), median(two), median(two_full));
}

}  // namespace

int main() {
  const std::string plate = race("jacobi", kHeatTicks, heat_by_hand, heat_share);
  const std::string school = race("fish", kFishTicks, fish_by_hand, fish_share);
  std::printf("{\"bench\": \"tick\", \"machine\": \"%s\", %s, %s}\n", bench::machine().c_str(),
              plate.c_str(), school.c_str());
}
