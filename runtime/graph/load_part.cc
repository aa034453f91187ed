#include "runtime/graph/load_part.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/format.h"
#include "datasets/binary.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "datasets/vertex_numbering.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/arc_exchange.h"

namespace leeway {

namespace {

constexpr std::size_t kArcsPerChunk = std::size_t{1} << 18U;

void take_names(const VertexNames& names, Listing& listing) {
  listing.names.kind = names.kind();
  if (names.kind() == NameKind::Numbers) {
    const auto ids = names.ids().span();
    listing.names.numbers.assign(ids.begin(), ids.end());
  }
  for (VertexId v(0); names.kind() == NameKind::Strings && v.value() < names.count(); v = v.next())
    listing.names.words.push_back(names.name(v));
}

}  // namespace

Status Lister::same_file(std::uint64_t mark) {
  const auto marks = group_.share(mark);
  for (std::size_t node = 1; node < marks.size(); ++node) {
    if (marks[node] == marks[0]) continue;
    return fail(group_.found_by_all(input_error(argument_,
                                                format("nodes 0 and {} see different files", node),
                                                "copy the same file to every host")));
  }
  return {};
}

Status Lister::list_spec(Listing& listing) {
  auto listed = leeway::list_spec(argument_, options_);
  LEEWAY_TRY(group_.agree(listed ? Status{} : fail(listed.error())));
  listing.rule = arc_rule(listed->shape, options_);
  listing.kind = options_.weights == Weights::File ? listed->edges.weight_kind : WeightKind::None;
  listing.left = listed->shape.left_count;
  listing.names.count = listed->shape.vertex_count;
  listing.names.first = listed->shape.names.first();
  listing.chunks = std::move(listed->edges.chunks);
  return {};
}

Result<bool> Lister::list_text(Listing& listing) {
  auto share = list_share(argument_, options_, false);
  LEEWAY_TRY(group_.agree(share ? Status{} : fail(share.error())));
  const bool shared = share->has_value();
  if (group_.sum(shared ? 1 : 0) < group_.count()) return false;
  if (group_.sum((*share)->wide_ids ? 1 : 0) > 0) {
    share = list_share(argument_, options_, true);
    LEEWAY_TRY(group_.agree(share ? Status{} : fail(share.error())));
  }
  ListedShare& mine = **share;
  LEEWAY_TRY(same_file(mine.bytes));
  LEEWAY_ASSIGN(listing.names, number_ends(group_, mine));
  if (Status checked = check_declared_counts(mine, group_.sum(mine.rows), listing.names.count);
      !checked)
    return fail(group_.found_by_all(std::move(checked).error()));
  LEEWAY_TRY(check_halves(mine));
  LEEWAY_TRY(check_ends(mine));
  listing.once = mine.once;
  listing.rule = arc_rule(mine.shape, options_);
  listing.kind = widest(mine.weight_kind);
  listing.left = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(mine.left.value_or(mine.shape.left_count), listing.names.count));
  for (ParsedBlock& block : mine.blocks) listing.chunks.push_back(std::move(block.edges));
  return true;
}

Status Lister::check_halves(const ListedShare& mine) {
  const auto above = group_.share(mine.above_line);
  if (group_.sum(mine.below ? 1 : 0) == 0) return {};
  const auto line = *std::max_element(above.begin(), above.end());
  if (line == 0) return {};
  return fail(group_.found_by_all(both_halves(format("{}:{}", argument_, line))));
}

Status Lister::check_ends(const ListedShare& mine) {
  std::uint64_t imbalance = 0;
  if (mine.shape.from_both_ends)
    for (const ParsedBlock& block : mine.blocks) imbalance += imbalance_of_ends(block.edges);
  if (group_.sum(imbalance) == 0) return {};
  return fail(group_.found_by_all(input_error(
      mine.declared_at, "the graph is undirected, but an edge is not listed alike at both its ends",
      format("list each edge at both its ends; leeway info {} names the edge", argument_))));
}

WeightKind Lister::widest(WeightKind mine) {
  for (const WeightKind each : group_.share(mine)) mine = std::max(mine, each);
  return mine;
}

