#include "leeway/runtime/piece/layout.h"

#include <algorithm>
#include <limits>

#include "leeway/base/check.h"

namespace leeway::piece {

PieceLayout::PieceLayout(std::vector<NodeId> homes, std::span<const std::vector<PieceId>> needs)
    : homes_(std::move(homes)), first_(homes_.size() + 1) {
  LEEWAY_CHECK(homes_.size() == needs.size());
  std::vector<std::vector<PieceId>> both(homes_.size());
  for (PieceId piece(0); piece.value() < count(); piece = piece.next()) {
    both[piece.index()].push_back(piece);
    for (const PieceId other : needs[piece.index()]) {
      LEEWAY_CHECK(other.value() < count());
      both[piece.index()].push_back(other);
      both[other.index()].push_back(piece);
    }
  }
  for (std::size_t i = 0; i < both.size(); ++i) {
    std::sort(both[i].begin(), both[i].end());
    both[i].erase(std::unique(both[i].begin(), both[i].end()), both[i].end());
    first_[i + 1] = first_[i] + both[i].size();
    around_.insert(around_.end(), both[i].begin(), both[i].end());
  }
}

std::vector<std::uint32_t> boundary_distances(const PieceLayout& layout,
                                              std::span<const NodeId> owners, NodeId self) {
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(layout.count(), 0);
  std::vector<PieceId> front;
  for (PieceId piece(0); piece.value() < layout.count(); piece = piece.next()) {
    if (owners[piece.index()] != self) continue;
    const auto around = layout.around(piece);
    const bool boundary = std::any_of(around.begin(), around.end(),
                                      [&](PieceId other) { return owners[other.index()] != self; });
    if (boundary) {
      front.push_back(piece);
    } else {
      distance[piece.index()] = kFar;
    }
  }
  for (std::uint32_t steps = 1; !front.empty(); ++steps) {
    std::vector<PieceId> next;
    for (const PieceId piece : front) {
      for (const PieceId other : layout.around(piece)) {
        if (distance[other.index()] != kFar) continue;
        distance[other.index()] = steps;
        next.push_back(other);
      }
    }
    front.swap(next);
  }
  // A partition that is the whole space has no boundary: all its pieces are equally far from it.
  std::replace(distance.begin(), distance.end(), kFar, 0U);
  return distance;
}

}  // namespace leeway::piece
