// AsyTick §5.3, §5.4, on n-body: more workers (Figure 12), more data (13), more pieces (14).
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/asytick_figures.h"
#include "leeway/benchmarks/replay/workbench.h"

namespace leeway::replay {

using piece::PieceRecord;
using piece::System;

Result<Figure> replay_asytick_fig12(AsyTickTrials& trials) {
  Figure figure = trials.blank("asytick-fig12", "n-body as workers are added");
  figure.shown.columns = {"workers", "s", "speedup", "ideal"};
  figure.raw.columns = {"workers", "seconds", "speedup"};
  AsyTickTrial trial = trials.trial(AsyTickBenchmark::NBody, System::AsyTickPlb);
  const std::uint32_t most = trial.workers;
  // The same pieces, dealt out to fewer.
  const std::uint32_t pieces = most * 64;
  std::vector<double> speedups;
  double first = 0;
  std::uint32_t fewest = 0;
  for (std::uint32_t workers = std::max(most / 16, 1U); workers <= most; workers *= 2) {
    trial.workers = workers;
    trial.pieces = std::max(pieces / workers, 1U);
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(trial));
    if (first == 0) {
      first = run->seconds();
      fewest = workers;
    }
    speedups.push_back(first / run->seconds());
    figure.shown.rows.push_back({std::to_string(workers), format("{:.3f}", run->seconds()),
                                 format("{:.2f}", speedups.back()),
                                 format("{:.0f}", static_cast<double>(workers) / fewest)});
    figure.raw.rows.push_back({std::to_string(workers), format("{:.9f}", run->seconds()),
                               format("{:.6f}", speedups.back())});
  }
  const double ideal = static_cast<double>(most) / fewest;
  figure.claims = {{"it scales well",
                    "faster at every doubling, and half of the ideal speedup at the end",
                    listed(speedups), rises(speedups) && speedups.back() >= ideal / 2}};
  return figure;
}

Result<Figure> replay_asytick_fig13(AsyTickTrials& trials) {
  Figure figure = trials.blank("asytick-fig13", "n-body as data grows");
  figure.shown.columns = {"data", "s", "s for each part"};
  figure.raw.columns = {"percent", "seconds"};
  AsyTickTrial trial = trials.trial(AsyTickBenchmark::NBody, System::AsyTickPlb);
  std::vector<double> each;
  // Pieces stay as large as they are, so that there are as many more of them as there are bodies; sides of
  // which there are even numbers, so that groups fill the box.
  for (const std::uint32_t side : {8U, 10U, 12U, 14U}) {
    trial.pieces = side * side;
    trial.percent_of_data = (trial.pieces * 100 + 32) / 64;
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(trial));
    each.push_back(run->seconds() / trial.pieces * 64);
    figure.shown.rows.push_back({format("{} %", trial.percent_of_data),
                                 format("{:.3f}", run->seconds()), format("{:.3f}", each.back())});
    figure.raw.rows.push_back(
        {std::to_string(trial.percent_of_data), format("{:.9f}", run->seconds())});
  }
  figure.notes.emplace_back("a larger box of as many more groups and pieces, each as large");
  const auto [low, high] = std::minmax_element(each.begin(), each.end());
  figure.claims = {{"time is almost linear in the data",
                    "seconds for each part within a third of each other", listed(each),
                    *high <= *low * 4 / 3}};
  return figure;
}

Result<Figure> replay_asytick_fig14(AsyTickTrials& trials) {
  Figure figure = trials.blank("asytick-fig14", "n-body as it is cut into more pieces");
  figure.shown.columns = {"pieces", "a worker", "s", "runtime's share"};
  figure.raw.columns = {"pieces", "seconds", "runtime"};
  AsyTickTrial trial = trials.trial(AsyTickBenchmark::NBody, System::AsyTickPlb);
  trial.ticks = 16;
  std::vector<double> times;
  for (const std::uint32_t pieces : {1U, 4U, 16U, 64U, 256U, 576U}) {
    trial.pieces = pieces;
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(trial));
    times.push_back(run->seconds());
    const std::string all = std::to_string(pieces * trial.workers);
    figure.shown.rows.push_back({all, std::to_string(pieces), format("{:.3f}", run->seconds()),
                                 format("{:.4f}", run->overhead_share())});
    figure.raw.rows.push_back(
        {all, format("{:.9f}", run->seconds()), format("{:.6f}", run->overhead_share())});
  }
  figure.notes.emplace_back(
      "16 ticks; what affects a body lies within 8, the width of one of 64 pieces");
  const auto best = std::min_element(times.begin(), times.end());
  const auto place = static_cast<std::size_t>(best - times.begin());
  figure.claims = {
      {"more pieces make it faster at first", "the least time is not at the fewest pieces",
       format("least in place {} of {}", place + 1, times.size()), place > 0},
      {"too many make it slower", "nor at the most", listed(times), place + 1 < times.size()},
  };
  return figure;
}

std::span<const AsyTickReplay> asytick_replays() {
  static constexpr std::array kAll = {
      AsyTickReplay{"asytick-fig4", "AsyTick Figure 4: skew under ComTick", replay_asytick_fig4},
      AsyTickReplay{"asytick-fig5", "AsyTick Figure 5: the asynchronous part", replay_asytick_fig5},
      AsyTickReplay{"asytick-fig6", "AsyTick Figure 6: where time goes", replay_asytick_fig6},
      AsyTickReplay{"asytick-fig7", "AsyTick Figure 7: cost beside ComTick", replay_asytick_fig7},
      AsyTickReplay{"asytick-fig8", "AsyTick Figure 8: ticks ahead", replay_asytick_fig8},
      AsyTickReplay{"asytick-fig9", "AsyTick Figure 9: skew absorbed", replay_asytick_fig9},
      AsyTickReplay{"asytick-fig10", "AsyTick Figure 10: the scheduler's share",
                    replay_asytick_fig10},
      AsyTickReplay{"asytick-fig11", "AsyTick Figure 11: speedups", replay_asytick_fig11},
      AsyTickReplay{"asytick-fig12", "AsyTick Figure 12: more workers", replay_asytick_fig12},
      AsyTickReplay{"asytick-fig13", "AsyTick Figure 13: more data", replay_asytick_fig13},
      AsyTickReplay{"asytick-fig14", "AsyTick Figure 14: more pieces", replay_asytick_fig14},
  };
  return kAll;
}

}  // namespace leeway::replay
