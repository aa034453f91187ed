#include "runtime/graph/halo.h"

#include <utility>

namespace leeway {

namespace {

std::uint64_t total_of(std::initializer_list<std::span<const VertexId>> lists) {
  std::uint64_t total = 0;
  for (const auto& list : lists) total += list.size();
  return total;
}

}  // namespace

Halo::Halo(Group& group, const VertexRanges& ranges,
           std::initializer_list<std::span<const VertexId>> ends)
    : first_(ranges.first(group.self())),
      size_(ranges.size(group.self())),
      ghosts_(ranges.firsts().back(), total_of(ends)) {
  for (const auto& list : ends) {
    for (const VertexId end : list) {
      if (std::uint64_t{end.value()} - first_ >= size_) ghosts_.add(end);
    }
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
