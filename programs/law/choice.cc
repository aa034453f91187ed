#include "leeway/programs/law/choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/base/check.h"

namespace leeway::law {

namespace {

/// When a run leaves its way, and for which others. Chosen on the inputs of `leeway replay law-wide`, of what made
/// runs that were told of a faster network than theirs end soonest (docs/replays.md).
constexpr std::uint32_t kRoundsToJudge = 3;
constexpr double kSurprise = 3;
constexpr double kWorth = 0.5;
constexpr std::uint32_t kMostTried = 2;
constexpr std::array<std::string_view, 3> kOthers = {"rcp+push", "bsp", "ap"};

/// Sweeps over all vertices take about as long one as the other; lists and frontiers do not.
bool has_even_rounds(std::size_t program) {
  return programs()[program] == "pagerank" || programs()[program] == "heat";
}

/// As the trial run of the mode's own kind took.
double rounds_of(const Mode& mode, const ProgramFacts& facts) {
  if (mode.scheduler == Scheduler::Bsp) return facts.bsp_rounds;
  return mode.scheduler == Scheduler::DoWork ? facts.push_rounds : facts.ap_rounds;
}

}  // namespace

Allowed all_allowed() {
  Allowed allowed;
  allowed.fill(true);
  return allowed;
}

Choice choose(std::size_t program, const ProgramFacts& facts, const NetworkFacts& network,
              const Allowed& allowed) {
  Choice choice;
  choice.forecast = foretell(program, facts, network);
  std::vector<std::size_t> order;
  for (std::size_t mode = 0; mode < kModes; ++mode) {
    if (allowed[mode] && std::isfinite(choice.forecast.seconds[mode])) order.push_back(mode);
  }
  LEEWAY_CHECK(!order.empty());
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return choice.forecast.seconds[a] < choice.forecast.seconds[b];
  });
  choice.best = order.front();
  choice.second = order[std::min<std::size_t>(1, order.size() - 1)];
  if (modes()[choice.best].pie) return choice;
  auto plan = std::make_shared<WayPlan>();
  plan->rounds = kRoundsToJudge;
  plan->surprise = kSurprise;
  plan->worth = kWorth;
  plan->most_tried = kMostTried;
  for (const std::size_t place : order) {
    const Mode& mode = modes()[place];
    const bool other = std::find(kOthers.begin(), kOthers.end(), mode.name) != kOthers.end();
    if (mode.pie || (!other && place != choice.best)) continue;
    Way way;
    way.name = mode.name;
    way.scheduler = mode.scheduler;
    way.policy = parse_policy(mode.consistency).value();
    way.seconds = choice.forecast.seconds[place];
    way.rounds = std::max(1.0, rounds_of(mode, facts));
    way.even = has_even_rounds(program);
    plan->ways.push_back(std::move(way));
  }
  choice.ways = std::move(plan);
  return choice;
}

Result<RunRecord> simulate(const Setup& setup, const Choice& choice,
                           const NetworkProfile& network) {
  return simulate(setup, modes()[choice.best], network, choice.ways);
}

}  // namespace leeway::law
