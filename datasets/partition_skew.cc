#include "leeway/datasets/partition_skew.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/base/format.h"

namespace leeway {

namespace {

/// Moves vertices into one part, those with most neighbours there first, from parts that can spare some.
class Mover {
 public:
  /// `spare[p]` is what part p may still give.
  Mover(const Graph& graph, std::span<PartId> owner, std::vector<std::uint64_t>& spare, PartId into)
      : graph_(graph), owner_(owner), spare_(spare), into_(into), neighbours_(owner.size(), 0) {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) {
      if (owner_[v] == into_) notice_neighbours(VertexId(v));
    }
  }

  void take(std::uint64_t wanted) {
    std::uint32_t next_unconnected = 0;
    while (wanted > 0) {
      const VertexId vertex = best_connected(next_unconnected);
      if (vertex == VertexId::none()) return;
      --spare_[owner_[vertex.index()].index()];
      owner_[vertex.index()] = into_;
      notice_neighbours(vertex);
      --wanted;
    }
  }

 private:
  [[nodiscard]] bool movable(VertexId vertex) const {
    const PartId from = owner_[vertex.index()];
    return from != into_ && spare_[from.index()] > 0;
  }

  void notice_neighbours(VertexId vertex) {
    for (const VertexId target : graph_.neighbors(vertex)) {
      const std::uint32_t count = ++neighbours_[target.index()];
      if (movable(target)) candidates_.emplace(count, ~target.value());
    }
  }

  /// The queue keeps outdated entries; one counts if its number of neighbours is still right. Where no
  /// neighbour is left, the first vertex that may move.
  VertexId best_connected(std::uint32_t& next_unconnected) {
    while (!candidates_.empty()) {
      const auto [count, flipped] = candidates_.top();
      candidates_.pop();
      const VertexId vertex(~flipped);
      if (movable(vertex) && neighbours_[vertex.index()] == count) return vertex;
    }
    for (; next_unconnected < owner_.size(); ++next_unconnected) {
      if (movable(VertexId(next_unconnected))) return VertexId(next_unconnected);
    }
    return VertexId::none();
  }

  const Graph& graph_;
  std::span<PartId> owner_;
  std::vector<std::uint64_t>& spare_;
  const PartId into_;
  std::vector<std::uint32_t> neighbours_;  // arcs into the vertex from the part that grows
  std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> candidates_;  // ties: lower vertex
};

std::vector<std::uint64_t> part_sizes(const Partition& partition) {
  std::vector<std::uint64_t> sizes(partition.part_count, 0);
  for (const PartId part : partition.owner) ++sizes[part.index()];
  return sizes;
}

/// How many vertices each part shall have: `large` for part 0, the rest dealt out evenly.
std::vector<std::uint64_t> quotas(std::uint64_t total, std::uint32_t parts, double large) {
  std::vector<std::uint64_t> quota(parts);
  quota[0] = std::min(total, static_cast<std::uint64_t>(std::ceil(large)));
  const std::uint64_t rest = total - quota[0];
  const std::uint64_t others = parts - 1;
  for (std::uint64_t part = 0; part < others; ++part) {
    quota[part + 1] = rest / others + (part < rest % others ? 1 : 0);
  }
  return quota;
}

}  // namespace

Status skew_partition(const Graph& graph, double ratio, Partition& partition) {
  LEEWAY_CHECK(partition.owner.size() == graph.vertex_count());
  const std::uint64_t total = graph.vertex_count();
  const std::uint32_t parts = partition.part_count;
  if (!std::isfinite(ratio) || ratio < 1.0) {
    return fail(input_error("skew", format("{} is not a ratio of largest to median part", ratio),
                            "give a number from 1 up"));
  }
  if (parts == 1) {
    if (ratio <= 1.0) return {};
    return fail(
        input_error("skew", "one part cannot be larger than the median", "use 2 or more parts"));
  }
  const double share = static_cast<double>(total) / (parts - 1 + ratio);
  if (share < 1.0) {
    return fail(
        input_error("skew",
                    format("{} vertices cannot make {} parts of which one is {} times the rest",
                           total, parts, ratio),
                    "use fewer parts or a smaller ratio"));
  }
  const auto quota = quotas(total, parts, share * ratio);
  auto spare = part_sizes(partition);
  const auto owner = partition.owner.mutable_span();
  // First part 0 takes what the others have too much, then each other part what it still lacks.
  std::vector<std::uint64_t> lacking(parts, 0);
  for (std::uint32_t part = 1; part < parts; ++part) {
    lacking[part] = quota[part] - std::min(quota[part], spare[part]);
    spare[part] -= std::min(quota[part], spare[part]);
  }
  spare[0] = 0;
  Mover(graph, owner, spare, PartId(0)).take(total);
  spare.assign(parts, 0);
  spare[0] = part_sizes(partition)[0] - quota[0];
  for (std::uint32_t part = 1; part < parts; ++part) {
    if (lacking[part] > 0) Mover(graph, owner, spare, PartId(part)).take(lacking[part]);
  }
  return {};
}

}  // namespace leeway
