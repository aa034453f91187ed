#include "leeway/runtime/parts/part_level.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "leeway/runtime/parts/part_lists.h"

namespace leeway {

namespace {

struct WeightedArc {
  VertexId source, target;
  std::uint32_t weight;
};

/// Numbers the labels in use, range after range, and gives each place of this node's the number.
std::vector<VertexId> number_labels(Exchange& exchange,
                                    std::span<const std::uint64_t> label_weights,
                                    VertexRanges& ranges) {
  const auto used = static_cast<std::uint64_t>(
      std::count_if(label_weights.begin(), label_weights.end(), [](auto w) { return w > 0; }));
  std::vector<std::uint64_t> firsts = {0};
  for (const std::uint64_t each : exchange.share(used)) firsts.push_back(firsts.back() + each);
  ranges = VertexRanges(std::move(firsts));
  auto next = static_cast<std::uint32_t>(ranges.first(exchange.self()));
  std::vector<VertexId> numbers;
  numbers.reserve(label_weights.size());
  for (const std::uint64_t weight : label_weights)
    numbers.push_back(weight > 0 ? VertexId(next++) : VertexId::none());
  return numbers;
}

/// The arcs of each coarse vertex, from all who have vertices of it to its home.
std::vector<WeightedArc> send_arcs(Exchange& exchange, const PartLevel& level, const Halo& halo,
                                   std::span<const VertexId> coarse, const VertexRanges& ranges) {
  std::vector<WeightedArc> arcs;
  exchange.begin([&](NodeId from, std::span<const std::byte> bytes) {
    exchange.for_each_record<WeightedArc>(from, bytes,
                                          [&](const WeightedArc& arc) { arcs.push_back(arc); });
  });
  MessageBatcher<WeightedArc> batcher(exchange);
  std::vector<std::uint32_t> order(level.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(coarse[a], a) < std::tuple(coarse[b], b);
  });
  LabelSums sums;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const VertexId source = coarse[order[i]];
    for (std::uint64_t arc = level.offsets[order[i]]; arc < level.offsets[order[i] + 1]; ++arc) {
      const VertexId target = coarse[halo.index(level.targets[arc])];
      if (target != source) sums.add(target, level.arc_weights[arc]);
    }
    if (i + 1 < order.size() && coarse[order[i + 1]] == source) continue;
    const NodeId home = ranges.home(source);
    for (const LabelSums::Sum& sum : sums.sums())
      batcher.add(home, {source, sum.label, static_cast<std::uint32_t>(sum.weight)});
    sums.clear();
  }
  batcher.flush();
  exchange.end();
  return arcs;
}

void set_arcs(std::vector<WeightedArc> arcs, PartLevel& level) {
  std::sort(arcs.begin(), arcs.end(), [](const WeightedArc& a, const WeightedArc& b) {
    return std::tuple(a.source, a.target) < std::tuple(b.source, b.target);
  });
  std::size_t at = 0;
  for (std::uint32_t v = 0; v < level.size(); ++v) {
    const VertexId source(level.first() + v);
    const std::size_t begin = level.targets.size();
    for (; at < arcs.size() && arcs[at].source == source; ++at) {
      if (level.targets.size() > begin && level.targets.back() == arcs[at].target) {
        level.arc_weights.back() += arcs[at].weight;
      } else {
        level.targets.push_back(arcs[at].target);
        level.arc_weights.push_back(arcs[at].weight);
      }
    }
    level.offsets.push_back(level.targets.size());
  }
}

}  // namespace

Result<PartLevel> finest_level(Exchange& exchange, const GraphPart& part, BalanceBy balance) {
  PartLevel level;
  level.ranges = part.ranges;
  level.self = part.self;
  GraphParts turned;
  if (part.totals.directed) {
    LEEWAY_ASSIGN(turned, turn_arcs(exchange, part, false));
  }
  std::vector<VertexId> list;
  for (std::uint32_t v = 0; v < part.size(); ++v) {
    list.clear();
    for (const GraphParts* lists : {&part.lists, static_cast<const GraphParts*>(&turned)}) {
      if (lists->offsets.empty()) continue;
      const auto all = lists->targets.span().subspan(
          lists->offsets[v], lists->offsets[v + std::size_t{1}] - lists->offsets[v]);
      const auto middle = static_cast<std::ptrdiff_t>(list.size());
      list.insert(list.end(), all.begin(), all.end());
      std::inplace_merge(list.begin(), list.begin() + middle, list.end());
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == part.vertex(v)) continue;
      if (i > 0 && list[i] == list[i - 1]) {
        ++level.arc_weights.back();
      } else {
        level.targets.push_back(list[i]);
        level.arc_weights.push_back(1);
      }
    }
    level.offsets.push_back(level.targets.size());
    level.weights.push_back(
        balance == BalanceBy::Vertices ? 1 : static_cast<std::uint32_t>(1 + part.degree(v)));
  }
  return level;
}

Contraction contract(Exchange& exchange, const PartLevel& level, const Halo& halo,
                     std::span<const VertexId> labels,
                     std::span<const std::uint64_t> label_weights) {
  Contraction made;
  PartLevel& coarser = made.coarser;
  coarser.self = level.self;
  const std::vector<VertexId> numbers = number_labels(exchange, label_weights, coarser.ranges);
  for (const std::uint64_t weight : label_weights)
    if (weight > 0) coarser.weights.push_back(static_cast<std::uint32_t>(weight));
  std::vector<VertexId> coarse =
      ask_homes<VertexId>(exchange, level.ranges, labels.subspan(0, level.size()), numbers);
  coarse.resize(halo.indices());
  halo.tell<VertexId>(
      exchange, 0, level.size(), [](std::uint32_t) { return true; },
      [&](std::uint32_t v) { return coarse[v]; },
      [&](std::uint32_t index, VertexId number) { coarse[index] = number; });
  set_arcs(send_arcs(exchange, level, halo, coarse, coarser.ranges), coarser);
  coarse.resize(level.size());
  made.coarse_of = std::move(coarse);
  return made;
}

}  // namespace leeway
