#include "leeway/programs/reference/oracles.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>

#include "leeway/base/check.h"
#include "leeway/programs/reference/lists.h"

namespace leeway::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double length(const Graph& graph, VertexId from, std::size_t place) {
  return graph.weighted() ? graph.weights(from)[place] : 1.0;
}

/// The label most often seen; of several the smallest.
std::uint64_t most_frequent(const std::unordered_map<std::uint64_t, std::uint64_t>& counts,
                            std::uint64_t otherwise) {
  std::uint64_t best = otherwise;
  std::uint64_t most = 0;
  for (const auto& [label, count] : counts) {
    if (count > most || (count == most && label < best)) {
      best = label;
      most = count;
    }
  }
  return best;
}

}  // namespace

std::vector<double> pagerank(const Graph& graph, const PageRankOptions& options) {
  const std::uint32_t n = graph.vertex_count();
  std::vector<double> rank(n, n == 0 ? 0.0 : 1.0 / n);
  std::vector<double> next(n);
  const std::uint32_t most = options.iterations.value_or(100'000);
  for (std::uint32_t i = 0; i < most && n > 0; ++i) {
    double dangling = 0;
    std::fill(next.begin(), next.end(), 0.0);
    for (VertexId v(0); v.value() < n; v = v.next()) {
      const auto neighbors = graph.neighbors(v);
      if (neighbors.empty()) dangling += rank[v.index()];
      const double share = rank[v.index()] / static_cast<double>(neighbors.size());
      for (const VertexId target : neighbors) next[target.index()] += share;
    }
    double change = 0;
    for (std::uint32_t v = 0; v < n; ++v) {
      next[v] = (1 - options.damping) / n + options.damping * (next[v] + dangling / n);
      change += std::abs(next[v] - rank[v]);
    }
    rank.swap(next);
    if (!options.iterations && change <= options.tolerance) break;
  }
  return rank;
}

std::vector<double> shortest_distances(const Graph& graph, VertexId source) {
  LEEWAY_CHECK(source.value() < graph.vertex_count());
  std::vector<double> distance(graph.vertex_count(), kInfinity);
  using Reached = std::pair<double, VertexId>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> nearest;
  distance[source.index()] = 0;
  nearest.emplace(0.0, source);
  while (!nearest.empty()) {
    const auto [reached, v] = nearest.top();
    nearest.pop();
    if (reached > distance[v.index()]) continue;
    const auto neighbors = graph.neighbors(v);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      const double through = reached + length(graph, v, i);
      if (through >= distance[neighbors[i].index()]) continue;
      distance[neighbors[i].index()] = through;
      nearest.emplace(through, neighbors[i]);
    }
  }
  return distance;
}

std::vector<std::uint64_t> depths(const Graph& graph, VertexId source) {
  LEEWAY_CHECK(source.value() < graph.vertex_count());
  std::vector<std::uint64_t> depth(graph.vertex_count(), kUnreached);
  std::deque<VertexId> frontier{source};
  depth[source.index()] = 0;
  for (; !frontier.empty(); frontier.pop_front()) {
    for (const VertexId next : graph.neighbors(frontier.front())) {
      if (depth[next.index()] != kUnreached) continue;
      depth[next.index()] = depth[frontier.front().index()] + 1;
      frontier.push_back(next);
    }
  }
  return depth;
}

std::vector<std::uint32_t> components(const Graph& graph) {
  const Lists joined = both_ways(graph);
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> component(graph.vertex_count(), kNone);
  std::vector<std::uint32_t> open;
  for (std::uint32_t first = 0; first < component.size(); ++first) {
    if (component[first] != kNone) continue;
    component[first] = first;
    open.push_back(first);
    while (!open.empty()) {
      const std::uint32_t v = open.back();
      open.pop_back();
      for (const std::uint32_t next : joined.of(v)) {
        if (component[next] != kNone) continue;
        component[next] = first;
        open.push_back(next);
      }
    }
  }
  return component;
}

