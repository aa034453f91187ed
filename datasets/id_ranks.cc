#include "leeway/datasets/id_ranks.h"

#include <algorithm>
#include <bit>

namespace leeway {

namespace {

constexpr std::uint64_t kAlwaysBitmap = std::uint64_t{1} << 22;

template <class Visit>
void for_each_end(const std::vector<ParsedBlock>& blocks, IdEnds ends, Visit&& visit) {
  for (const auto& block : blocks) {
    if (ends != IdEnds::Targets) {
      for (const VertexId id : block.edges.run_sources()) visit(id.value());
    }
    if (ends != IdEnds::Sources) {
      for (const VertexId id : block.edges.targets()) visit(id.value());
    }
  }
}

}  // namespace

Result<IdRanks> IdRanks::of(const std::vector<ParsedBlock>& blocks, IdEnds ends) {
  IdRanks ranks;
  std::uint64_t count = 0;
  std::uint64_t highest = 0;
  for_each_end(blocks, ends, [&](std::uint32_t id) {
    highest = std::max<std::uint64_t>(highest, id);
    ++count;
  });
  if (count == 0) return ranks;
  if (highest < kAlwaysBitmap || highest / 64 < count) {
    LEEWAY_TRY(ranks.mark(blocks, ends, highest));
  } else {
    for_each_end(blocks, ends, [&](std::uint32_t id) { ranks.sorted_.push_back(id); });
    std::sort(ranks.sorted_.begin(), ranks.sorted_.end());
    const auto end = std::unique(ranks.sorted_.begin(), ranks.sorted_.end());
    ranks.sorted_.erase(end, ranks.sorted_.end());
    ranks.count_ = ranks.sorted_.size();
    ranks.lowest_ = ranks.sorted_.front();
  }
  ranks.highest_ = highest;
  return ranks;
}

void IdRanks::add_unused(std::uint64_t missing) {
  if (words_.empty())
    insert_unused(missing);
  else
    mark_unused(missing);
}

VertexId IdRanks::rank(VertexId id) const {
  if (words_.empty()) {
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), id.value());
    return VertexId(static_cast<std::uint32_t>(found - sorted_.begin()));
  }
  const std::uint32_t word = id.value() / 64;
  const std::uint64_t below = words_[word] & ((std::uint64_t{1} << (id.value() % 64)) - 1);
  return VertexId(before_[word] + static_cast<std::uint32_t>(std::popcount(below)));
}

std::vector<std::uint64_t> IdRanks::ids() const {
  if (words_.empty()) return {sorted_.begin(), sorted_.end()};
  std::vector<std::uint64_t> ids;
  ids.reserve(count_);
  for (std::uint64_t word = 0; word < words_.size(); ++word) {
    for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
      ids.push_back(word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
    }
  }
  return ids;
}

Status IdRanks::mark(const std::vector<ParsedBlock>& blocks, IdEnds ends, std::uint64_t highest) {
  LEEWAY_ASSIGN(words_, Array<std::uint64_t>::make(highest / 64 + 1));
  LEEWAY_ASSIGN(before_, Array<std::uint32_t>::make(highest / 64 + 1));
  const auto words = words_.mutable_span();
  for_each_end(blocks, ends,
               [&](std::uint32_t id) { words[id / 64] |= std::uint64_t{1} << (id % 64); });
  count_words();
  return {};
}

void IdRanks::mark_unused(std::uint64_t missing) {
  for (auto& word : words_.mutable_span()) {
    for (; missing > 0 && ~word != 0; --missing) word |= word + 1;  // sets the lowest zero
  }
  count_words();
}

void IdRanks::insert_unused(std::uint64_t missing) {
  std::vector<std::uint32_t> merged;
  auto next = sorted_.begin();
  for (std::uint32_t id = 0; missing > 0; ++id) {
    if (next != sorted_.end() && *next == id)
      ++next;
    else
      --missing;
    merged.push_back(id);
  }
  merged.insert(merged.end(), next, sorted_.end());
  sorted_ = std::move(merged);
  count_ = sorted_.size();
  lowest_ = sorted_.front();
}

void IdRanks::count_words() {
  const auto words = words_.mutable_span();
  count_ = 0;
  for (std::size_t word = 0; word < words.size(); ++word) {
    before_.mutable_span()[word] = static_cast<std::uint32_t>(count_);
    if (words[word] != 0 && count_ == 0) {
      lowest_ = word * 64 + static_cast<std::uint64_t>(std::countr_zero(words[word]));
    }
    count_ += static_cast<std::uint64_t>(std::popcount(words[word]));
  }
}

}  // namespace leeway