Status Lister::list_binary(Listing& listing) {
  const auto summary = summarize_binary(argument_, keeps_weights(options_));
  LEEWAY_TRY(group_.agree(summary ? Status{} : fail(summary.error())));
  LEEWAY_TRY(same_file(summary->mark));
  listing.rule =
      arc_rule({.directed = summary->directed, .from_both_ends = !summary->directed}, options_);
  listing.kind = summary->weight_kind;
  listing.left = summary->left_count;
  listing.names.kind = summary->name_kind;
  listing.names.count = summary->vertices;
  listing.names.first = summary->first_name;
  return group_.agree(list_range(listing));
}

Status Lister::list_range(Listing& listing) {
  LEEWAY_ASSIGN(const auto firsts, divide_binary(argument_, group_.count(), true));
  const std::size_t self = group_.self().index();
  const auto first = static_cast<std::uint32_t>(firsts[self]);
  const auto last = static_cast<std::uint32_t>(firsts[self + 1]);
  LEEWAY_ASSIGN(const VertexNames names, open_binary_names(argument_, first, last));
  take_names(names, listing);
  LEEWAY_ASSIGN(const BinaryPart range,
                open_binary_range(argument_, first, last, listing.kind != WeightKind::None));
  // A partitioned file numbers its vertices part by part; arcs are distributed by the original numbers.
  LEEWAY_ASSIGN(const Array<VertexId> original, open_binary_original(argument_));
  const auto called = [&](VertexId v) { return original.empty() ? v : original[v.index()]; };
  EdgeChunkBuilder builder;
  const auto pack = [&]() -> Status {
    LEEWAY_ASSIGN(EdgeChunk chunk, builder.finish());
    listing.chunks.push_back(std::move(chunk));
    return {};
  };
  for (std::uint32_t i = 0; i < range.vertex_count(); ++i) {
    const VertexId source = called(VertexId(first + i));
    for (std::uint64_t arc = range.offsets[i]; arc < range.offsets[i + std::size_t{1}]; ++arc) {
      const VertexId target = called(range.targets[arc]);
      if (listing.kind == WeightKind::None)
        builder.add(source, target);
      else
        builder.add(source, target, range.weights[arc]);
    }
    if (builder.size() >= kArcsPerChunk) LEEWAY_TRY(pack());
  }
  return pack();
}

Status Lister::list_whole(Listing& listing) {
  struct InputFacts {
    std::uint64_t count, first;
    ArcRule rule;
    WeightKind kind;
    NameKind names;
    std::uint32_t left;
  };
  InputFacts facts{};
  Status loaded;
  if (group_.self() == NodeId(0)) {
    options_.share = {};
    auto graph = load_graph(argument_, options_);
    if (graph) {
      facts = {graph->vertex_count(), graph->names().first(), {graph->directed(), false, false},
               graph->weight_kind(),  graph->names().kind(),  graph->left_count()};
      listing.whole = std::move(*graph);
      take_names(listing.whole->names(), listing);
    } else {
      loaded = fail(graph.error());
    }
  }
  LEEWAY_TRY(group_.agree(std::move(loaded)));
  facts = group_.share(facts).front();
  listing.rule = facts.rule;
  listing.kind = facts.kind;
  listing.left = facts.left;
  listing.names.kind = facts.names;
  listing.names.count = facts.count;
  listing.names.first = facts.first;
  return {};
}

namespace {

/// Sorted distinct ids.
using Keys = std::vector<std::uint64_t>;

/// Sums over the nodes below this one, and over all nodes.
struct Before {
  std::uint64_t mine = 0;
  std::uint64_t all = 0;
};
Before before(Group& group, std::uint64_t count) {
  Before sum;
  const auto counts = group.share(count);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i < group.self().index()) sum.mine += counts[i];
    sum.all += counts[i];
  }
  return sum;
}

