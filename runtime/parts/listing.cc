#include "leeway/runtime/parts/listing.h"

#include <algorithm>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/datasets/binary.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"

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
  const auto marks = exchange_.share(mark);
  for (std::size_t node = 1; node < marks.size(); ++node) {
    if (marks[node] == marks[0]) continue;
    return fail(exchange_.found_by_all(
        input_error(argument_, format("nodes 0 and {} see different files", node),
                    "copy the same file to every host")));
  }
  return {};
}

Status Lister::list_spec(Listing& listing) {
  auto listed = leeway::list_spec(argument_, options_);
  LEEWAY_TRY(exchange_.agree(listed ? Status{} : fail(listed.error())));
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
  LEEWAY_TRY(exchange_.agree(share ? Status{} : fail(share.error())));
  const bool shared = share->has_value();
  if (exchange_.sum(shared ? 1 : 0) < exchange_.count()) return false;
  if (exchange_.sum((*share)->wide_ids ? 1 : 0) > 0) {
    share = list_share(argument_, options_, true);
    LEEWAY_TRY(exchange_.agree(share ? Status{} : fail(share.error())));
  }
  ListedShare& mine = **share;
  LEEWAY_TRY(same_file(mine.bytes));
  LEEWAY_ASSIGN(listing.names, number_ends(exchange_, mine));
  if (Status said = check_said(mine, exchange_.sum(mine.rows), listing.names.count); !said)
    return fail(exchange_.found_by_all(std::move(said).error()));
  LEEWAY_TRY(check_halves(mine));
  listing.once = mine.once;
  listing.rule = arc_rule(mine.shape, options_);
  listing.kind = widest(mine.weight_kind);
  listing.left = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(mine.left.value_or(mine.shape.left_count), listing.names.count));
  for (ParsedBlock& block : mine.blocks) listing.chunks.push_back(std::move(block.edges));
  return true;
}

Status Lister::check_halves(const ListedShare& mine) {
  const auto above = exchange_.share(mine.above_line);
  if (exchange_.sum(mine.below ? 1 : 0) == 0) return {};
  const auto line = *std::max_element(above.begin(), above.end());
  if (line == 0) return {};
  return fail(exchange_.found_by_all(both_halves(format("{}:{}", argument_, line))));
}

WeightKind Lister::widest(WeightKind mine) {
  for (const WeightKind each : exchange_.share(mine)) mine = std::max(mine, each);
  return mine;
}

Status Lister::list_binary(Listing& listing) {
  const auto summary = summarize_binary(argument_);
  LEEWAY_TRY(exchange_.agree(summary ? Status{} : fail(summary.error())));
  LEEWAY_TRY(same_file(summary->mark));
  listing.rule =
      arc_rule({.directed = summary->directed, .from_both_ends = !summary->directed}, options_);
  listing.kind = options_.weights == Weights::File ? summary->weight_kind : WeightKind::None;
  listing.left = summary->left_count;
  listing.names.kind = summary->name_kind;
  listing.names.count = summary->vertices;
  listing.names.first = summary->first_name;
  return exchange_.agree(list_range(listing));
}

Status Lister::list_range(Listing& listing) {
  LEEWAY_ASSIGN(const auto firsts, divide_binary(argument_, exchange_.count(), true));
  const std::size_t self = exchange_.self().index();
  const auto first = static_cast<std::uint32_t>(firsts[self]);
  const auto last = static_cast<std::uint32_t>(firsts[self + 1]);
  LEEWAY_ASSIGN(const VertexNames names, open_binary_names(argument_, first, last));
  take_names(names, listing);
  LEEWAY_ASSIGN(const BinaryPart range, open_binary_range(argument_, first, last));
  // A partitioned file numbers vertices part by part; arcs are dealt out by the original numbers.
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
      else if (listing.kind != WeightKind::Complex)
        builder.add(source, target, range.weights[arc]);
      else
        builder.add(source, target, range.weights[arc], range.imaginary[arc]);
    }
    if (builder.size() >= kArcsPerChunk) LEEWAY_TRY(pack());
  }
  return pack();
}

Status Lister::list_whole(Listing& listing) {
  struct Facts {
    std::uint64_t count, first;
    ArcRule rule;
    WeightKind kind;
    NameKind names;
    std::uint32_t left;
  };
  Facts facts{};
  Status loaded;
  if (exchange_.self() == NodeId(0)) {
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
  LEEWAY_TRY(exchange_.agree(std::move(loaded)));
  facts = exchange_.share(facts).front();
  listing.rule = facts.rule;
  listing.kind = facts.kind;
  listing.left = facts.left;
  listing.names.kind = facts.names;
  listing.names.count = facts.count;
  listing.names.first = facts.first;
  return {};
}

}  // namespace leeway
