// AAP's Figure 12: timing diagrams of PageRank on 32 workers, one a straggler, under four models.
#include <algorithm>
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/aap_trials.h"

namespace leeway::replay {

namespace {

constexpr std::array kModels = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Ssp, Scheduler::Aap};

void draw(const AapTrial& trial, const AapResult& result, Figure& figure) {
  Lanes lanes;
  lanes.title = format("{}: {:.2f} s", scheduler_name(trial.model), result.seconds);
  lanes.seconds = result.seconds;
  lanes.lanes.resize(trial.workers);
  // Lanes are lower than text: every fourth has room for its name.
  for (std::uint32_t worker = 3; worker < trial.workers; worker += 4)
    lanes.lanes[worker].name = format("P{}", worker + 1);
  lanes.lanes[0].name = "straggler";
  for (const pie::RoundRecord& round : result.records) {
    lanes.lanes[round.worker.index()].spans.emplace_back(seconds(round.begin - result.begin),
                                                         seconds(round.end - result.begin));
    figure.raw.rows.push_back(
        {std::string(scheduler_name(trial.model)), std::to_string(round.worker.value()),
         std::to_string(round.round.value()), format("{:.6f}", seconds(round.begin - result.begin)),
         format("{:.6f}", seconds(round.end - result.begin)), std::to_string(round.staleness),
         format("{:.2f}", round.target), format("{:.6f}", round.stretch_seconds)});
  }
  figure.drawings.push_back(std::move(lanes));
}

}  // namespace

Result<Figure> replay_aap_fig12(const AapSettings& settings) {
  AapTrials trials(settings);
  Figure figure =
      trials.blank("aap-fig12", "PageRank on 32 workers with one straggler: who computed when");
  figure.configuration.emplace_back("stand-in", trials.source("Friendster"));
  figure.shown.columns = {"model", "seconds", "rounds", "straggler's rounds", "idle share"};
  figure.raw.columns = {"model", "worker", "round", "begin", "end", "eta", "L", "DS"};
  AapTrial trial{
      .program = "pagerank", .input = "Friendster", .workers = trials.workers(32), .skew = 4};
  std::array<double, 4> seconds{};
  std::array<std::uint32_t, 4> rounds{};
  for (std::size_t i = 0; i < kModels.size(); ++i) {
    trial.model = kModels[i];
    LEEWAY_ASSIGN(const AapResult* const result, trials.run(trial, true));
    seconds[i] = result->seconds;
    rounds[i] = result->straggler_rounds;
    figure.shown.rows.push_back({std::string(scheduler_name(trial.model)),
                                 format("{:.4f}", seconds[i]), std::to_string(result->rounds),
                                 std::to_string(rounds[i]), format("{:.2f}", result->idle_share)});
    draw(trial, *result, figure);
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