void keep_distinct(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// The first key of each node's range, such that ranges have about equally many keys.
Keys split_keys(Group& group, const Keys& keys) {
  constexpr std::size_t kSamples = 64;
  std::array<std::uint64_t, kSamples> mine{};
  for (std::size_t i = 0; i < kSamples && !keys.empty(); ++i)
    mine[i] = keys[i * keys.size() / kSamples];
  const auto holders = group.share(std::uint64_t{keys.empty() ? 0u : 1u});
  const auto samples = group.share(mine);
  Keys all;
  for (std::size_t node = 0; node < samples.size(); ++node) {
    if (holders[node] != 0) all.insert(all.end(), samples[node].begin(), samples[node].end());
  }
  std::sort(all.begin(), all.end());
  Keys firsts(group.count(), 0);
  for (std::size_t i = 1; i < firsts.size() && !all.empty(); ++i)
    firsts[i] = all[i * all.size() / firsts.size()];
  return firsts;
}

/// How ids become vertex numbers: by subtracting a constant, or by rank.
struct Placing {
  bool shifts = false;
  std::uint64_t first = 0;  ///< the id of vertex 0, if ids are shifted
  std::uint64_t count = 0;
  std::uint64_t unused = 0;  ///< declared vertices that no edge uses
};

/// Makes the same decision as number_small_ids and names_from_numbers.
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

/// This node's range of all used ids.
struct KeyRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  Keys keys;
};

