// Maps the ids of a file to vertices 0 … n-1. Edges store small numeric ids directly; other ids (64-bit numbers, words) are
// stored as block-local indices into the names of the block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "datasets/parse.h"

namespace leeway {

/// Which ends of the edges share one set of ids.
enum class IdEnds { Both, Sources, Targets };

/// The ids of a file: 32-bit numbers, 64-bit numbers, or words.
enum class IdMode { Small, Wide, Words };

inline constexpr std::uint64_t kMostVertices = 0xFFFFFFFEu;

/// Names that share no memory with the given ones.
Result<VertexNames> copy_of(const VertexNames& names);

/// Gives block-local indices to ids in order of appearance.
template <class Key>
class KeyIndex {
 public:
  explicit KeyIndex(std::vector<Key>& names) : names_(names) {}
  template <class Given>
  VertexId of(const Given& id) {
    const auto [found, fresh] =
        map_.try_emplace(Key(id), static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(Key(id));
    return VertexId(found->second);
  }

 private:
  std::vector<Key>& names_;
  std::unordered_map<Key, std::uint32_t> map_;
};

/// The number of vertices that a header declares, and the id of the first one.
struct DeclaredIds {
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> first;
};

/// Numbers the ids in numeric order and rewrites the edges. If all ids are within the declared range ([first, first + n);
/// without a first, [0, n) or [1, n]), all declared vertices are numbered, including those without edges. Otherwise, if more
/// vertices are declared than there are ids, the missing vertices, which have no edges, get the lowest unused ids.
Result<VertexNames> number_small_ids(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                     const DeclaredIds& declared, unsigned threads);
/// The same for 64-bit ids.
Result<VertexNames> number_wide_ids(std::vector<ParsedBlock>& blocks);
/// Numbers words in order of appearance, after those of `first`, rewrites these ends of the edges, and returns all words.
Result<std::vector<std::string>> number_words(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                              std::vector<std::string> first);

/// True if the name contains no line break. Every reader refuses other names, because lines of text hold one name each.
[[nodiscard]] bool is_one_line(std::string_view name);
/// An Input error if a name contains a line break.
Status check_one_line(const VertexNames& names, const std::string& where);

/// Requires distinct words (checked).
Result<VertexNames> names_from_words(const std::vector<std::string>& words);
/// Sequence if the ids are consecutive, else Numbers. Requires ascending, distinct ids.
Result<VertexNames> names_from_numbers(const std::vector<std::uint64_t>& ids);

/// The distinct small ids of a file's edges, and the rank of each id: a bitmap with prefix counts if the ids are dense
/// enough, else a sorted list.
class IdRanks {
 public:
  static Result<IdRanks> of(const std::vector<ParsedBlock>& blocks, IdEnds ends);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t lowest() const { return lowest_; }
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

  /// Adds the `missing` lowest unused ids. Requires at least `missing` unused ids below the highest id.
  void add_unused(std::uint64_t missing);
  /// The rank of an id. Requires that it is one of the ids.
  [[nodiscard]] VertexId rank(VertexId id) const;
  /// All ids, ascending.
  [[nodiscard]] std::vector<std::uint64_t> ids() const;

 private:
  Status mark(const std::vector<ParsedBlock>& blocks, IdEnds ends, std::uint64_t highest);
  void mark_unused(std::uint64_t missing);
  void insert_unused(std::uint64_t missing);
  void count_words();

  std::uint64_t count_ = 0;
  std::uint64_t lowest_ = 0;
  std::uint64_t highest_ = 0;
  Array<std::uint64_t> words_;
  Array<std::uint32_t> before_;
  std::vector<std::uint32_t> sorted_;
};

}  // namespace leeway
