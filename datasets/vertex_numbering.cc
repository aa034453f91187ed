#include "datasets/vertex_numbering.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.h"
#include "base/format.h"
#include "base/parallel.h"

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

namespace {

template <class Map>
void relabel(std::vector<ParsedBlock>& blocks, IdEnds ends, unsigned threads, const Map& map) {
  const auto same = [](VertexId id) { return id; };
  parallel_chunks(blocks.size(), threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (ends == IdEnds::Both) blocks[b].edges.relabel(map, map);
      if (ends == IdEnds::Sources) blocks[b].edges.relabel(map, same);
      if (ends == IdEnds::Targets) blocks[b].edges.relabel(same, map);
    }
  });
}

}  // namespace

Result<VertexNames> names_from_numbers(const std::vector<std::uint64_t>& ids) {
  if (ids.empty()) return VertexNames::sequence(0, 0);
  if (ids.back() - ids.front() == ids.size() - 1) {
    return VertexNames::sequence(ids.front(), static_cast<std::uint32_t>(ids.size()));
  }
  LEEWAY_ASSIGN(auto array, Array<std::uint64_t>::copy_of(ids));
  return VertexNames::numbers(std::move(array));
}

bool is_one_line(std::string_view name) { return name.find_first_of("\n\r") == name.npos; }

Status check_one_line(const VertexNames& names, const std::string& where) {
  if (names.kind() != NameKind::Strings) return {};
  const auto text = names.text().span();
  if (is_one_line({text.data(), text.size()})) return {};
  VertexId vertex(0);
  while (is_one_line(names.name(vertex))) vertex = vertex.next();
  return fail(
      input_error(where,
                  format("the name '{}' contains a line break, but a vertex name is one line",
                         printable_line(names.name(vertex))),
                  "rename the vertex"));
}

Result<VertexNames> names_from_words(const std::vector<std::string>& words) {
  std::vector<std::uint64_t> offsets = {0};
  std::string text;
  std::vector<VertexId> sorted;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    text += words[i];
    offsets.push_back(text.size());
    sorted.push_back(VertexId(i));
  }
  const auto word = [&](VertexId v) -> const std::string& { return words[v.index()]; };
  std::sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return word(a) < word(b); });
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end(),
                                        [&](auto a, auto b) { return word(a) == word(b); });
  LEEWAY_CHECK(twice == sorted.end());
  LEEWAY_ASSIGN(auto offset_array, Array<std::uint64_t>::copy_of(offsets));
  LEEWAY_ASSIGN(auto text_array, Array<char>::copy_of(text));
  LEEWAY_ASSIGN(auto sorted_array, Array<VertexId>::copy_of(sorted));
  return VertexNames::strings(std::move(offset_array), std::move(text_array),
                              std::move(sorted_array));
}

namespace {

/// The first id of the declared range, if it contains all ids found.
std::optional<std::uint64_t> declared_first(const IdRanks& ranks, const DeclaredIds& declared) {
  if (!declared.count) return std::nullopt;
  const auto fits = [&](std::uint64_t first) {
    return ranks.count() == 0 ||
           (ranks.lowest() >= first && ranks.highest() - first < *declared.count);
  };
  for (const std::uint64_t first : {declared.first.value_or(0), declared.first.value_or(1)}) {
    if (fits(first)) return first;
  }
  return std::nullopt;
}

}  // namespace

Result<VertexNames> number_small_ids(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                     const DeclaredIds& declared, unsigned threads) {
  LEEWAY_ASSIGN(IdRanks ranks, IdRanks::of(blocks, ends));
  std::uint64_t first = ranks.lowest();
  std::uint64_t count = ranks.count();
  if (const auto start = declared_first(ranks, declared)) {
    first = *start;
    count = *declared.count;
  } else if (const bool some_left = declared.count.value_or(0) > count;
             count > 0 && (some_left || ranks.highest() - first + 1 != count)) {
    // Some ids are outside the declared range, so enough lower ids are unused.
    if (some_left) ranks.add_unused(*declared.count - count);
    relabel(blocks, ends, threads, [&](VertexId id) { return ranks.rank(id); });
    return names_from_numbers(ranks.ids());
  }
  if (first > 0 && ranks.count() > 0) {
    const auto shift = static_cast<std::uint32_t>(first);
    relabel(blocks, ends, threads, [&](VertexId id) { return VertexId(id.value() - shift); });
  }
  return VertexNames::sequence(first, static_cast<std::uint32_t>(count));
}

Result<VertexNames> number_wide_ids(std::vector<ParsedBlock>& blocks) {
  std::vector<std::uint64_t> ids;
  for (const auto& block : blocks) {
    ids.insert(ids.end(), block.wide_names.begin(), block.wide_names.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (auto& block : blocks) {
    std::vector<VertexId> vertex;
    for (const std::uint64_t id : block.wide_names) {
      const auto place = std::lower_bound(ids.begin(), ids.end(), id) - ids.begin();
      vertex.push_back(VertexId(static_cast<std::uint32_t>(place)));
    }
    const auto map = [&](VertexId local) { return vertex[local.index()]; };
    block.edges.relabel(map, map);
  }
  return names_from_numbers(ids);
}

Result<std::vector<std::string>> number_words(std::vector<ParsedBlock>& blocks, IdEnds ends,
                                              std::vector<std::string> first) {
  std::vector<std::string> words;
  KeyIndex<std::string> index(words);
  for (const auto& word : first) index.of(word);
  for (auto& block : blocks) {
    const auto& local = ends == IdEnds::Targets ? block.right_names : block.text_names;
    std::vector<VertexId> vertex;
    for (const auto& word : local) vertex.push_back(index.of(word));
    const auto map = [&](VertexId id) { return vertex[id.index()]; };
    const auto same = [](VertexId id) { return id; };
    if (ends == IdEnds::Both) block.edges.relabel(map, map);
    if (ends == IdEnds::Sources) block.edges.relabel(map, same);
    if (ends == IdEnds::Targets) block.edges.relabel(same, map);
  }
  return words;
}

Result<VertexNames> copy_of(const VertexNames& names) {
  if (names.kind() == NameKind::Sequence)
    return VertexNames::sequence(names.first(), names.count());
  LEEWAY_ASSIGN(auto ids, Array<std::uint64_t>::copy_of(names.ids().span()));
  if (names.kind() == NameKind::Numbers) return VertexNames::numbers(std::move(ids));
  LEEWAY_ASSIGN(auto text, Array<char>::copy_of(names.text().span()));
  LEEWAY_ASSIGN(auto sorted, Array<VertexId>::copy_of(names.sorted().span()));
  return VertexNames::strings(std::move(ids), std::move(text), std::move(sorted));
}

}  // namespace leeway
