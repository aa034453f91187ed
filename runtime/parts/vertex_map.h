// From some vertices of a large graph to a number each: a table with open addressing, of eight bytes an entry and at most
// two entries a vertex. One thread's own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/base/ids.h"
#include "leeway/base/mix.h"

namespace leeway {

class VertexMap {
 public:
  VertexMap() : entries_(kLeast, Entry{VertexId::none(), 0}) {}

  /// The number of a vertex, and whether it has been given one by this call, which is `number`.
  std::pair<std::uint32_t*, bool> insert(VertexId vertex, std::uint32_t number) {
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
    return entries_[place_of(vertex)].vertex == vertex;
  }
  /// Requires a vertex that was inserted.
  [[nodiscard]] std::uint32_t at(VertexId vertex) const {
    return entries_[place_of(vertex)].number;
  }

 private:
  struct Entry {
    VertexId vertex;
    std::uint32_t number;
  };
  static constexpr std::size_t kLeast = 1024;

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

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace leeway
