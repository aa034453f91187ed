#include "runtime/graph/input_lists.h"

namespace leeway {

std::vector<std::uint32_t> find_runs(const VertexGroups& groups, NodeId self,
                                     std::span<const ObjectId> remote) {
  std::vector<std::uint32_t> ends = groups[self.index()];
  if (remote.empty()) return ends;
  const auto local = ends.empty() ? 0 : ends.back();
  const auto run_of = [&](ObjectId id) {
    const auto& there = groups[id.home().index()];
    return std::pair(id.home(),
                     std::ranges::upper_bound(there, id.local().value()) - there.begin());
  };
  auto before = run_of(remote.front());
  for (std::uint32_t i = 1; i < remote.size(); ++i) {
    const auto run = run_of(remote[i]);
    if (std::exchange(before, run) != run) ends.push_back(local + i);
  }
  return ends;
}

}  // namespace leeway
