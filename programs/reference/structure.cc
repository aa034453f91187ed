#include "programs/reference/structure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"

namespace leeway::reference {

std::vector<std::uint64_t> core_numbers(const Graph& graph) {
  const Lists joined = both_ways(graph);
  std::vector<std::uint64_t> degree(graph.vertex_count());
  std::set<std::pair<std::uint64_t, std::uint32_t>> by_degree;
  for (std::uint32_t v = 0; v < degree.size(); ++v) {
    for (const std::uint32_t u : joined.of(v)) degree[v] += u != v ? 1 : 0;
    by_degree.emplace(degree[v], v);
  }
  std::vector<std::uint64_t> core(degree.size());
  std::vector<bool> removed(degree.size());
  std::uint64_t most = 0;
  while (!by_degree.empty()) {
    const auto [least, v] = *by_degree.begin();
    by_degree.erase(by_degree.begin());
    core[v] = most = std::max(most, least);
    removed[v] = true;
    for (const std::uint32_t u : joined.of(v)) {
      if (removed[u]) continue;
      by_degree.erase({degree[u], u});
      by_degree.emplace(--degree[u], u);
    }
  }
  return core;
}

namespace {

/// Tarjan's search with an explicit stack instead of recursion.
class StrongSearch {
 public:
  explicit StrongSearch(const Graph& graph)
      : graph_(graph),
        order_(graph.vertex_count()),
        low_(graph.vertex_count()),
        next_(graph.vertex_count()),
        first_(graph.vertex_count(), kNone) {}

  std::vector<std::uint64_t> run() {
    for (std::uint32_t v = 0; v < order_.size(); ++v) {
      if (order_[v] == 0) search(v);
    }
    return std::move(first_);
  }

 private:
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  void enter(std::uint32_t v) {
    order_[v] = low_[v] = ++entered_;
    open_.push_back(v);
    path_.push_back(v);
  }
  void search(std::uint32_t root) {
    for (enter(root); !path_.empty();) {
      const std::uint32_t v = path_.back();
      const auto arcs = graph_.neighbors(VertexId(v));
      if (next_[v] < arcs.size()) {
        const std::uint32_t u = arcs[next_[v]++].value();
        if (order_[u] == 0) {
          enter(u);
        } else if (first_[u] == kNone) {
          low_[v] = std::min(low_[v], order_[u]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[v]);
      if (low_[v] == order_[v]) close(v);
    }
  }
  void close(std::uint32_t root) {
    const auto begin = std::find(open_.rbegin(), open_.rend(), root).base() - 1;
    const std::uint32_t first = *std::min_element(begin, open_.end());
    std::for_each(begin, open_.end(), [&](std::uint32_t v) { first_[v] = first; });
    open_.erase(begin, open_.end());
  }

  const Graph& graph_;
  std::vector<std::uint64_t> order_;  // by vertex, from 1; 0: not entered
  std::vector<std::uint64_t> low_;
  std::vector<std::size_t> next_;  // the next arc of a vertex on the path
  std::vector<std::uint64_t> first_;
  std::vector<std::uint32_t> path_;
  std::vector<std::uint32_t> open_;
  std::uint64_t entered_ = 0;
};

}  // namespace

std::vector<std::uint64_t> strong_components(const Graph& graph) {
  return StrongSearch(graph).run();
}

std::optional<VertexId> first_outside_rule(const Graph& graph,
                                           std::span<const std::uint64_t> in_set) {
  const Lists joined = both_ways(graph);
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const auto near = joined.of(v);
    const bool near_set = std::any_of(near.begin(), near.end(),
                                      [&](std::uint32_t u) { return u != v && in_set[u] > 0; });
    if (near_set == (in_set[v] > 0)) return VertexId(v);
  }
  return std::nullopt;
}

std::vector<std::uint64_t> sides(const Graph& graph) {
  const Lists joined = both_ways(graph);
  constexpr std::uint64_t kOpen = 2;
  std::vector<std::uint64_t> side(graph.vertex_count(), kOpen);
  for (std::uint32_t first = 0; first < side.size(); ++first) {
    if (side[first] != kOpen) continue;
    std::vector<std::uint32_t> component = {first};
    side[first] = 0;
    bool odd = false;
    for (std::size_t i = 0; i < component.size(); ++i) {
      const std::uint32_t v = component[i];
      for (const std::uint32_t u : joined.of(v)) {
        odd = odd || side[u] == side[v];
        if (side[u] != kOpen) continue;
        side[u] = 1 - side[v];
        component.push_back(u);
      }
    }
    if (!odd) continue;
    for (const std::uint32_t v : component) side[v] = kNoSide;
  }
  return side;
}

namespace {

struct WeightedEnd {
  std::uint32_t vertex;
  double weight;
};

/// The arcs of each vertex in both directions, with their weights.
std::vector<std::vector<WeightedEnd>> joined_arcs(const Graph& graph) {
  std::vector<std::vector<WeightedEnd>> arcs(graph.vertex_count());
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double weight = graph.weighted() ? graph.weights(VertexId(v))[i] : 1.0;
      arcs[v].push_back({list[i].value(), weight});
      arcs[list[i].index()].push_back({v, weight});
    }
  }
  return arcs;
}

Error no_forest(const Graph& graph, std::uint32_t vertex, const std::string& problem) {
  return {ErrorKind::Environment, format("vertex {}", graph.names().name(VertexId(vertex))),
          "the result is wrong: " + problem,
          "this is a bug of Leeway: report it, with the command and the graph"};
}

}  // namespace

