#include "programs/spanning_forest/forest.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <utility>

#include "base/disjoint_sets.h"
#include "runtime/graph/halo.h"

namespace leeway {

namespace {

/// The lightest forest among edges on `count` vertices. `each(use)` calls use(a, b, edge) for each edge between a and b, always in
/// the same order. Every round, each tree takes its lightest edge to another.
template <class EachEdge>
std::vector<ForestEdge> lightest_forest(std::uint32_t count, const EachEdge& each) {
  struct Choice {
    ForestEdge edge;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    bool any = false;
  };
  DisjointSets trees(count);
  std::vector<Choice> lightest(count);
  std::vector<ForestEdge> forest;
  for (bool joins = true; joins;) {
    joins = false;
    each([&](std::uint32_t a, std::uint32_t b, const ForestEdge& edge) {
      const std::uint32_t one = trees.root(a);
      const std::uint32_t other = trees.root(b);
      if (one == other) return;
      for (const std::uint32_t tree : {one, other}) {
        Choice& choice = lightest[tree];
        if (!choice.any || edge < choice.edge) choice = {edge, a, b, true};
      }
    });
    for (Choice& choice : lightest) {
      if (!std::exchange(choice.any, false)) continue;
      if (!trees.join(choice.a, choice.b)) continue;  // the same edge was the other tree's choice
      forest.push_back(choice.edge);
      joins = true;
    }
    trees.flatten();
  }
  return forest;
}

ForestEdge edge_between(VertexId a, VertexId b, double weight) {
  return {weight, std::min(a.value(), b.value()), std::max(a.value(), b.value())};
}

/// The forest of the part's own arcs.
std::vector<ForestEdge> forest_of_part(Group& group, const GraphPart& part) {
  const Halo halo(group, part.ranges,
                  std::initializer_list<std::span<const VertexId>>{part.lists.targets.span()});
  const auto weights = part.lists.weights.span();
  return lightest_forest(halo.indices(), [&](const auto& use) {
    for (std::uint32_t v = 0; v < part.size(); ++v) {
      const VertexId vertex = part.vertex(v);
      const std::uint64_t begin = part.lists.offsets[v];
      const auto list = part.list(v);
      for (std::size_t i = 0; i < list.size(); ++i) {
        // An undirected edge is listed at both ends; of those in this range, one is enough.
        if (!part.totals.directed && list[i] < vertex && part.holds(list[i])) continue;
        const double weight = weights.empty() ? 1.0 : weights[begin + i];
        use(v, halo.index(list[i]), edge_between(vertex, list[i], weight));
      }
    }
  });
}

/// The forest of the edges of two forests.
std::vector<ForestEdge> merged(std::vector<ForestEdge> edges) {
  std::vector<std::uint32_t> ends;
  for (const ForestEdge& edge : edges) ends.insert(ends.end(), {edge.low, edge.high});
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const auto place = [&](std::uint32_t vertex) {
    return static_cast<std::uint32_t>(std::lower_bound(ends.begin(), ends.end(), vertex) -
                                      ends.begin());
  };
  return lightest_forest(static_cast<std::uint32_t>(ends.size()), [&](const auto& use) {
    for (const ForestEdge& edge : edges) use(place(edge.low), place(edge.high), edge);
  });
}

/// Node 0 returns the forest of all nodes; the others nothing. Each step halves the number of nodes with a forest. Collective.
std::vector<ForestEdge> merged_forest(Group& group, std::vector<ForestEdge> mine) {
  const std::uint32_t self = group.self().value();
  for (std::uint32_t step = 1; step < group.count(); step *= 2) {
    const std::size_t own = mine.size();
    group.begin([&](NodeId from, std::span<const std::byte> bytes) {
      group.require(from.value() == self + step && bytes.size() % sizeof(ForestEdge) == 0, from);
      const std::size_t before = mine.size();
      mine.resize(before + bytes.size() / sizeof(ForestEdge));
      std::memcpy(&mine[before], bytes.data(), bytes.size());
    });
    if (self % (2 * step) == step)
      group.send_list(NodeId(self - step), std::span<const ForestEdge>(mine).first(own));
    group.end();
    if (self % (2 * step) == step) mine.clear();
    if (mine.size() > own) mine = merged(std::move(mine));
  }
  return mine;
}

/// A vertex's parent and the weight of the edge to it.
struct ParentEdge {
  std::uint32_t parent;
  double weight;
};

/// Directs the edges of a forest on `count` vertices towards the first vertex of each tree.
std::vector<ParentEdge> rooted(std::uint32_t count, std::span<const ForestEdge> forest) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint64_t> first(count + std::size_t{2});
  for (const ForestEdge& edge : forest) {
    ++first[edge.low + std::size_t{2}];
    ++first[edge.high + std::size_t{2}];
  }
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  std::vector<ParentEdge> near(2 * forest.size());
  for (const ForestEdge& edge : forest) {
    near[first[edge.low + std::size_t{1}]++] = {edge.high, edge.weight};
    near[first[edge.high + std::size_t{1}]++] = {edge.low, edge.weight};
  }
  std::vector<ParentEdge> parents(count, {kNone, 0});
  std::vector<std::uint32_t> open;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (parents[root].parent != kNone) continue;
    parents[root].parent = root;
    open.push_back(root);
    while (!open.empty()) {
      const std::uint32_t v = open.back();
      open.pop_back();
      for (std::uint64_t i = first[v]; i < first[v + std::size_t{1}]; ++i) {
        ParentEdge& below = parents[near[i].parent];
        if (below.parent != kNone) continue;
        below = {v, near[i].weight};
        open.push_back(near[i].parent);
      }
    }
  }
  return parents;
}

}  // namespace

Result<std::vector<ForestRow>> find_forest(Group& group, const GraphPart& part) {
  const std::vector<ForestEdge> forest = merged_forest(group, forest_of_part(group, part));
  std::vector<ForestRow> rows;
  rows.reserve(part.size());
  group.begin([&](NodeId from, std::span<const std::byte> bytes) {
    const std::size_t count = bytes.size() / sizeof(ParentEdge);
    group.require(from == NodeId(0) && bytes.size() % sizeof(ParentEdge) == 0 &&
                      rows.size() + count <= part.size(),
                  from);
    for (std::size_t i = 0; i < count; ++i) {
      ParentEdge edge{};
      std::memcpy(&edge, &bytes[i * sizeof edge], sizeof edge);
      group.require(edge.parent < part.totals.vertices, from);
      const auto place = static_cast<std::uint32_t>(rows.size());
      rows.push_back({edge.parent, static_cast<std::uint32_t>(part.degree(place)), edge.weight});
    }
  });
  if (group.self() == NodeId(0)) {
    const auto parents = rooted(static_cast<std::uint32_t>(part.totals.vertices), forest);
    for (std::uint32_t node = 0; node < group.count(); ++node) {
      const NodeId to(node);
      group.send_list(to, std::span<const ParentEdge>(parents).subspan(part.ranges.first(to),
                                                                       part.ranges.size(to)));
    }
  }
  group.end();
  group.require(rows.size() == part.size(), NodeId(0));
  return rows;
}

}  // namespace leeway
