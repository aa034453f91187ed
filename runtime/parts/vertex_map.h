// From some vertices of a large graph to a number each: a table with open addressing, of eight bytes an entry and at most
// two entries a vertex; or one with a place for every vertex of the graph, where that is no longer than the lists in
// which they are met. One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/mix.h"

namespace leeway {

class VertexMap {
 public:
  VertexMap() : entries_(kLeast, Entry{VertexId::none(), 0}) {}
  /// For the vertices in lists that hold `listed` of a graph's `vertices`.
  VertexMap(std::uint64_t vertices, std::uint64_t listed) : VertexMap() {
    if (vertices > listed) return;
    auto table = Array<std::uint32_t>::make(vertices);
    if (!table) return;
    number_of_ = std::move(*table);
    numbers_ = number_of_.mutable_span();
    std::fill(numbers_.begin(), numbers_.end(), kNone);
  }

  [[nodiscard]] bool dense() const { return !numbers_.empty(); }

  /// The number of a vertex, and whether it has been given one by this call, which is `number` (not the greatest).
  std::pair<std::uint32_t*, bool> insert(VertexId vertex, std::uint32_t number) {
    if (dense()) {
      std::uint32_t& known = numbers_[vertex.index()];
      const bool fresh = known == kNone;
      if (fresh) known = number;
      return {&known, fresh};
    }
    if ((size_ + 1) * 4 > entries_.size() * 3) grow();
    Entry& entry = entries_[place_of(vertex)];
    const bool fresh = entry.vertex == VertexId::none();
    if (fresh) {
      entry = {vertex, number};
      ++size_;
    }
    return {&entry.number, fresh};
  }
  [[nodiscard]] bool has(VertexId vertex) const {
    if (dense()) return vertex.index() < numbers_.size() && numbers_[vertex.index()] != kNone;
    return entries_[place_of(vertex)].vertex == vertex;
  }
  /// Requires a vertex that was inserted.
  [[nodiscard]] std::uint32_t at(VertexId vertex) const {
    return dense() ? numbers_[vertex.index()] : entries_[place_of(vertex)].number;
  }

 private:
  struct Entry {
    VertexId vertex;
    std::uint32_t number;
  };
  static constexpr std::size_t kLeast = 1024;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] std::size_t place_of(VertexId vertex) const {
    std::size_t place = mix64(vertex.value()) & (entries_.size() - 1);
    while (entries_[place].vertex != vertex && entries_[place].vertex != VertexId::none())
      place = (place + 1) & (entries_.size() - 1);
    return place;
  }
  void grow() {
    std::vector<Entry> old(entries_.size() * 2, Entry{VertexId::none(), 0});
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.vertex != VertexId::none()) entries_[place_of(entry.vertex)] = entry;
    }
  }

  Array<std::uint32_t> number_of_;
  std::span<std::uint32_t> numbers_;  // the same, by vertex; empty: they are in the other table
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace leeway
