#include "test/answers/graph_changes.h"

#include <algorithm>
#include <fstream>

namespace leeway::answers {

namespace {

void apply_to_list(const EdgeChange& change, std::uint32_t from, std::uint32_t to, Lists& lists) {
  auto& arcs = lists.out[from];
  if (change.sign == '+') arcs.push_back({to, change.weight});
  if (change.sign == '-') std::erase_if(arcs, [&](const Lists::Arc& arc) { return arc.to == to; });
  for (Lists::Arc& arc : arcs)
    if (change.sign == '=' && arc.to == to) arc.weight = change.weight;
}

void apply(const EdgeChange& change, Lists& lists) {
  apply_to_list(change, change.from, change.to, lists);
  if (!lists.directed && change.from != change.to)
    apply_to_list(change, change.to, change.from, lists);
}

}  // namespace

std::vector<EdgeChange> draw_changes(Lists lists, Random& random) {
  std::vector<EdgeChange> changes;
  if (lists.size() == 0) return changes;
  const auto any = [&] { return static_cast<std::uint32_t>(random.below(lists.size())); };
  for (std::uint64_t left = 1 + random.below(6); left > 0; --left) {
    EdgeChange change;
    change.from = any();
    change.to = any();
    if (lists.weighted) change.weight = static_cast<double>(random.below(10));
    const auto& arcs = lists.out[change.from];
    if (!arcs.empty() && random.chance(0.7)) {
      change.to = arcs[random.below(arcs.size())].to;
      const bool weighs = lists.weighted && random.chance(0.4);
      change.sign = weighs ? '=' : random.chance(0.8) ? '-' : '+';
    }
    apply(change, lists);
    changes.push_back(change);
  }
  return changes;
}

void apply_changes(const std::vector<EdgeChange>& changes, Lists& lists) {
  for (const EdgeChange& change : changes) apply(change, lists);
}

void write_changes(const std::vector<EdgeChange>& changes, const Lists& lists,
                   const std::vector<std::string>& names, const std::string& path) {
  std::ofstream file(path);
  file << "# changes\n";
  for (const EdgeChange& change : changes) {
    file << change.sign << " " << names[change.from] << " " << names[change.to];
    if (lists.weighted && change.sign != '-') file << " " << decimal(change.weight);
    file << "\n";
  }
}

void remove_vertices(std::vector<EdgeChange>& changes, std::uint32_t first, std::uint32_t end) {
  const auto dropped = [&](std::uint32_t v) { return v >= first && v < end; };
  std::erase_if(changes,
                [&](const EdgeChange& each) { return dropped(each.from) || dropped(each.to); });
  for (EdgeChange& change : changes) {
    if (change.from >= end) change.from -= end - first;
    if (change.to >= end) change.to -= end - first;
  }
}

}  // namespace leeway::answers
