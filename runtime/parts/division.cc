#include "leeway/runtime/parts/division.h"

#include <algorithm>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/datasets/partition_auto.h"
#include "leeway/runtime/parts/deal_owners.h"
#include "leeway/runtime/parts/gather_array.h"
#include "leeway/runtime/parts/multilevel_division.h"
#include "leeway/runtime/parts/numbering.h"
#include "leeway/runtime/parts/stream_division.h"

namespace leeway {

namespace {

/// Of so many node 0 may hold all beside its own part, for so long as it divides them.
constexpr std::uint64_t kArcsGathered = 1'000'000;

template <class T>
using ByNode = std::vector<std::vector<T>>;

Result<VertexNames> gather_names(Exchange& exchange, const GraphPart& part) {
  const VertexNames& mine = part.lists.names;
  NameStretch names;
  names.kind = mine.kind();
  names.count = part.totals.vertices;
  names.first = mine.first() - part.ranges.first(part.self);
  if (names.kind == NameKind::Numbers) {
    const auto ids = mine.ids().span();
    names.numbers.assign(ids.begin(), ids.end());
  }
  for (VertexId v(0); names.kind == NameKind::Strings && v.value() < mine.count(); v = v.next())
    names.words.push_back(mine.name(v));
  std::vector<std::uint64_t> firsts(exchange.count() + std::size_t{1}, names.count);
  firsts[0] = 0;
  return deal_names(exchange, names, firsts);
}

}  // namespace

PartitionMethod method_for(Exchange& exchange, const GraphPart& part, const PartitionOptions& how) {
  if (const auto said = method_said(how)) return *said;
  if (part.totals.arcs > kArcsGathered) return PartitionMethod::Block;
  CutFacts facts{
      .vertices = part.totals.vertices, .arcs = part.totals.arcs, .parts = exchange.count()};
  const auto targets = part.lists.targets.span();
  facts.block_cut = exchange.sum(static_cast<std::uint64_t>(std::count_if(
      targets.begin(), targets.end(), [&](VertexId target) { return !part.holds(target); })));
  facts.most_arcs = most_arcs(exchange, part);
  return choose_method(facts);
}

std::uint64_t most_arcs(Exchange& exchange, const GraphPart& part) {
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < part.size(); ++i) most = std::max(most, part.degree(i));
  const auto all = exchange.share(most);
  return *std::max_element(all.begin(), all.end());
}

Result<Graph> gather_graph(Exchange& exchange, const GraphPart& part) {
  std::vector<std::uint64_t> degrees(part.size());
  for (std::uint32_t i = 0; i < part.size(); ++i) degrees[i] = part.degree(i);
  GraphParts parts;
  LEEWAY_ASSIGN(const auto all, gather_array<std::uint64_t>(exchange, degrees));
  LEEWAY_ASSIGN(parts.targets, gather_array(exchange, part.lists.targets.span()));
  LEEWAY_ASSIGN(parts.weights, gather_array(exchange, part.lists.weights.span()));
  LEEWAY_ASSIGN(parts.imaginary, gather_array(exchange, part.lists.imaginary.span()));
  LEEWAY_ASSIGN(parts.names, gather_names(exchange, part));
  if (exchange.self() != NodeId(0)) return Graph();
  LEEWAY_ASSIGN(parts.offsets, Array<std::uint64_t>::make(all.size() + 1));
  for (std::size_t v = 0; v < all.size(); ++v)
    parts.offsets.mutable_span()[v + 1] = parts.offsets[v] + all[v];
  parts.directed = part.totals.directed;
  parts.weight_kind = part.totals.weight_kind;
  parts.left_count = part.totals.left_count;
  return Graph(std::move(parts));
}

