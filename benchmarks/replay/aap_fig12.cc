// AAP's Figure 12: timing diagrams of PageRank on 32 workers, one a straggler, under four models.
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_trials.h"

namespace leeway::replay {

namespace {

constexpr std::array kModels = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap};

void draw(const AapTrial& trial, const AapResult& result, Figure& figure, Rows& rows) {
  Lanes lanes;
  lanes.title = format("{}: {:.2f} s", scheduler_name(trial.model), result.seconds);
  lanes.seconds = result.seconds;
  lanes.lanes.resize(trial.workers);
  // Lanes are lower than text: every fourth has room for its name.
  for (std::uint32_t worker = 3; worker < trial.workers; worker += 4)
    lanes.lanes[worker].name = format("P{}", worker + 1);
  lanes.lanes[0].name = "straggler";
  for (const pie::RoundRecord& round : result.records) {
    const double begin = seconds(round.begin - result.begin);
    const double end = seconds(round.end - result.begin);
    lanes.lanes[round.worker.index()].spans.emplace_back(begin, end);
    rows.add({scheduler_name(trial.model), round.worker.value(), round.round.value(), begin, end,
              round.staleness, format("{:.2f}", round.target), round.stretch_seconds});
  }
  figure.drawings.push_back(std::move(lanes));
}

}  // namespace

Result<Figure> replay_aap_fig12(Laboratory& lab) {
  AapTrials trials(lab);
  Figure figure = trials.blank("Friendster");
  Rows rows(figure, {shown("model"), shown("seconds", ".4f"), shown("rounds"),
                     shown("straggler's rounds"), shown("idle share", ".2f")});
  Rows drawn(figure, {raw("model"), raw("worker"), raw("round"), raw("begin", ".6f"),
                      raw("end", ".6f"), raw("eta"), raw("L"), raw("DS", ".6f")});
  AapTrial trial{.program = "pagerank", .input = "Friendster", .workers = lab.nodes(32), .skew = 4};
  std::array<double, 4> seconds{};
  std::array<std::uint32_t, 4> rounds{};
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    trial.model = kModels[i];
    LEEWAY_ASSIGN(const AapResult* const result, trials.run(trial, true));
    seconds[i] = result->seconds;
    rounds[i] = result->straggler_rounds;
    rows.add(
        {scheduler_name(trial.model), seconds[i], result->rounds, rounds[i], result->idle_share});
    draw(trial, *result, figure, drawn);
  }
  const bool fastest = seconds[3] < std::min({seconds[0], seconds[1], seconds[2]});
  const bool fewest = rounds[3] < std::min({rounds[1], rounds[2]});
  figure.claims = {
      {"AAP is the fastest (112 s; BSP 174, AP 166, SSP 145)", "less time than each of the others",
       format("BSP {:.3f}, AP {:.3f}, SSP {:.3f}, AAP {:.3f} s", seconds[0], seconds[1], seconds[2],
              seconds[3]),
       fastest},
      {"under AAP the straggler converges in fewer rounds than under AP and SSP",
       "fewer rounds of the straggler",
       format("AP {}, SSP {}, AAP {}", rounds[1], rounds[2], rounds[3]), fewest},
  };
  return figure;
}

}  // namespace leeway::replay
