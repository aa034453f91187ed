#include "leeway/runtime/piece/graph_pieces.h"

#include <algorithm>
#include <tuple>

#include "leeway/base/check.h"
#include "leeway/runtime/piece/space.h"
#include "leeway/runtime/shared_partition.h"

namespace leeway::piece {

Result<GraphPieces> GraphPieces::make(const Graph& graph, const Adjacency& reads,
                                      PartitionOptions divide, const ClusterOptions& cluster,
                                      std::uint32_t pieces_a_worker) {
  const std::uint32_t workers = cluster.nodes;
  LEEWAY_TRY(admit_pieces(workers, pieces_a_worker));
  if (graph.vertex_count() == 0) {
    return fail(input_error("graph", "there are no vertices to make pieces of",
                            "give a graph with vertices"));
  }
  divide.parts = workers;
  LEEWAY_ASSIGN(const Partition parts, divide_once(cluster, graph, divide));
  LEEWAY_CHECK(parts.part_count == workers);
  GraphPieces pieces;
  std::vector<NodeId> homes = pieces.cut(graph, parts, pieces_a_worker);
  const auto needs = pieces.sort_arcs(reads);
  pieces.layout_ = PieceLayout(std::move(homes), needs);
  return pieces;
}

/// Every part's vertices in the graph's order, cut where the arcs so far reach the next share. A part with
/// fewer vertices than pieces gives fewer.
std::vector<NodeId> GraphPieces::cut(const Graph& graph, const Partition& parts,
                                     std::uint32_t pieces_a_worker) {
  std::vector<std::vector<VertexId>> members(parts.part_count);
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next())
    members[parts.owner[v.index()].index()].push_back(v);
  std::vector<NodeId> homes;
  for (std::uint32_t part = 0; part < parts.part_count; ++part) {
    std::uint64_t total = 0;
    for (const VertexId v : members[part]) total += graph.degree(v) + 1;
    std::uint64_t so_far = 0;
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < members[part].size(); ++i) {
      order_.push_back(members[part][i]);
      so_far += graph.degree(members[part][i]) + 1;
      const bool full = so_far * pieces_a_worker >= (made + 1) * total;
      if (!full && i + 1 < members[part].size()) continue;
      first_.push_back(order_.size());
      homes.emplace_back(part);
      made = so_far * pieces_a_worker / total;
    }
  }
  return homes;
}

std::vector<std::vector<PieceId>> GraphPieces::sort_arcs(const Adjacency& reads) {
  const std::size_t count = first_.size() - 1;
  std::vector<std::uint32_t> piece_of(order_.size());
  std::vector<std::uint32_t> place_of(order_.size());
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    for (std::size_t i = first_[piece]; i < first_[piece + 1]; ++i) {
      piece_of[order_[i].index()] = piece;
      place_of[order_[i].index()] = static_cast<std::uint32_t>(i - first_[piece]);
    }
  }
  arcs_.resize(count);
  sources_.resize(count);
  arcs_of_.resize(count);
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found;
    for (std::size_t i = first_[piece]; i < first_[piece + 1]; ++i) {
      for (const VertexId from : reads.of(order_[i])) {
        found.emplace_back(piece_of[from.index()], static_cast<std::uint32_t>(i - first_[piece]),
                           place_of[from.index()]);
      }
    }
    std::sort(found.begin(), found.end());
    for (const auto& [from, target, source] : found) {
      if (sources_[piece].empty() || sources_[piece].back() != PieceId(from)) {
        sources_[piece].emplace_back(from);
        arcs_of_[piece].push_back(arcs_[piece].size());
      }
      arcs_[piece].push_back({source, target});
    }
    arcs_of_[piece].push_back(arcs_[piece].size());
  }
  return sources_;
}

std::span<const GraphPieces::Arc> GraphPieces::arcs(PieceId piece, PieceId from) const {
  const auto& sources = sources_[piece.index()];
  const auto found = std::lower_bound(sources.begin(), sources.end(), from);
  if (found == sources.end() || *found != from) return {};
  const auto place = static_cast<std::size_t>(found - sources.begin());
  const auto& begins = arcs_of_[piece.index()];
  return std::span(arcs_[piece.index()]).subspan(begins[place], begins[place + 1] - begins[place]);
}

}  // namespace leeway::piece