std::vector<std::uint64_t> communities(const Graph& graph,
                                       std::span<const std::uint64_t> first_labels,
                                       std::uint32_t rounds, OwnLabel own) {
  LEEWAY_CHECK(first_labels.size() == graph.vertex_count());
  const Lists joined = both_ways(graph);
  std::vector<std::uint64_t> labels(first_labels.begin(), first_labels.end());
  std::vector<std::uint64_t> next(labels.size());
  std::unordered_map<std::uint64_t, std::uint64_t> counts;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t v = 0; v < labels.size(); ++v) {
      counts.clear();
      if (own == OwnLabel::Counts) ++counts[labels[v]];
      for (const std::uint32_t neighbor : joined.of(v)) ++counts[labels[neighbor]];
      next[v] = most_frequent(counts, labels[v]);
    }
    labels.swap(next);
  }
  return labels;
}

std::vector<double> clustering(const Graph& graph) {
  const Lists joined = both_ways(graph);
  std::vector<double> result(graph.vertex_count());
  std::vector<std::uint32_t> near;
  std::vector<bool> is_near(graph.vertex_count());
  for (std::uint32_t v = 0; v < result.size(); ++v) {
    near.assign(joined.of(v).begin(), joined.of(v).end());
    std::erase(near, v);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    if (near.size() < 2) continue;
    for (const std::uint32_t u : near) is_near[u] = true;
    std::uint64_t arcs = 0;
    for (const std::uint32_t u : near) {
      VertexId previous = VertexId::none();
      for (const VertexId w : graph.neighbors(VertexId(u))) {
        if (w != previous && w.value() != u && is_near[w.index()]) ++arcs;
        previous = w;
      }
    }
    for (const std::uint32_t u : near) is_near[u] = false;
    const double could = static_cast<double>(near.size()) * static_cast<double>(near.size() - 1);
    result[v] = static_cast<double>(arcs) / could;
  }
  return result;
}

std::vector<std::uint64_t> path_counts(const Graph& graph, VertexId source) {
  const std::vector<std::uint64_t> depth = depths(graph, source);
  const auto reached = [&](VertexId v) { return depth[v.index()] != kUnreached; };
  // Arcs that have not been counted yet, of those from reached vertices; none lead back to the source.
  std::vector<std::uint64_t> left(graph.vertex_count());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (!reached(v)) continue;
    for (const VertexId next : graph.neighbors(v)) ++left[next.index()];
  }
  std::vector<std::uint64_t> paths(graph.vertex_count());
  paths[source.index()] = 1;
  left[source.index()] = 0;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (std::vector<VertexId> counted = {source}; !counted.empty();) {
    const VertexId v = counted.back();
    counted.pop_back();
    for (const VertexId next : graph.neighbors(v)) {
      if (next == source) continue;
      const bool too_many =
          paths[v.index()] > kMost || paths[next.index()] > kMost - paths[v.index()];
      paths[next.index()] = too_many ? kUncounted : paths[next.index()] + paths[v.index()];
      if (--left[next.index()] == 0) counted.push_back(next);
    }
  }
  // What is left waits for an arc of a cycle.
  for (std::size_t v = 0; v < paths.size(); ++v) {
    if (left[v] > 0) paths[v] = kUncounted;
  }
  return paths;
}

Result<std::vector<std::uint64_t>> shortest_path_counts(const Graph& graph, VertexId source) {
  const std::vector<std::uint64_t> depth = depths(graph, source);
  std::vector<VertexId> order;
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    if (depth[v.index()] != kUnreached) order.push_back(v);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](VertexId a, VertexId b) { return depth[a.index()] < depth[b.index()]; });
  std::vector<std::uint64_t> paths(graph.vertex_count());
  paths[source.index()] = 1;
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const VertexId v : order) {
    for (const VertexId next : graph.neighbors(v)) {
      if (depth[next.index()] != depth[v.index()] + 1) continue;
      if (paths[next.index()] > kMost - paths[v.index()]) {
        return fail(input_error("vertex " + graph.names().name(next),
                                "more than 2^63 - 1 shortest paths lead to it",
                                "count paths from a source that is nearer, or on a sparser graph"));
      }
      paths[next.index()] += paths[v.index()];
    }
  }
  return paths;
}

std::optional<std::pair<VertexId, VertexId>> first_clash(const Graph& graph,
                                                         std::span<const std::uint32_t> colours) {
  LEEWAY_CHECK(colours.size() == graph.vertex_count());
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    for (const VertexId u : graph.neighbors(v)) {
      if (u != v && colours[u.index()] == colours[v.index()]) return std::pair(v, u);
    }
  }
  return std::nullopt;
}

}  // namespace leeway::reference
