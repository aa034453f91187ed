// Numbers for some of the vertices of a large graph: VertexMap in any order, VertexSet by rank.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"

namespace leeway {

/// Maps vertices to numbers: a hash table with open addressing, 8 bytes for each entry and at most two entries for each vertex.
/// Not thread-safe.
class VertexMap {
 public:
  VertexMap() : entries_(kLeast, VertexEntry{VertexId::none(), 0}) {}

  /// Returns the vertex's number, which becomes `number` if it had none, and whether this call set it.
  std::pair<std::uint32_t*, bool> insert(VertexId vertex, std::uint32_t number) {
    if ((size_ + 1) * 4 > entries_.size() * 3) grow();
    VertexEntry& entry = entries_[place_of(vertex)];
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
  /// Requires an inserted vertex.
  [[nodiscard]] std::uint32_t at(VertexId vertex) const {
    return entries_[place_of(vertex)].number;
  }

 private:
  struct VertexEntry {
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
    std::vector<VertexEntry> old(entries_.size() * 2, VertexEntry{VertexId::none(), 0});
    old.swap(entries_);
    for (const VertexEntry& entry : old) {
      if (entry.vertex != VertexId::none()) entries_[place_of(entry.vertex)] = entry;
    }
  }

  std::vector<VertexEntry> entries_;
  std::size_t size_ = 0;
};

/// Number of set bits. The processors that Leeway is built for need not have an instruction for it, and the library's function is
/// a call that looks up each byte.
[[nodiscard]] constexpr std::uint32_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fU;
  return static_cast<std::uint32_t>(bits * 0x0101010101010101U >> 56U);
}

/// A set of vertices and the rank of each among them, in the graph's order. A bit for each vertex of the graph, with the number
/// of members before each word of bits; or a VertexMap if the graph is much larger than the lists in which the members occur. Add
/// all members, then call `settle`, then ask. Not thread-safe.
class VertexSet {
 public:
  /// For members from lists with `listed` entries in total, in a graph of `vertices` vertices.
  VertexSet(std::uint64_t vertices, std::uint64_t listed) {
    if (vertices / kMostVerticesPerEntry <= listed + kLeastEntries)
      words_.resize(vertices / kBits + 1);
  }

  void add(VertexId vertex) {
    if (words_.empty()) {
      if (ranks_.insert(vertex, 0).second) members_.push_back(vertex);
      return;
    }
    RankedWord& word = words_[vertex.index() / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (vertex.index() % kBits);
    // Most ends are met more than once, and a store that is not needed would delay the next load of the word.
    if ((word.bits & bit) == 0) word.bits |= bit;
  }
  void settle() {
    for (RankedWord& word : words_) {
      word.before = count_;
      count_ += count_bits(word.bits);
    }
    if (!words_.empty()) return;
    std::sort(members_.begin(), members_.end());
    count_ = static_cast<std::uint32_t>(members_.size());
    for (std::uint32_t i = 0; i < count_; ++i) *ranks_.insert(members_[i], i).first = i;
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool has(VertexId vertex) const {
    if (words_.empty()) return ranks_.has(vertex);
    return vertex.index() / kBits < words_.size() &&
           (words_[vertex.index() / kBits].bits >> (vertex.index() % kBits) & 1) != 0;
  }
  /// The number of members before this one. Requires a member.
  [[nodiscard]] std::uint32_t rank(VertexId vertex) const {
    if (words_.empty()) return ranks_.at(vertex);
    const RankedWord& word = words_[vertex.index() / kBits];
    const std::uint64_t below = (std::uint64_t{1} << (vertex.index() % kBits)) - 1;
    return word.before + count_bits(word.bits & below);
  }
  /// Ascending.
  [[nodiscard]] std::vector<VertexId> members() const {
    std::vector<VertexId> all;
    all.reserve(count_);
    for_each([&](VertexId v) { all.push_back(v); });
    return all;
  }
  template <class Use>
  void for_each(Use&& use) const {
    for (const VertexId member : members_) use(member);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t bits = words_[i].bits; bits != 0; bits &= bits - 1)
        use(VertexId(static_cast<std::uint32_t>(i * kBits) +
                     static_cast<std::uint32_t>(std::countr_zero(bits))));
    }
  }

 private:
  /// 16 bytes for each 64 vertices: with 16 vertices for each entry of a list, the bits need as much memory as the lists.
  static constexpr std::uint64_t kMostVerticesPerEntry = 16;
  static constexpr std::uint64_t kLeastEntries = 1024;
  static constexpr std::size_t kBits = 64;
  struct RankedWord {
    std::uint64_t bits = 0;
    std::uint32_t before = 0;  // members in earlier words
  };

  std::vector<RankedWord> words_;
  std::vector<VertexId> members_;  // without words_
  VertexMap ranks_;                // without words_
  std::uint32_t count_ = 0;
};

}  // namespace leeway
