// AAP Exp-3 and Exp-4: scale-up, skewed partitions, and many workers on a large synthetic graph.
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_models.h"

namespace leeway::replay {

Result<Figure> replay_aap_fig6n(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {9.5, 2.3, 4.9};
  AapTrials trials(lab);
  Figure figure = trials.blank("Friendster");
  Rows rows(figure, model_columns({shown("r")}));
  ModelTimes balanced{}, skewed{};
  for (const double skew : {1.0, 3.0, 5.0, 7.0, 9.0}) {
    const AapTrial trial{
        .program = "sssp", .input = "Friendster", .workers = lab.nodes(64), .skew = skew};
    LEEWAY_ASSIGN(skewed, times_of(trials, trial));
    rows.add(model_cells({skew}, skewed));
    if (skew == 1) balanced = skewed;
  }
  for (std::size_t i = 0; i < kPaper.size(); ++i) {
    figure.claims.push_back(at_least(format("at r = 9 AAP is {} times faster than {}", kPaper[i],
                                            scheduler_name(kModels[i + 1])),
                                     skewed[i + 1] / skewed[0], kPaper[i]));
  }
  const double beside = balanced[0] / balanced[1];
  figure.claims.push_back({"AAP works as well as BSP on a balanced partition",
                           "within 5 % of BSP's time", format("{:.3f} of it", beside),
                           beside <= 1.05});
  trials.add_raw(figure);
  return figure;
}

Result<Figure> replay_aap_fig6o(Laboratory& lab) {
  constexpr std::array<double, 3> kPaper = {4.3, 14.7, 4.7};
  const std::string graph = lab.settings().graph.value_or("powerlaw:60000:2.1");
  AapTrials trials(lab, graph);
  Figure figure = trials.blank();
  figure.configuration.emplace_back("graph", graph);
  Rows rows(figure, model_columns({shown("workers")}));
  std::array<std::vector<double>, 3> all;
  for (const std::uint32_t workers : {96U, 160U, 224U}) {
    const AapTrial trial{.program = "pagerank", .input = "UKWeb", .workers = lab.nodes(workers)};
    LEEWAY_ASSIGN(const ModelTimes times, times_of(trials, trial));
    rows.add(model_cells({trial.workers}, times));
    for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(times[i + 1] / times[0]);
    if (lab.settings().nodes) break;
  }
  for (std::size_t i = 0; i < kPaper.size(); ++i) {
    figure.claims.push_back(
        average_claim(i, kPaper[i], "the geometric mean is at least {}", all[i]));
  }
  trials.add_raw(figure);
  return figure;
}

Result<Figure> replay_aap_exp3(Laboratory& lab) {
  Figure figure = AapTrials(lab).blank();
  Rows rows(figure, model_columns({shown("workers")}));
  ModelTimes first{}, last{};
  for (const std::uint32_t times_as_large : {1U, 2U, 3U}) {
    AapTrials trials(lab, format("powerlaw:{}:2.1", 12'000 * times_as_large));
    const AapTrial trial{
        .program = "pagerank", .input = "Friendster", .workers = 32 * times_as_large};
    LEEWAY_ASSIGN(last, times_of(trials, trial));
    if (times_as_large == 1) first = last;
    rows.add(model_cells({trial.workers}, last));
    trials.add_raw(figure);
  }
  // Charges stand for the paper's arcs, spread over the stand-in's: as the graph grows, each stands for less.
  const auto grown_by = [&](std::size_t i) { return last[i] * 3 / first[i]; };
  figure.notes.push_back(
      "a stand-in's charges shrink as it grows, which the claims take out again");
  figure.claims.push_back(
      {"AAP keeps its time as graph and workers grow together, as well as the other models do",
       "grows no more than the mildest of the others, and a fifth",
       format("AAP {:.2f}, BSP {:.2f}, AP {:.2f}, SSP {:.2f} times the time", grown_by(0),
              grown_by(1), grown_by(2), grown_by(3)),
       grown_by(0) <= (1 + kSimilarWithin) * std::min({grown_by(1), grown_by(2), grown_by(3)})});
  return figure;
}

}  // namespace leeway::replay
