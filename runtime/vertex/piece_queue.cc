#include "runtime/vertex/piece_queue.h"

#include <algorithm>
#include <deque>

namespace leeway {

PieceQueue::PieceQueue(const LocalGraph& graph, std::uint32_t pieces, double alpha, double beta)
    : alpha_(alpha), beta_(beta), piece_of_(graph.local_count()), queued_(graph.local_count(), 0) {
  cut(graph, std::max(1U, std::min(pieces, graph.local_count())));
  find_distances(graph);
}

void PieceQueue::cut(const LocalGraph& graph, std::uint32_t pieces) {
  const std::uint32_t vertices = graph.local_count();
  // The cost of a vertex is about that of an arc.
  const std::uint64_t total = graph.input_count() + vertices;
  std::uint32_t begin = 0;
  for (std::uint32_t piece = 0; piece < pieces && begin < vertices; ++piece) {
    const std::uint64_t until = total * (piece + 1) / pieces;
    std::uint32_t end = begin;
    while (end < vertices && (end == begin || graph.input_offsets()[end] + end < until)) ++end;
    if (piece + 1 == pieces) end = vertices;
    for (std::uint32_t v = begin; v < end; ++v)
      piece_of_[v] = static_cast<std::uint32_t>(pieces_.size());
    pieces_.push_back({.begin = begin, .end = end, .to_run = {}});
    begin = end;
  }
}

std::vector<std::vector<std::uint32_t>> PieceQueue::neighbours(const LocalGraph& graph) const {
  std::vector<std::vector<std::uint32_t>> adjacent(pieces_.size());
  std::vector<std::uint32_t> last_met(pieces_.size(), ~std::uint32_t{0});
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece) {
    const std::uint64_t first = graph.input_offsets()[pieces_[piece].begin];
    const std::uint64_t last = graph.input_offsets()[pieces_[piece].end];
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint32_t input = graph.inputs()[i];
      if (input >= graph.local_count()) continue;
      const std::uint32_t other = piece_of_[input];
      if (other == piece || last_met[other] == piece) continue;
      last_met[other] = piece;
      adjacent[piece].push_back(other);
      adjacent[other].push_back(piece);
    }
  }
  return adjacent;
}

void PieceQueue::find_distances(const LocalGraph& graph) {
  std::deque<std::uint32_t> reached;
  std::vector<std::uint8_t> seen(pieces_.size(), 0);
  for (std::uint32_t v = 0; v < graph.local_count(); ++v) {
    if (!graph.read_remotely(v) || seen[piece_of_[v]] != 0) continue;
    seen[piece_of_[v]] = 1;
    reached.push_back(piece_of_[v]);
  }
  if (reached.empty()) return;  // no boundary: all pieces keep distance 0
  const auto adjacent = neighbours(graph);
  std::uint32_t farthest = 0;
  while (!reached.empty()) {
    const std::uint32_t piece = reached.front();
    reached.pop_front();
    farthest = std::max(farthest, pieces_[piece].distance);
    for (const std::uint32_t other : adjacent[piece]) {
      if (seen[other] != 0) continue;
      seen[other] = 1;
      pieces_[other].distance = pieces_[piece].distance + 1;
      reached.push_back(other);
    }
  }
  for (std::uint32_t piece = 0; piece < pieces_.size(); ++piece) {
    if (seen[piece] == 0) pieces_[piece].distance = farthest + 1;
  }
}

void PieceQueue::add(std::uint32_t local) {
  if (queued_[local] != 0) return;
  queued_[local] = 1;
  const std::uint32_t number = piece_of_[local];
  VertexPiece& piece = pieces_[number];
  if (piece.to_run.empty()) {
    piece.since = waits_begun_++;
    const double priority = alpha_ * piece.distance + beta_ * piece.runs;
    by_age_.push_back({priority, piece.since, turns_, number});
    by_priority_.push_back(by_age_.back());
    std::push_heap(by_priority_.begin(), by_priority_.end());
  }
  piece.to_run.push_back(local);
}

void PieceQueue::add_all() {
  for (std::uint32_t v = 0; v < queued_.size(); ++v) add(v);
}

std::uint32_t PieceQueue::next() {
  ++turns_;
  while (!waits(by_age_.front())) by_age_.pop_front();
  const Waiting oldest = by_age_.front();
  // mutant: a-piece-may-wait-for-ever
  if (turns_ - oldest.turn > kPatience * pieces_.size()) {
    by_age_.pop_front();
    std::erase(by_priority_, oldest);
    std::make_heap(by_priority_.begin(), by_priority_.end());
    return oldest.piece;
  }
  std::pop_heap(by_priority_.begin(), by_priority_.end());
  const std::uint32_t least = by_priority_.back().piece;
  by_priority_.pop_back();
  return least;
}

std::span<const std::uint32_t> PieceQueue::take() {
  taken_.clear();
  if (empty()) return taken_;
  VertexPiece& piece = pieces_[next()];
  ++piece.runs;
  taken_.swap(piece.to_run);
  std::sort(taken_.begin(), taken_.end());
  for (const std::uint32_t local : taken_) queued_[local] = 0;
  return taken_;
}

}  // namespace leeway
