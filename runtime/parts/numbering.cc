#include "leeway/runtime/parts/numbering.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "leeway/base/bytes.h"
#include "leeway/base/check.h"
#include "leeway/datasets/id_ranks.h"
#include "leeway/datasets/vertex_numbering.h"

namespace leeway {

namespace {

using Keys = std::vector<std::uint64_t>;
template <class T>
using ByNode = std::vector<std::vector<T>>;

/// The sum of what nodes below this one have, and of all.
struct Before {
  std::uint64_t mine = 0;
  std::uint64_t all = 0;
};
Before before(Exchange& exchange, std::uint64_t count) {
  Before sum;
  const auto counts = exchange.share(count);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i < exchange.self().index()) sum.mine += counts[i];
    sum.all += counts[i];
  }
  return sum;
}

void keep_distinct(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Where each node's range of keys begins, so that ranges hold about as many.
Keys split_keys(Exchange& exchange, const Keys& keys) {
  constexpr std::size_t kSamples = 64;
  std::array<std::uint64_t, kSamples> mine{};
  for (std::size_t i = 0; i < kSamples && !keys.empty(); ++i)
    mine[i] = keys[i * keys.size() / kSamples];
  const auto holders = exchange.share(std::uint64_t{keys.empty() ? 0u : 1u});
  const auto samples = exchange.share(mine);
  Keys all;
  for (std::size_t node = 0; node < samples.size(); ++node) {
    if (holders[node] != 0) all.insert(all.end(), samples[node].begin(), samples[node].end());
  }
  std::sort(all.begin(), all.end());
  Keys firsts(exchange.count(), 0);
  for (std::size_t i = 1; i < firsts.size() && !all.empty(); ++i)
    firsts[i] = all[i * all.size() / firsts.size()];
  return firsts;
}

/// How numbers are told from ids: all by one distance, or by rank.
struct Placing {
  bool shifts = false;
  std::uint64_t first = 0;  ///< the id of vertex 0, where they shift
  std::uint64_t count = 0;
  std::uint64_t unused = 0;  ///< ids that no edge uses and that are vertices nevertheless
};

/// As number_small_ids and names_from_numbers decide.
Placing decide(const DeclaredIds& declared, bool wide, std::uint64_t low, std::uint64_t high,
               std::uint64_t count) {
  Placing placing{true, count == 0 ? 0 : low, count, 0};
  if (declared.count && !wide) {
    for (const std::uint64_t first : {declared.first.value_or(0), declared.first.value_or(1)}) {
      if (count > 0 && (low < first || high - first >= *declared.count)) continue;
      return {true, first, *declared.count, 0};
    }
  }
  const bool some_left = !wide && declared.count.value_or(0) > count;
  if (count > 0 && (some_left || high - low + 1 != count)) {
    placing.shifts = false;
    placing.unused = some_left ? *declared.count - count : 0;
    placing.count += placing.unused;
  }
  return placing;
}

/// This node's range of the ids that all use.
struct KeyRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Keys keys;
};

void add_unused(Exchange& exchange, std::uint64_t missing, KeyRange& range) {
  const std::uint64_t unused = range.end - range.begin - range.keys.size();
  const Before lower = before(exchange, unused);
  std::uint64_t left = std::min(missing - std::min(missing, lower.mine), unused);
  Keys merged;
  auto next = range.keys.begin();
  for (std::uint64_t id = range.begin; left > 0; ++id) {
    if (next != range.keys.end() && *next == id)
      ++next;
    else
      --left;
    merged.push_back(id);
  }
  merged.insert(merged.end(), next, range.keys.end());
  range.keys = std::move(merged);
}

