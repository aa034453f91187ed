// AsyTick §5.3, §5.4, on n-body: more workers (Figure 12), more data (13), more pieces (14).
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"

namespace leeway::replay {

using piece::PieceRecord;
using piece::System;

Result<Figure> replay_asytick_fig12(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {both("workers"), both("s", ".3f", "seconds", ".9f"),
                     both("speedup", ".2f", "speedup", ".6f"), shown("ideal", ".0f")});
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
    rows.add({workers, run->seconds(), speedups.back(), static_cast<double>(workers) / fewest});
  }
  const double ideal = static_cast<double>(most) / fewest;
  figure.claims = {{"it scales well",
                    "faster at every doubling, and half of the ideal speedup at the end",
                    listed(speedups), rises(speedups) && speedups.back() >= ideal / 2}};
  return figure;
}

Result<Figure> replay_asytick_fig13(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {shown("data"), raw("percent"), both("s", ".3f", "seconds", ".9f"),
                     shown("s for each part", ".3f")});
  AsyTickTrial trial = trials.trial(AsyTickBenchmark::NBody, System::AsyTickPlb);
  std::vector<double> each;
  // Pieces stay as large as they are, so that there are as many more of them as there are bodies; sides of
  // which there are even numbers, so that groups fill the box.
  for (const std::uint32_t side : {8U, 10U, 12U, 14U}) {
    trial.pieces = side * side;
    trial.percent_of_data = (trial.pieces * 100 + 32) / 64;
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(trial));
    each.push_back(run->seconds() / trial.pieces * 64);
    rows.add({format("{} %", trial.percent_of_data), trial.percent_of_data, run->seconds(),
              each.back()});
  }
  figure.notes.emplace_back("a larger box of as many more groups and pieces, each as large");
  const auto [low, high] = std::minmax_element(each.begin(), each.end());
  figure.claims = {{"time is almost linear in the data",
                    "seconds for each part within a third of each other", listed(each),
                    *high <= *low * 4 / 3}};
  return figure;
}

Result<Figure> replay_asytick_fig14(Laboratory& lab) {
  AsyTickTrials& trials = lab.asytick();
  Figure figure = trials.blank();
  Rows rows(figure, {both("pieces"), shown("a worker"), both("s", ".3f", "seconds", ".9f"),
                     both("runtime's share", ".4f", "runtime", ".6f")});
  AsyTickTrial trial = trials.trial(AsyTickBenchmark::NBody, System::AsyTickPlb);
  trial.ticks = 16;
  std::vector<double> times;
  for (const std::uint32_t pieces : {1U, 4U, 16U, 64U, 256U, 576U}) {
    trial.pieces = pieces;
    LEEWAY_ASSIGN(const PieceRecord* const run, trials.run(trial));
    times.push_back(run->seconds());
    rows.add({pieces * trial.workers, pieces, run->seconds(), run->overhead_share()});
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

}  // namespace leeway::replay