namespace {

/// METIS, on a graph that is contracted first.
bool contracts(const GraphPart& part, const PartitionOptions& how) {
  return how.method == PartitionMethod::Metis && !how.skew && !how.edge_weights &&
         part.totals.arcs > kArcsGathered;
}

/// Whether node 0 holds the whole graph to divide it so.
bool divides_whole(const GraphPart& part, const PartitionOptions& how) {
  if (contracts(part, how)) return false;
  return how.skew || how.method == PartitionMethod::Metis || how.method == PartitionMethod::File;
}

/// By node 0, which holds the whole graph for it and tells each node of its range.
Result<std::vector<PartId>> divide_gathered(Exchange& exchange, const GraphPart& part,
                                            const PartitionOptions& how) {
  LEEWAY_ASSIGN(const Graph graph, gather_graph(exchange, part));
  Result<Partition> divided = Partition{};
  if (exchange.self() == NodeId(0)) {
    PartitionOptions wanted = how;
    wanted.parts = exchange.count();
    divided = partition_graph(graph, wanted);
  }
  return deal_owners(exchange, part.ranges, owners_of(divided));
}

}  // namespace

Result<Division> Division::make(Exchange& exchange, const GraphPart& part,
                                const PartitionOptions& how, const Partition* known) {
  Division division;
  division.method_ = how.method;
  division.part_ = &part;
  division.seed_ = how.seed;
  const bool streams = how.method == PartitionMethod::Ldg || how.method == PartitionMethod::Fennel;
  division.told_ = true;
  if (exchange.sum(known != nullptr ? 1 : 0) > 0) {
    LEEWAY_ASSIGN(division.owners_,
                  deal_owners(exchange, part.ranges,
                              known != nullptr ? known->owner.span() : std::span<const PartId>()));
  } else if (divides_whole(part, how)) {
    LEEWAY_ASSIGN(division.owners_, divide_gathered(exchange, part, how));
  } else if (contracts(part, how)) {
    LEEWAY_ASSIGN(division.owners_, multilevel_division(exchange, part, how, kArcsGathered));
  } else if (streams) {
    division.owners_ = stream_division(exchange, part, how);
  } else {
    division.told_ = false;
  }
  return division;
}

NodeId Division::by_formula(VertexId vertex) const {
  const std::uint32_t nodes = part_->ranges.count();
  if (by_ranges()) return part_->ranges.home(vertex);
  const PartId owner = method_ == PartitionMethod::Hash
                           ? hashed_part(vertex, nodes, seed_)
                           : dealt_part(vertex, part_->totals.vertices, nodes, seed_);
  return NodeId(owner.value());
}

NodeId Division::home_here(std::uint32_t place) const {
  return told_ ? NodeId(owners_[place].value()) : by_formula(part_->vertex(place));
}

std::vector<NodeId> Division::homes(Exchange& exchange, std::span<const VertexId> vertices) const {
  std::vector<NodeId> homes;
  homes.reserve(vertices.size());
  if (!told_) {
    for (const VertexId v : vertices) homes.push_back(by_formula(v));
    return homes;
  }
  // The node whose range it is in has been told.
  ByNode<VertexId> asked(exchange.count());
  for (const VertexId v : vertices) asked[part_->ranges.home(v).index()].push_back(v);
  ByNode<PartId> answers(exchange.count());
  const auto questions = exchange.swap(asked);
  for (std::uint32_t node = 0; node < questions.size(); ++node) {
    for (const VertexId v : questions[node]) {
      exchange.require(part_->holds(v), NodeId(node));
      answers[node].push_back(owners_[v.value() - part_->first()]);
    }
  }
  const auto told = exchange.swap_answers(answers, lengths(asked));
  std::vector<std::size_t> next(exchange.count(), 0);
  for (const VertexId v : vertices) {
    const std::size_t node = part_->ranges.home(v).index();
    homes.emplace_back(told[node][next[node]++].value());
    exchange.require(homes.back().index() < exchange.count(),
                     NodeId(static_cast<std::uint32_t>(node)));
  }
  return homes;
}

}  // namespace leeway
