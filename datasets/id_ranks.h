// The distinct small ids of a file's edges, and each id's place among them: a bitmap with running counts where the
// ids are dense enough for one, else a sorted list.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/base/array.h"
#include "leeway/base/ids.h"
#include "leeway/base/result.h"
#include "leeway/datasets/block_parse.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway {

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
