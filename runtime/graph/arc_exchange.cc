#include "runtime/graph/arc_exchange.h"

#include <algorithm>
#include <utility>

#include "datasets/build_graph.h"
#include "runtime/cluster/group.h"
#include "runtime/graph/graph_part.h"

namespace leeway {

namespace {

/// Arcs of one sender that are packed together: enough for large pages, small compared with a node's share.
constexpr std::size_t kArcsPerSender = std::size_t{1} << 16U;

}  // namespace

ArcExchange::ArcExchange(Group& group, WeightKind kind, std::uint64_t rows, std::uint64_t vertices)
    : group_(group),
      kind_(kind),
      rows_(rows),
      vertices_(vertices),
      plain_(group),
      weighted_(group),
      builders_(group.count()),
      chunks_(group.count()) {
  group_.begin([this](NodeId from, std::span<const std::byte> bytes) { take(from, bytes); });
}

void ArcExchange::send(NodeId to, VertexId source, VertexId target, double weight) {
  switch (kind_) {
    case WeightKind::None:
      return plain_.add(to, {source, target});
    case WeightKind::Integer:
    case WeightKind::Real:
      return weighted_.add(to, {source, target, weight});
  }
}

template <class Arc, class Add>
void ArcExchange::take_each(NodeId from, std::span<const std::byte> bytes, const Add& add) {
  group_.for_each_record<Arc>(from, bytes, [&](const Arc& arc) {
    group_.require(arc.source.value() < rows_ && arc.target.value() < vertices_, from);
    add(arc);
  });
}

void ArcExchange::take(NodeId from, std::span<const std::byte> bytes) {
  EdgeChunkBuilder& builder = builders_[from.index()];
  switch (kind_) {
    case WeightKind::None:
      take_each<PlainArc>(from, bytes, [&](const PlainArc& a) { builder.add(a.source, a.target); });
      break;
    case WeightKind::Integer:
    case WeightKind::Real:
      take_each<WeightedArc>(
          from, bytes, [&](const WeightedArc& a) { builder.add(a.source, a.target, a.weight); });
      break;
  }
  if (builder.size() >= kArcsPerSender) pack(from);
}

void ArcExchange::pack(NodeId from) {
  if (builders_[from.index()].size() == 0) return;
  auto chunk = builders_[from.index()].finish();
  if (chunk)
    chunks_[from.index()].push_back(std::move(*chunk));
  else if (pack_status_)
    pack_status_ = fail(chunk.error());
}

Result<EdgeList> ArcExchange::finish() {
  plain_.flush();
  weighted_.flush();
  group_.end();
  EdgeList list;
  list.weight_kind = kind_;
  for (std::uint32_t from = 0; from < group_.count(); ++from) {
    pack(NodeId(from));
    builders_[from] = {};
    for (EdgeChunk& chunk : chunks_[from]) list.chunks.push_back(std::move(chunk));
  }
  if (!pack_status_) return fail(std::move(pack_status_).error());
  return list;
}

Result<GraphArrays> reverse_arcs(Group& group, const GraphPart& part, bool weights) {
  const WeightKind kind = weights ? WeightKind::Real : WeightKind::None;
  ArcExchange arcs(group, kind, part.size(), part.totals.vertices);
  const GraphArrays& own = part.lists;
  for (std::uint32_t i = 0; i < part.size(); ++i) {
    for (std::uint64_t arc = own.offsets[i]; arc < own.offsets[i + std::size_t{1}]; ++arc) {
      const VertexId target = own.targets[arc];
      const NodeId home = part.ranges.home(target);
      const auto first = static_cast<std::uint32_t>(part.ranges.first(home));
      arcs.send(home, VertexId(target.value() - first), part.vertex(i),
                weights ? own.weights[arc] : 0);
    }
  }
  LEEWAY_ASSIGN(EdgeList list, arcs.finish());
  GraphShape shape;
  shape.vertex_count = part.size();
  shape.names = VertexNames::sequence(0, part.size());
  LoadOptions unchanged;
  unchanged.duplicates = Duplicates::Keep;
  unchanged.threads = 1;
  LEEWAY_ASSIGN(Graph turned, build_graph(std::move(list), std::move(shape), unchanged));
  return std::move(turned).take();
}

}  // namespace leeway
