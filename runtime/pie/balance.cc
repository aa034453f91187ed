#include "runtime/pie/balance.h"

#include <algorithm>

#include "base/check.h"
#include "runtime/pie/workers.h"

namespace leeway::pie {

namespace {

constexpr std::uint32_t kMostDelay = 64;
constexpr int kLeastLoadGain = 10;  // the highest load must fall by one part of this number

std::vector<Duration> loads_of(std::span<const NodeId> nodes_of, std::span<const Duration> times,
                               std::uint32_t nodes) {
  std::vector<Duration> loads(nodes, Duration::zero());
  for (std::size_t i = 0; i < nodes_of.size(); ++i) loads[nodes_of[i].index()] += times[i];
  return loads;
}

}  // namespace

std::vector<NodeId> balanced_nodes_of(std::span<const NodeId> nodes_of,
                                      std::span<const Duration> times, std::uint32_t nodes) {
  LEEWAY_CHECK(nodes_of.size() == times.size());
  std::vector<NodeId> places(nodes_of.begin(), nodes_of.end());
  std::vector<Duration> loads = loads_of(nodes_of, times, nodes);
  // Each move lowers the sum of squared loads, so the loop ends; no worker needs to move twice.
  for (std::size_t moves = 0; moves < places.size(); ++moves) {
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    std::size_t best = places.size();
    Duration lowest = *most;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].index() != static_cast<std::size_t>(most - loads.begin())) continue;
      const Duration higher = std::max(*most - times[i], *least + times[i]);
      if (higher >= lowest) continue;
      lowest = higher;
      best = i;
    }
    if (best == places.size()) break;
    *most -= times[best];
    *least += times[best];
    places[best] = NodeId(static_cast<std::uint32_t>(least - loads.begin()));
  }
  return places;
}

void LoadBalancer::mark(const WorkerSlot& slot) {
  marks_[slot.id().index()] = {slot.statistics().rounds_run(), slot.statistics().computing()};
}

bool LoadBalancer::due(const WorkerSlot& slot) const {
  return slot.statistics().rounds_run() >=
         marks_[slot.id().index()].rounds + std::uint64_t{every_} * delay_;
}

LoadReport LoadBalancer::report(const std::vector<WorkerSlot>& slots, bool in_step) const {
  LoadReport report;
  for (const WorkerSlot& slot : slots) {
    const LoadMark& mark = marks_[slot.id().index()];
    const Duration time = slot.statistics().computing() - mark.computing;
    const std::uint32_t rounds = slot.statistics().rounds_run() - mark.rounds;
    report.due = report.due || due(slot);
    // A worker on a node with spare time runs more asynchronous rounds, which do not make it the greater load.
    report.workers.push_back({.worker = slot.id(),
                              .time = in_step || rounds == 0 ? time : time / rounds,
                              .round = slot.round(),
                              .active = slot.active()});
  }
  return report;
}

std::vector<NodeId> LoadBalancer::places(std::span<const NodeId> nodes_of,
                                         std::span<const LoadReport::WorkerLoad> loads,
                                         std::uint32_t nodes) {
  std::vector<Duration> times(nodes_of.size(), Duration::zero());
  Duration sum{};
  for (const LoadReport::WorkerLoad& load : loads) {
    times[load.worker.index()] = load.time;
    sum += load.time;
  }
  std::vector<NodeId> places = balanced_nodes_of(nodes_of, times, nodes);
  const auto highest = [&](std::span<const NodeId> of) {
    const std::vector<Duration> all = loads_of(of, times, nodes);
    return *std::max_element(all.begin(), all.end());
  };
  const Duration now = highest(nodes_of);
  const double unevenness = sum > Duration::zero() ? seconds(now) * nodes / seconds(sum) : 1;
  if (unevenness_ > 0) {
    delay_ = unevenness < unevenness_ ? std::max(delay_ / 2, 1U) : std::min(2 * delay_, kMostDelay);
  }
  unevenness_ = 0;
  if (now - highest(places) < now / kLeastLoadGain) return {nodes_of.begin(), nodes_of.end()};
  unevenness_ = unevenness;
  return places;
}

}  // namespace leeway::pie