void add_unused(Group& group, std::uint64_t missing, KeyRange& range) {
  const std::uint64_t unused = range.end - range.begin - range.keys.size();
  const Before lower = before(group, unused);
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

/// The vertex of each of this node's distinct ids, which must ascend; empty if ids are shifted.
std::vector<std::uint32_t> place_keys(Group& group, const Keys& keys, const DeclaredIds& declared,
                                      bool wide, NameBlock& names) {
  struct KeyEnds {
    std::uint64_t low, high, count;
  };
  const KeyEnds mine{keys.empty() ? ~std::uint64_t{0} : keys.front(),
                     keys.empty() ? 0 : keys.back(), keys.size()};
  KeyEnds all{~std::uint64_t{0}, 0, 0};
  for (const KeyEnds& each : group.share(mine)) {
    all.low = std::min(all.low, each.low);
    all.high = std::max(all.high, each.high);
  }
  const Keys firsts = split_keys(group, keys);
  ByNode<std::uint64_t> parts(group.count());
  for (std::size_t node = 0; node < parts.size(); ++node) {
    const auto begin =
        node == 0 ? keys.begin() : std::lower_bound(keys.begin(), keys.end(), firsts[node]);
    const auto end = node + 1 == parts.size()
                         ? keys.end()
                         : std::lower_bound(keys.begin(), keys.end(), firsts[node + 1]);
    if (begin < end) parts[node].assign(begin, end);
  }
  const auto asked = group.swap(parts);
  const std::vector<std::size_t> questions = lengths(parts);
  parts.clear();
  KeyRange range;
  for (const auto& list : asked) range.keys.insert(range.keys.end(), list.begin(), list.end());
  keep_distinct(range.keys);
  const std::size_t self = group.self().index();
  range.begin = self == 0 ? 0 : firsts[self];
  range.end = self + 1 == group.count() ? all.high + 1 : std::max(range.begin, firsts[self + 1]);
  const Placing placing = decide(declared, wide, all.low, all.high, group.sum(range.keys.size()));
  names.count = placing.count;
  if (placing.shifts) {
    names.first = placing.first;
    return {};
  }
  if (placing.unused > 0) add_unused(group, placing.unused, range);
  const std::uint64_t from = before(group, range.keys.size()).mine;
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
  for (const auto& list : group.swap_answers(answers, questions))
    places.insert(places.end(), list.begin(), list.end());
  names.kind = NameKind::Numbers;
  names.numbers = std::move(range.keys);
  return places;
}

template <class Map>
void relabel(ListedShare& share, const Map& map) {
  for (ParsedBlock& block : share.blocks) block.edges.relabel(map, map);
}

Result<NameBlock> number_small(Group& group, ListedShare& share) {
  NameBlock names;
  auto ranks = IdRanks::of(share.blocks, IdEnds::Both);
  LEEWAY_TRY(group.agree(ranks ? Status{} : fail(ranks.error())));
  const auto places = place_keys(group, ranks->ids(), share.declared, false, names);
  if (names.kind == NameKind::Numbers) {
    relabel(share, [&](VertexId id) { return VertexId(places[ranks->rank(id).index()]); });
  } else if (names.first > 0) {
    const auto shift = static_cast<std::uint32_t>(names.first);
    relabel(share, [&](VertexId id) { return VertexId(id.value() - shift); });
  }
  return names;
}

Result<NameBlock> number_wide(Group& group, ListedShare& share) {
  NameBlock names;
  Keys keys;
  for (const ParsedBlock& block : share.blocks)
    keys.insert(keys.end(), block.wide_names.begin(), block.wide_names.end());
  keep_distinct(keys);
  const auto places = place_keys(group, keys, {}, true, names);
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

std::uint32_t owner_of_word(std::string_view word, std::uint32_t nodes) {
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

std::vector<std::string> words_in(Group& group, NodeId from, std::span<const std::byte> bytes) {
  std::vector<std::string> words;
  for (ByteReader reader(bytes); !reader.at_end();) {
    words.push_back(reader.text());
    group.require(!reader.failed(), from);
  }
  return words;
}

/// The words whose first occurrence this node determines.
class WordOccurrences {
 public:
  /// For each node, in sending order: whether the node's word occurs first there.
  ByNode<std::uint8_t> find_first(Group& group, const ByNode<std::byte>& sent) {
    ByNode<std::uint8_t> first(sent.size());
    places_.resize(sent.size());
    for (std::uint32_t node = 0; node < sent.size(); ++node) {
      for (std::string& word : words_in(group, NodeId(node), sent[node])) {
        const auto [found, fresh] =
            index_.try_emplace(std::move(word), static_cast<std::uint32_t>(index_.size()));
        first[node].push_back(fresh ? 1 : 0);
        places_[node].push_back(found->second);
      }
    }
    return first;
  }
  /// Returns the number of each word sent, given the numbers of the first occurrences.
  ByNode<std::uint32_t> number(const ByNode<std::uint8_t>& first,
                               const ByNode<std::uint32_t>& numbers) {
    std::vector<std::uint32_t> number_of(index_.size());
    for (std::size_t node = 0; node < first.size(); ++node) {
      auto next = numbers[node].begin();
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

Result<NameBlock> number_text_names(Group& group, ListedShare& share) {
  auto local = number_words(share.blocks, IdEnds::Both, {});
  LEEWAY_TRY(group.agree(local ? Status{} : fail(local.error())));
  ByNode<std::byte> messages(group.count());
  std::vector<std::uint32_t> word_owners;
  std::vector<std::size_t> sent(group.count(), 0);  // by owner of the word
  for (const std::string& word : *local) {
    word_owners.push_back(owner_of_word(word, group.count()));
    ++sent[word_owners.back()];
    put_word(messages[word_owners.back()], word);
  }
  WordOccurrences occurrences;
  const auto first = occurrences.find_first(group, group.swap(messages));
  messages.clear();
  const auto mine_first = group.swap_answers(first, sent);
  std::vector<std::size_t> next(group.count(), 0);
  NameBlock names{.kind = NameKind::Strings, .count = 0, .first = 0, .numbers = {}, .words = {}};
  std::vector<std::uint32_t> first_owners;
  for (std::size_t i = 0; i < local->size(); ++i) {
    if (mine_first[word_owners[i]][next[word_owners[i]]++] == 0) continue;
    names.words.push_back(std::move((*local)[i]));
    first_owners.push_back(word_owners[i]);
  }
  const Before place = before(group, names.words.size());
  names.count = place.all;
  ByNode<std::uint32_t> given(group.count());
  for (std::size_t i = 0; i < first_owners.size(); ++i)
    given[first_owners[i]].push_back(static_cast<std::uint32_t>(place.mine + i));
  std::vector<std::size_t> first_counts;
  for (const auto& list : first)
    first_counts.push_back(static_cast<std::size_t>(std::count(list.begin(), list.end(), 1)));
  const auto numbers =
      group.swap_answers(occurrences.number(first, group.swap_answers(given, first_counts)), sent);
  std::vector<VertexId> vertex;
  std::fill(next.begin(), next.end(), 0);
  for (const std::uint32_t each : word_owners) vertex.emplace_back(numbers[each][next[each]++]);
  relabel(share, [&](VertexId word) { return vertex[word.index()]; });
  return names;
}

/// The intersection of [from, from + size) and [first, last), as [begin, end) relative to `from`.
std::pair<std::size_t, std::size_t> overlap(std::uint64_t from, std::size_t size,
                                            std::uint64_t first, std::uint64_t last) {
  const std::uint64_t begin = std::clamp(first, from, from + size);
  const std::uint64_t end = std::clamp(last, begin, from + size);
  return {begin - from, end - from};
}

}  // namespace

Result<NameBlock> number_ends(Group& group, ListedShare& share) {
  switch (share.ends) {
    case EndKind::Vertices: {
      LEEWAY_CHECK(share.shape.names.kind() == NameKind::Sequence);
      NameBlock names;
      names.count = share.shape.vertex_count;
      names.first = share.shape.names.first();
      return names;
    }
    case EndKind::Small:
      return number_small(group, share);
    case EndKind::Wide:
      return number_wide(group, share);
    case EndKind::Words:
      return number_text_names(group, share);
  }
  LEEWAY_UNREACHABLE("kind of ends", static_cast<int>(share.ends));
}

Result<VertexNames> scatter_names(Group& group, const NameBlock& names,
                                  const std::vector<std::uint64_t>& firsts) {
  const std::size_t self = group.self().index();
  if (names.kind == NameKind::Sequence) {
    return VertexNames::sequence(names.first + firsts[self],
                                 static_cast<std::uint32_t>(firsts[self + 1] - firsts[self]));
  }
  const bool numbered = names.kind == NameKind::Numbers;
  const std::size_t size = numbered ? names.numbers.size() : names.words.size();
  const std::uint64_t from = before(group, size).mine;
  if (numbered) {
    ByNode<std::uint64_t> parts(group.count());
    for (std::size_t node = 0; node < parts.size(); ++node) {
      const auto [begin, end] = overlap(from, size, firsts[node], firsts[node + 1]);
      parts[node].assign(names.numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                         names.numbers.begin() + static_cast<std::ptrdiff_t>(end));
    }
    Keys mine;
    for (const auto& list : group.swap(parts)) mine.insert(mine.end(), list.begin(), list.end());
    LEEWAY_ASSIGN(auto ids, Array<std::uint64_t>::copy_of(mine));
    return VertexNames::numbers(std::move(ids));
  }
  ByNode<std::byte> parts(group.count());
  for (std::size_t node = 0; node < parts.size(); ++node) {
    const auto [begin, end] = overlap(from, size, firsts[node], firsts[node + 1]);
    for (std::size_t i = begin; i < end; ++i) put_word(parts[node], names.words[i]);
  }
  std::vector<std::string> mine;
  const auto got = group.swap(parts);
  for (std::uint32_t node = 0; node < got.size(); ++node) {
    for (std::string& word : words_in(group, NodeId(node), got[node]))
      mine.push_back(std::move(word));
  }
  return names_from_words(mine);
}

namespace {

namespace fs = std::filesystem;

/// Arcs are counted in at most 2^14 blocks of vertices; ranges are cut between blocks.
constexpr unsigned kMostBlockBits = 14;

enum class LoadMethod : std::uint32_t {
  Spec,
  Mapped,  ///< a .lwg file, used without changes
  Binary,  ///< a .lwg file that is partitioned, or with options that change the graph
  Text,
  Whole
};

class PartLoader {
 public:
  PartLoader(Group& group, const std::string& argument, const LoadOptions& options,
             BalanceBy balance)
      : group_(group),
        argument_(argument),
        options_(options),
        balance_(balance),
        lister_(group, argument_, options) {}

  Result<LoadedPart> load() {
    LEEWAY_ASSIGN(const LoadMethod method, choose_method());
    if (method == LoadMethod::Mapped) return open_range();
    Listing listing;
    if (method == LoadMethod::Spec) LEEWAY_TRY(lister_.list_spec(listing));
    if (method == LoadMethod::Binary) LEEWAY_TRY(lister_.list_binary(listing));
    bool shared = method == LoadMethod::Spec || method == LoadMethod::Binary;
    if (method == LoadMethod::Text) {
      LEEWAY_ASSIGN(shared, lister_.list_text(listing));
    }
    if (!shared) {
      LEEWAY_TRY(lister_.list_whole(listing));
      options_.duplicates = Duplicates::Keep;
      options_.weights = Weights::File;
    }
    LEEWAY_ASSIGN(GraphPart part, distribute(listing));
    return LoadedPart{std::move(part), shared ? LoadedBy::Shares : LoadedBy::OneNode};
  }

 private:
  /// Node 0 selects the method for all. Every node reads the input itself only if all can open it at any position.
  Result<LoadMethod> choose_method() {
    LoadMethod method = LoadMethod::Text;
    Status looked;
    if (group_.self() == NodeId(0)) {
      if (!fs::exists(argument_) && is_graph_spec(argument_)) {
        method = LoadMethod::Spec;
      } else if (!fs::is_regular_file(argument_)) {
        method = LoadMethod::Whole;
      } else if (const auto format = options_.format ? Result<std::string_view>(*options_.format)
                                                     : detect_format(argument_);
                 !format) {
        looked = fail(format.error());
      } else if (*format == "binary") {
        const auto summary = summarize_binary(argument_, keeps_weights(options_));
        if (!summary) looked = fail(summary.error());
        const bool unchanged = summary && !summary->partitioned && leaves_graph(options_);
        method = unchanged ? LoadMethod::Mapped : LoadMethod::Binary;
      }
    }
    LEEWAY_TRY(group_.agree(std::move(looked)));
    return group_.share(method).front();
  }

  Result<LoadedPart> open_range() {
    const bool arcs = balance_ == BalanceBy::Arcs;
    const auto summary = summarize_binary(argument_, keeps_weights(options_));
    LEEWAY_TRY(group_.agree(summary ? Status{} : fail(summary.error())));
    LEEWAY_TRY(lister_.same_file(summary->mark));
    const auto firsts = divide_binary(argument_, group_.count(), arcs);
    LEEWAY_TRY(group_.agree(firsts ? Status{} : fail(firsts.error())));
    LoadedPart loaded;
    GraphPart& part = loaded.part;
    part.self = group_.self();
    part.ranges = VertexRanges(*firsts);
    LEEWAY_TRY(group_.agree(map_range(part)));
    part.totals.vertices = summary->vertices;
    part.totals.arcs = summary->arcs;
    part.totals.directed = summary->directed;
    part.totals.weight_kind = summary->weight_kind;
    part.totals.left_count = summary->left_count;
    return loaded;
  }

  Status map_range(GraphPart& part) {
    const auto last = static_cast<std::uint32_t>(part.ranges.last(part.self));
    LEEWAY_ASSIGN(BinaryPart range,
                  open_binary_range(argument_, part.first(), last, keeps_weights(options_)));
    GraphArrays parts;
    LEEWAY_ASSIGN(parts.names, open_binary_names(argument_, part.first(), last));
    parts.directed = range.directed;
    parts.weight_kind = range.weight_kind;
    parts.offsets = std::move(range.offsets);
    parts.targets = std::move(range.targets);
    parts.weights = std::move(range.weights);
    part.lists = std::move(parts);
    return {};
  }

  /// Duplicate entries of the file have become adjacent arcs.
  Status check_once(const Listing& listing, const GraphPart& part) {
    if (!listing.once) return {};
    const GraphArrays& lists = part.lists;
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      for (std::uint64_t i = lists.offsets[v] + 1; i < lists.offsets[v + std::size_t{1}]; ++i) {
        const bool mirrored = listing.once->half && part.vertex(v) < lists.targets[i];
        if (lists.targets[i] != lists.targets[i - 1] || mirrored) continue;
        return fail(entry_twice(*listing.once, argument_, part.vertex(v), lists.targets[i]));
      }
    }
    return {};
  }

  Result<GraphPart> distribute(Listing& listing) {
    if (listing.names.count > kMostVertices) {
      return fail(
          group_.found_by_all(input_error(argument_, format("{} vertices", listing.names.count),
                                          format("at most {} can be numbered", kMostVertices))));
    }
    GraphPart part;
    part.self = group_.self();
    part.ranges = divide(listing);
    EdgeList arcs;
    LEEWAY_ASSIGN(arcs, send_arcs(listing, part.ranges));
    GraphShape shape;
    shape.first = part.first();
    shape.vertex_count = part.ranges.size(part.self);
    shape.directed = listing.rule.directed;
    shape.from_both_ends = !shape.directed;
    LEEWAY_ASSIGN(shape.names, scatter_names(group_, listing.names, part.ranges.firsts()));
    listing = {.rule = listing.rule, .left = listing.left, .once = listing.once};
    LoadOptions build = options_;
    build.direction = Direction::Auto;
    build.symmetrize = false;
    build.self_loops = SelfLoops::Keep;
    auto lists = build_graph(std::move(arcs), std::move(shape), build);
    LEEWAY_TRY(group_.agree(lists ? Status{} : fail(lists.error())));
    part.lists = std::move(*lists).take();
    LEEWAY_TRY(group_.agree(check_once(listing, part)));
    part.totals.vertices = part.ranges.firsts().back();
    part.totals.arcs = group_.sum(part.lists.targets.size());
    part.totals.directed = part.lists.directed;
    part.totals.weight_kind = lister_.widest(part.lists.weight_kind);
    part.totals.left_count = listing.left;
    return part;
  }

  template <class Visit>
  static void for_each_own_arc(const Listing& listing, Visit&& visit) {
    for (const EdgeChunk& chunk : listing.chunks) {
      for_each_arc(chunk, listing.rule,
                   [&](std::size_t, VertexId source, VertexId target) { visit(source, target); });
    }
  }

  /// Ranges of about equal weight; a block belongs to the range in which the middle of its weight is.
  VertexRanges divide(const Listing& listing) {
    const std::uint64_t count = listing.names.count;
    unsigned shift = 0;
    while (count >> shift >= std::uint64_t{1} << kMostBlockBits) ++shift;
    std::vector<std::uint64_t> weights((count >> shift) + 1, 0);
    if (group_.self() == NodeId(0)) {
      for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = std::min(count, (i + 1) << shift) - std::min(count, std::uint64_t{i} << shift);
    }
    if (balance_ == BalanceBy::Arcs) {
      for_each_own_arc(listing,
                       [&](VertexId source, VertexId) { ++weights[source.index() >> shift]; });
      if (listing.whole) {
        for (VertexId v(0); v.value() < count; v = v.next())
          weights[v.index() >> shift] += listing.whole->degree(v);
      }
    }
    group_.sum(weights);
    std::uint64_t total = 0;
    for (const std::uint64_t weight : weights) total += weight;
    const std::uint32_t nodes = group_.count();
    std::vector<std::uint64_t> firsts(nodes + std::size_t{1}, count);
    firsts[0] = 0;
    std::uint64_t before = 0;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double middle = static_cast<double>(before) + static_cast<double>(weights[i]) / 2;
      while (node + 1 < nodes &&
             middle * nodes >= static_cast<double>(total) * (node + std::uint64_t{1}))
        firsts[++node] = std::min(count, std::uint64_t{i} << shift);
      before += weights[i];
    }
    return VertexRanges(std::move(firsts));
  }

  Result<EdgeList> send_arcs(Listing& listing, const VertexRanges& ranges) {
    ArcExchange arcs(group_, listing.kind, ranges.size(group_.self()), ranges.firsts().back());
    const auto send = [&](VertexId source, VertexId target, double weight) {
      const NodeId home = ranges.home(source);
      arcs.send(home, VertexId(source.value() - static_cast<std::uint32_t>(ranges.first(home))),
                target, weight);
    };
    const bool weighted = listing.kind != WeightKind::None;
    for (EdgeChunk& chunk : listing.chunks) {
      for_each_arc(chunk, listing.rule, [&](std::size_t i, VertexId source, VertexId target) {
        send(source, target, weighted ? chunk.weights()[i] : 0);
      });
      chunk = EdgeChunk{};
    }
    if (listing.whole) {
      const Graph& graph = *listing.whole;
      for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
        for (std::uint64_t arc = graph.offsets()[v.index()]; arc < graph.offsets()[v.index() + 1];
             ++arc)
          send(v, graph.targets()[arc], weighted ? graph.weights()[arc] : 0);
      }
    }
    return arcs.finish();
  }

  Group& group_;
  const std::string& argument_;
  LoadOptions options_;
  BalanceBy balance_;
  Lister lister_;
};

}  // namespace

Result<LoadedPart> load_part(const ClusterOptions& cluster, const std::string& argument,
                             const LoadOptions& options, BalanceBy balance) {
  LEEWAY_CHECK(cluster.job != nullptr);
  LoadedPart loaded;
  LEEWAY_TRY(with_group(cluster, [&](Group& group) -> Status {
    LEEWAY_ASSIGN(loaded, PartLoader(group, argument, options, balance).load());
    return {};
  }));
  return loaded;
}

}  // namespace leeway
