#include "leeway/runtime/ways.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/check.h"

namespace leeway {

double WayTrial::foreseen(const WayPlan& plan) const {
  const Way& it = plan.ways[way];
  return seconds *
         std::max(1.0, it.rounds / static_cast<double>(std::max<std::uint64_t>(1, rounds)));
}

namespace {

/// Rounds that grow shorter say nothing of what is left until the time that all should have taken is over.
bool as_expected(const WayPlan& plan, const WayTrial& trial) {
  const Way& way = plan.ways[trial.way];
  const double share =
      way.even ? std::min(1.0, static_cast<double>(trial.rounds) / std::max(1.0, way.rounds)) : 1;
  return trial.seconds <= plan.surprise * way.seconds * share;
}

/// What a way that was not tried is expected to take, now that the first one's forecast is known to be wrong: part
/// of what made it so, such as a slow network, holds for all.
double expected(const WayPlan& plan, const Way& way, const WayTrial& first) {
  const double wrong = first.foreseen(plan) / plan.ways[first.way].seconds;
  return way.seconds * std::sqrt(std::max(1.0, wrong));
}

bool tried(const std::vector<WayTrial>& trials, std::size_t way) {
  return std::any_of(trials.begin(), trials.end(),
                     [&](const WayTrial& each) { return each.way == way; });
}

}  // namespace

std::size_t next_way(const WayPlan& plan, const std::vector<WayTrial>& trials) {
  LEEWAY_CHECK(!trials.empty());
  if (trials.size() == 1 && as_expected(plan, trials.front())) return trials.front().way;
  const WayTrial* best = &trials.back();
  for (const WayTrial& each : trials) {
    // To go back costs a round of everything, too.
    if (each.foreseen(plan) < plan.worth * best->foreseen(plan)) best = &each;
  }
  if (trials.size() >= plan.most_tried) return best->way;
  for (std::size_t way = 0; way < plan.ways.size(); ++way) {
    if (tried(trials, way)) continue;
    if (expected(plan, plan.ways[way], trials.front()) < plan.worth * best->foreseen(plan))
      return way;
  }
  return best->way;
}

void WayWatch::begin(std::size_t way, Instant now, std::uint64_t messages) {
  trials_.push_back({.way = way});
  began_ = now;
  messages_before_ = messages;
  // One that has been judged before is what the job goes back to, for good.
  judged_ = std::count_if(trials_.begin(), trials_.end(),
                          [&](const WayTrial& each) { return each.way == way; }) > 1;
  leaving_ = false;
}

void WayWatch::measure(std::uint64_t rounds, Instant now, std::uint64_t messages) {
  WayTrial& trial = trials_.back();
  trial.rounds = rounds;
  trial.seconds = seconds(now - began_);
  trial.messages = messages - messages_before_;
}

std::uint64_t WayWatch::number(std::uint64_t rounds, Instant now, std::uint64_t messages) {
  if (!first_ || judged_ || rounds < plan_.rounds) return 0;
  judged_ = true;
  measure(rounds, now, messages);
  next_ = next_way(plan_, trials_);
  return next_ == trials_.back().way ? 0 : 1;
}

void WayWatch::end(std::uint64_t rounds, Instant now, std::uint64_t messages) {
  measure(rounds, now, messages);
}

}  // namespace leeway