/// The vertex of each of this node's distinct ids, which ascend; empty where ids only shift.
std::vector<std::uint32_t> place_keys(Exchange& exchange, const Keys& keys,
                                      const DeclaredIds& declared, bool wide, NameStretch& names) {
  struct Ends {
    std::uint64_t low, high, count;
  };
  const Ends mine{keys.empty() ? ~std::uint64_t{0} : keys.front(), keys.empty() ? 0 : keys.back(),
                  keys.size()};
  Ends all{~std::uint64_t{0}, 0, 0};
  for (const Ends& each : exchange.share(mine)) {
    all.low = std::min(all.low, each.low);
    all.high = std::max(all.high, each.high);
  }
  const Keys firsts = split_keys(exchange, keys);
  ByNode<std::uint64_t> parts(exchange.count());
  for (std::size_t node = 0; node < parts.size(); ++node) {
    const auto begin =
        node == 0 ? keys.begin() : std::lower_bound(keys.begin(), keys.end(), firsts[node]);
    const auto end = node + 1 == parts.size()
                         ? keys.end()
                         : std::lower_bound(keys.begin(), keys.end(), firsts[node + 1]);
    if (begin < end) parts[node].assign(begin, end);
  }
  const auto asked = exchange.swap(parts);
  const std::vector<std::size_t> questions = lengths(parts);
  parts.clear();
  KeyRange range;
  for (const auto& list : asked) range.keys.insert(range.keys.end(), list.begin(), list.end());
  keep_distinct(range.keys);
  const std::size_t self = exchange.self().index();
  range.begin = self == 0 ? 0 : firsts[self];
  range.end = self + 1 == exchange.count() ? all.high + 1 : std::max(range.begin, firsts[self + 1]);
  const Placing placing =
      decide(declared, wide, all.low, all.high, exchange.sum(range.keys.size()));
  names.count = placing.count;
  if (placing.shifts) {
    names.first = placing.first;
    return {};
  }
  if (placing.unused > 0) add_unused(exchange, placing.unused, range);
  const std::uint64_t from = before(exchange, range.keys.size()).mine;
  ByNode<std::uint32_t> answers(asked.size());
  for (std::size_t node = 0; node < asked.size(); ++node) {
    auto at = range.keys.begin();
    for (const std::uint64_t key : asked[node]) {
      at = std::lower_bound(at, range.keys.end(), key);
      answers[node].push_back(
          static_cast<std::uint32_t>(from + static_cast<std::uint64_t>(at - range.keys.begin())));
    }
  }
  std::vector<std::uint32_t> places;
  places.reserve(keys.size());
  for (const auto& list : exchange.swap_answers(answers, questions))
    places.insert(places.end(), list.begin(), list.end());
  names.kind = NameKind::Numbers;
  names.numbers = std::move(range.keys);
  return places;
}

template <class Map>
void relabel(ListedShare& share, const Map& map) {
  for (ParsedBlock& block : share.blocks) block.edges.relabel(map, map);
}

Result<NameStretch> number_small(Exchange& exchange, ListedShare& share) {
  NameStretch names;
  auto ranks = IdRanks::of(share.blocks, IdEnds::Both);
  LEEWAY_TRY(exchange.agree(ranks ? Status{} : fail(ranks.error())));
  const auto places = place_keys(exchange, ranks->ids(), share.declared, false, names);
  if (names.kind == NameKind::Numbers) {
    relabel(share, [&](VertexId id) { return VertexId(places[ranks->rank(id).index()]); });
  } else if (names.first > 0) {
    const auto shift = static_cast<std::uint32_t>(names.first);
    relabel(share, [&](VertexId id) { return VertexId(id.value() - shift); });
  }
  return names;
}

