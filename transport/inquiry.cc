#include "leeway/transport/inquiry.h"

#include <algorithm>

#include "leeway/base/format.h"

namespace leeway {

Inquiry::Pair Inquiry::pair(NodeId a, NodeId b) { return std::minmax(a.value(), b.value()); }

void Inquiry::suspect(NodeId by, NodeId whom) {
  if (by != whom && by.index() < answered_.size() && whom.index() < answered_.size())
    suspected_.insert(pair(by, whom));
}

void Inquiry::answer(NodeId by, const std::vector<NodeId>& unreached) {
  answered_[by.index()] = true;
  for (const NodeId whom : unreached) {
    if (whom != by && whom.index() < answered_.size()) cut_.insert(pair(by, whom));
  }
}

std::vector<Inquiry::Verdict> Inquiry::verdicts() const {
  std::vector<Verdict> verdicts;
  std::set<Pair> cut = cut_;
  const auto cuts_of = [&cut](std::uint32_t node) {
    return std::count_if(cut.begin(), cut.end(), [node](const Pair& each) {
      return each.first == node || each.second == node;
    });
  };
  for (const Pair& suspected : suspected_) {
    if (!cut.contains(suspected)) continue;  // they reach each other, or one has gone
    const auto [low, high] = suspected;
    const std::uint32_t goes = cuts_of(low) > cuts_of(high) ? low : high;
    const std::uint32_t stays = goes == low ? high : low;
    verdicts.push_back(
        {NodeId(goes), format("it and node {} can no longer reach each other", stays)});
    std::erase_if(
        cut, [goes = goes](const Pair& each) { return each.first == goes || each.second == goes; });
  }
  return verdicts;
}

}  // namespace leeway