double modularity(const Graph& graph, std::span<const std::uint64_t> communities, double resolution,
                  bool by_weight) {
  std::unordered_map<std::uint64_t, double> strength;
  double within = 0;
  double all = 0;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::uint32_t u = list[i].value();
      // An undirected edge is listed at both ends, but a loop once.
      const double ends = graph.directed() || u == v ? 2 : 1;
      const double weight = ends * (by_weight ? graph.weights(VertexId(v))[i] : 1.0);
      strength[communities[v]] += weight / 2;
      strength[communities[u]] += weight / 2;
      if (communities[u] == communities[v]) within += weight;
      all += weight;
    }
  }
  if (all == 0) return 0;
  double squares = 0;
  for (const auto& [community, sum] : strength) squares += sum / all * (sum / all);
  return within / all - resolution * squares;
}

Result<double> forest_weight(const Graph& graph, std::span<const std::uint64_t> parents) {
  const auto arcs = joined_arcs(graph);
  const std::vector<std::uint32_t> component = components(graph);
  double sum = 0;
  for (std::uint32_t v = 0; v < parents.size(); ++v) {
    const std::uint64_t parent = parents[v];
    if ((parent == v) != (component[v] == v))
      return fail(no_forest(graph, v, "only the first vertex of a component is a root"));
    std::uint64_t above = v;
    for (std::size_t step = 0; parents[above] != above; above = parents[above]) {
      if (++step > parents.size()) return fail(no_forest(graph, v, "its parents form a cycle"));
    }
    if (above != component[v]) return fail(no_forest(graph, v, "it has another root"));
    if (parent == v) continue;
    double lightest = std::numeric_limits<double>::infinity();
    for (const WeightedEnd& end : arcs[v]) {
      if (end.vertex == parent) lightest = std::min(lightest, end.weight);
    }
    if (std::isinf(lightest)) return fail(no_forest(graph, v, "no arc leads to its parent"));
    sum += lightest;
  }
  return sum;
}

double least_forest_weight(const Graph& graph) {
  const auto arcs = joined_arcs(graph);
  std::vector<bool> taken(graph.vertex_count());
  using Reached = std::pair<double, std::uint32_t>;
  double sum = 0;
  for (std::uint32_t root = 0; root < taken.size(); ++root) {
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> nearest;
    for (nearest.emplace(0.0, root); !nearest.empty();) {
      const auto [weight, v] = nearest.top();
      nearest.pop();
      if (taken[v]) continue;
      taken[v] = true;
      if (v != root) sum += weight;
      for (const WeightedEnd& end : arcs[v]) {
        if (!taken[end.vertex]) nearest.emplace(end.weight, end.vertex);
      }
    }
  }
  return sum;
}

}  // namespace leeway::reference