Result<NameStretch> number_wide(Exchange& exchange, ListedShare& share) {
  NameStretch names;
  Keys keys;
  for (const ParsedBlock& block : share.blocks)
    keys.insert(keys.end(), block.wide_names.begin(), block.wide_names.end());
  keep_distinct(keys);
  const auto places = place_keys(exchange, keys, {}, true, names);
  for (ParsedBlock& block : share.blocks) {
    std::vector<VertexId> vertex;
    for (const std::uint64_t id : block.wide_names) {
      const auto found = std::lower_bound(keys.begin(), keys.end(), id) - keys.begin();
      vertex.emplace_back(names.kind == NameKind::Numbers
                              ? places[static_cast<std::size_t>(found)]
                              : static_cast<std::uint32_t>(id - names.first));
    }
    const auto map = [&](VertexId local) { return vertex[local.index()]; };
    block.edges.relabel(map, map);
    block.wide_names = {};
  }
  return names;
}

std::uint32_t judge_of(std::string_view word, std::uint32_t nodes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<std::uint32_t>((hash >> 32U) % nodes);
}

void put_word(std::vector<std::byte>& bytes, std::string_view word) {
  ByteWriter writer;
  writer.text(word);
  const auto span = writer.span();
  bytes.insert(bytes.end(), span.begin(), span.end());
}

std::vector<std::string> words_in(Exchange& exchange, NodeId from,
                                  std::span<const std::byte> bytes) {
  std::vector<std::string> words;
  for (ByteReader reader(bytes); !reader.at_end();) {
    words.push_back(reader.text());
    exchange.require(!reader.failed(), from);
  }
  return words;
}

/// What a judge knows of the words that were sent to it.
class Judge {
 public:
  /// For each word, in the order it was sent, whether that node is the first to say it.
  ByNode<std::uint8_t> find_first(Exchange& exchange, const ByNode<std::byte>& sent) {
    ByNode<std::uint8_t> first(sent.size());
    places_.resize(sent.size());
    for (std::uint32_t node = 0; node < sent.size(); ++node) {
      for (std::string& word : words_in(exchange, NodeId(node), sent[node])) {
        const auto [found, fresh] =
            index_.try_emplace(std::move(word), static_cast<std::uint32_t>(index_.size()));
        first[node].push_back(fresh ? 1 : 0);
        places_[node].push_back(found->second);
      }
    }
    return first;
  }
  /// From the numbers of those that were first, the number of each word that was sent.
  ByNode<std::uint32_t> number(const ByNode<std::uint8_t>& first,
                               const ByNode<std::uint32_t>& given) {
    std::vector<std::uint32_t> number_of(index_.size());
    for (std::size_t node = 0; node < first.size(); ++node) {
      auto next = given[node].begin();
      for (std::size_t i = 0; i < first[node].size(); ++i) {
        if (first[node][i] != 0) number_of[places_[node][i]] = *next++;
      }
    }
    for (auto& list : places_) {
      for (std::uint32_t& place : list) place = number_of[place];
    }
    return std::move(places_);
  }

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
  ByNode<std::uint32_t> places_;
};

Result<NameStretch> number_said(Exchange& exchange, ListedShare& share) {
  auto local = number_words(share.blocks, IdEnds::Both, {});
  LEEWAY_TRY(exchange.agree(local ? Status{} : fail(local.error())));
  ByNode<std::byte> messages(exchange.count());
  std::vector<std::uint32_t> judges;
  std::vector<std::size_t> said(exchange.count(), 0);  // words, by judge
  for (const std::string& word : *local) {
    judges.push_back(judge_of(word, exchange.count()));
    ++said[judges.back()];
    put_word(messages[judges.back()], word);
  }
  Judge judge;
  const auto first = judge.find_first(exchange, exchange.swap(messages));
  messages.clear();
  const auto mine_first = exchange.swap_answers(first, said);
  std::vector<std::size_t> next(exchange.count(), 0);
  NameStretch names{.kind = NameKind::Strings, .count = 0, .first = 0, .numbers = {}, .words = {}};
  std::vector<std::uint32_t> told;
  for (std::size_t i = 0; i < local->size(); ++i) {
    if (mine_first[judges[i]][next[judges[i]]++] == 0) continue;
    names.words.push_back(std::move((*local)[i]));
    told.push_back(judges[i]);
  }
  const Before place = before(exchange, names.words.size());
  names.count = place.all;
  ByNode<std::uint32_t> given(exchange.count());
  for (std::size_t i = 0; i < told.size(); ++i)
    given[told[i]].push_back(static_cast<std::uint32_t>(place.mine + i));
  std::vector<std::size_t> judged_first;
  for (const auto& list : first)
    judged_first.push_back(static_cast<std::size_t>(std::count(list.begin(), list.end(), 1)));
  const auto numbers =
      exchange.swap_answers(judge.number(first, exchange.swap_answers(given, judged_first)), said);
  std::vector<VertexId> vertex;
  std::fill(next.begin(), next.end(), 0);
  for (const std::uint32_t each : judges) vertex.emplace_back(numbers[each][next[each]++]);
  relabel(share, [&](VertexId word) { return vertex[word.index()]; });
  return names;
}

