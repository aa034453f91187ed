#include "runtime/graph/halo.h"

#include <utility>

namespace leeway {

Halo::Halo(Group& group, const VertexRanges& ranges, std::span<const VertexId> targets)
    : first_(ranges.first(group.self())),
      size_(ranges.size(group.self())),
      ghosts_(ranges.firsts().back(), targets.size()) {
  for (const VertexId target : targets) {
    if (std::uint64_t{target.value()} - first_ >= size_) ghosts_.add(target);
  }
  ghosts_.settle();
  std::vector<std::vector<VertexId>> asked(group.count());
  ghosts_.for_each([&](VertexId ghost) { asked[ranges.home(ghost).index()].push_back(ghost); });
  std::uint64_t before = 0;
  for (const auto& list : asked) {
    first_ghost_.push_back(before);
    before += list.size();
  }
  const auto questions = group.swap(asked);
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    std::vector<std::uint32_t>& places = read_by_.emplace_back();
    places.reserve(questions[node].size());
    for (const VertexId v : questions[node]) {
      const std::uint64_t place = std::uint64_t{v.value()} - first_;
      group.require(place < size_, NodeId(node));
      places.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

}  // namespace leeway
