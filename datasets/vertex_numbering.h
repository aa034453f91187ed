// From the ids of a file to vertices 0 … n-1. Ids that are small numbers stand in the edges as they
// are; other ids (64-bit numbers, words) stand as block-local indices beside their block's names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/ids.h"
#include "datasets/parse.h"
#include "leeway/graph.h"
#include "leeway/result.h"

namespace leeway {

/// Which ends of the edges share one set of ids.
enum class IdEnds { Both, Sources, Targets };

/// What a file calls its vertices: numbers of 32 bits, of 64, or words.
enum class IdMode { Small, Wide, Words };

inline constexpr std::uint64_t kMostVertices = 0xFFFFFFFEu;

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

/// How many vertices a header speaks of, and what it calls the first.
struct DeclaredIds {
  std::optional<std::uint64_t> count;
  std::optional<std::uint64_t> first;
};

/// Numbers the ids in numeric order and rewrites the edges. Declared vertices that the ids fit (all
/// within [first, first + n); without a first, within [0, n) or [1, n]) are numbered whether they
/// appear or not. More declared vertices than sparse ids: the rest, which have no edges, take the
/// lowest unused ids.
Result<VertexNames> number_small_ids(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                     const DeclaredIds& declared, unsigned threads);
/// The same for 64-bit ids.
Result<VertexNames> number_wide_ids(std::vector<ParsedBlock>& blocks);
/// Numbers words in order of appearance, after those of `first`; rewrites those ends of the edges.
/// Gives the words back.
Result<std::vector<std::string>> number_words(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                              std::vector<std::string> first);

/// Requires distinct words (checked).
Result<VertexNames> names_from_words(const std::vector<std::string>& words);
/// Sequence if the ids follow each other, else Numbers. Requires ascending, distinct ids.
Result<VertexNames> names_from_numbers(const std::vector<std::uint64_t>& ids);

// The distinct small ids of a file's edges, and each id's place among them: a bitmap with running counts where the
// ids are dense enough for one, else a sorted list.
class IdRanks {
 public:
  static Result<IdRanks> of(const std::vector<ParsedBlock>& blocks, IdEnds ends);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t lowest() const { return lowest_; }
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

  /// Makes the lowest ids that no edge uses ids as well. Requires so many below the highest.
  void add_unused(std::uint64_t missing);
  /// Requires one of the ids.
  [[nodiscard]] VertexId rank(VertexId id) const;
  /// Ascending.
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