/// The piece of [from, from + size) in each range, as [begin, end) counted from `from`.
std::pair<std::size_t, std::size_t> overlap(std::uint64_t from, std::size_t size,
                                            std::uint64_t first, std::uint64_t last) {
  const std::uint64_t begin = std::clamp(first, from, from + size);
  const std::uint64_t end = std::clamp(last, begin, from + size);
  return {begin - from, end - from};
}

}  // namespace

Result<NameStretch> number_ends(Exchange& exchange, ListedShare& share) {
  switch (share.ends) {
    case EndKind::Vertices: {
      LEEWAY_CHECK(share.shape.names.kind() == NameKind::Sequence);
      NameStretch names;
      names.count = share.shape.vertex_count;
      names.first = share.shape.names.first();
      return names;
    }
    case EndKind::Small:
      return number_small(exchange, share);
    case EndKind::Wide:
      return number_wide(exchange, share);
    case EndKind::Words:
      return number_said(exchange, share);
  }
  LEEWAY_UNREACHABLE("kind of ends", static_cast<int>(share.ends));
}

Result<VertexNames> deal_names(Exchange& exchange, const NameStretch& names,
                               const std::vector<std::uint64_t>& firsts) {
  const std::size_t self = exchange.self().index();
  if (names.kind == NameKind::Sequence) {
    return VertexNames::sequence(names.first + firsts[self],
                                 static_cast<std::uint32_t>(firsts[self + 1] - firsts[self]));
  }
  const bool numbered = names.kind == NameKind::Numbers;
  const std::size_t size = numbered ? names.numbers.size() : names.words.size();
  const std::uint64_t from = before(exchange, size).mine;
  if (numbered) {
    ByNode<std::uint64_t> parts(exchange.count());
    for (std::size_t node = 0; node < parts.size(); ++node) {
      const auto [begin, end] = overlap(from, size, firsts[node], firsts[node + 1]);
      parts[node].assign(names.numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                         names.numbers.begin() + static_cast<std::ptrdiff_t>(end));
    }
    Keys mine;
    for (const auto& list : exchange.swap(parts)) mine.insert(mine.end(), list.begin(), list.end());
    LEEWAY_ASSIGN(auto ids, Array<std::uint64_t>::copy_of(mine));
    return VertexNames::numbers(std::move(ids));
  }
  ByNode<std::byte> parts(exchange.count());
  for (std::size_t node = 0; node < parts.size(); ++node) {
    const auto [begin, end] = overlap(from, size, firsts[node], firsts[node + 1]);
    for (std::size_t i = begin; i < end; ++i) put_word(parts[node], names.words[i]);
  }
  std::vector<std::string> mine;
  const auto got = exchange.swap(parts);
  for (std::uint32_t node = 0; node < got.size(); ++node) {
    for (std::string& word : words_in(exchange, NodeId(node), got[node]))
      mine.push_back(std::move(word));
  }
  return names_from_words(mine);
}

}  // namespace leeway
