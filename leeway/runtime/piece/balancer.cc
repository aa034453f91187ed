#include "leeway/runtime/piece/balancer.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "leeway/base/check.h"

namespace leeway::piece {

namespace {

using Loaded = std::pair<std::uint64_t, std::uint32_t>;  // load, worker

/// The heaviest piece whose move leaves its new worker below `limit` and lighter than the old one was.
std::size_t fitting(std::span<const std::size_t> pieces, std::span<const std::uint64_t> loads,
                    std::uint64_t giver, std::uint64_t taker, std::uint64_t limit) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::uint64_t load = loads[pieces[i]];
    if (load > 0 && taker + load <= limit && taker + load < giver) return i;
  }
  return pieces.size();
}

}  // namespace

std::vector<NodeId> rebalanced(std::span<const NodeId> owners, std::span<const std::uint64_t> loads,
                               std::span<const std::uint64_t> standing,
                               std::uint32_t slack_percent) {
  LEEWAY_CHECK(owners.size() == loads.size());
  const auto workers = static_cast<std::uint32_t>(standing.size());
  LEEWAY_CHECK(workers > 0u);
  std::vector<NodeId> now(owners.begin(), owners.end());
  std::vector<std::vector<std::size_t>> held(workers);
  std::vector<std::uint64_t> sums(standing.begin(), standing.end());
  for (std::size_t i = 0; i < loads.size(); ++i) {
    held[now[i].index()].push_back(i);
    sums[now[i].index()] += loads[i];
  }
  for (auto& pieces : held) {
    std::sort(pieces.begin(), pieces.end(), [&](std::size_t a, std::size_t b) {
      return loads[a] != loads[b] ? loads[a] > loads[b] : a < b;
    });
  }
  const std::uint64_t total = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  const std::uint64_t limit = total / workers + total / workers * slack_percent / 100 + 1;
  std::set<Loaded> order;
  for (std::uint32_t worker = 0; worker < workers; ++worker) order.insert({sums[worker], worker});
  std::vector<bool> spent(workers, false);  // has nothing left that fits anywhere
  for (auto heaviest = order.rbegin(); heaviest != order.rend() && heaviest->first > limit;) {
    const auto [giver_load, giver] = *heaviest;
    const auto [taker_load, taker] = *order.begin();
    auto& pieces = held[giver];
    const std::size_t place =
        spent[giver] ? pieces.size() : fitting(pieces, loads, giver_load, taker_load, limit);
    if (place == pieces.size()) {
      spent[giver] = true;
      ++heaviest;
      continue;
    }
    const std::size_t piece = pieces[place];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(place));
    now[piece] = NodeId(taker);
    order.erase({giver_load, giver});
    order.erase({taker_load, taker});
    order.insert({giver_load - loads[piece], giver});
    order.insert({taker_load + loads[piece], taker});
    heaviest = order.rbegin();
  }
  return now;
}

}  // namespace leeway::piece
