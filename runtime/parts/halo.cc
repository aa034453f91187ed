#include "leeway/runtime/parts/halo.h"

#include <utility>

namespace leeway {

Halo::Halo(Exchange& exchange, const VertexRanges& ranges, std::span<const VertexId> targets)
    : first_(ranges.first(exchange.self())), size_(ranges.size(exchange.self())) {
  for (const VertexId target : targets) {
    const std::uint64_t place = std::uint64_t{target.value()} - first_;
    if (place >= size_ && numbers_.insert(target, 0).second) ghosts_.push_back(target);
  }
  std::sort(ghosts_.begin(), ghosts_.end());
  std::vector<std::vector<VertexId>> asked(exchange.count());
  for (std::uint32_t i = 0; i < ghosts_.size(); ++i) {
    *numbers_.insert(ghosts_[i], i).first = i;
    asked[ranges.home(ghosts_[i]).index()].push_back(ghosts_[i]);
  }
  std::uint64_t before = 0;
  for (const auto& list : asked) {
    first_ghost_.push_back(before);
    before += list.size();
  }
  const auto questions = exchange.swap(asked);
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    std::vector<std::uint32_t>& places = read_by_.emplace_back();
    places.reserve(questions[node].size());
    for (const VertexId v : questions[node]) {
      const std::uint64_t place = std::uint64_t{v.value()} - first_;
      exchange.require(place < size_, NodeId(node));
      places.push_back(static_cast<std::uint32_t>(place));
    }
  }
}

}  // namespace leeway
