#include "leeway/runtime/parts/arc_exchange.h"

#include <utility>

namespace leeway {

namespace {

/// Arcs of one sender that are packed together: enough for large pages, few beside a node's share.
constexpr std::size_t kArcsPerChunk = std::size_t{1} << 16U;

}  // namespace

ArcExchange::ArcExchange(Exchange& exchange, WeightKind kind)
    : exchange_(exchange),
      kind_(kind),
      plain_(exchange),
      weighted_(exchange),
      complex_(exchange),
      builders_(exchange.count()),
      chunks_(exchange.count()) {
  exchange_.begin([this](NodeId from, std::span<const std::byte> bytes) { take(from, bytes); });
}

void ArcExchange::send(NodeId to, VertexId source, VertexId target, double weight,
                       double imaginary) {
  switch (kind_) {
    case WeightKind::None:
      return plain_.add(to, {source, target});
    case WeightKind::Integer:
    case WeightKind::Real:
      return weighted_.add(to, {source, target, weight});
    case WeightKind::Complex:
      return complex_.add(to, {source, target, weight, imaginary});
  }
}

void ArcExchange::take(NodeId from, std::span<const std::byte> bytes) {
  EdgeChunkBuilder& builder = builders_[from.index()];
  switch (kind_) {
    case WeightKind::None:
      exchange_.for_each_record<Plain>(from, bytes,
                                       [&](const Plain& a) { builder.add(a.source, a.target); });
      break;
    case WeightKind::Integer:
    case WeightKind::Real:
      exchange_.for_each_record<Weighted>(
          from, bytes, [&](const Weighted& a) { builder.add(a.source, a.target, a.weight); });
      break;
    case WeightKind::Complex:
      exchange_.for_each_record<Complex>(from, bytes, [&](const Complex& a) {
        builder.add(a.source, a.target, a.weight, a.imaginary);
      });
      break;
  }
  if (builder.size() >= kArcsPerChunk) pack(from);
}

void ArcExchange::pack(NodeId from) {
  if (builders_[from.index()].size() == 0) return;
  auto chunk = builders_[from.index()].finish();
  if (chunk)
    chunks_[from.index()].push_back(std::move(*chunk));
  else if (packed_)
    packed_ = fail(chunk.error());
}

Result<EdgeList> ArcExchange::finish() {
  plain_.flush();
  weighted_.flush();
  complex_.flush();
  exchange_.end();
  EdgeList list;
  list.weight_kind = kind_;
  for (std::uint32_t from = 0; from < exchange_.count(); ++from) {
    pack(NodeId(from));
    builders_[from] = {};
    for (EdgeChunk& chunk : chunks_[from]) list.chunks.push_back(std::move(chunk));
  }
  if (!packed_) return fail(std::move(packed_).error());
  return list;
}

}  // namespace leeway
