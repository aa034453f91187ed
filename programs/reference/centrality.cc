#include "programs/reference/centrality.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "programs/reference/oracles.h"

namespace leeway::reference {

namespace {

/// Calls use(source, target, weight) for every arc; the weight is 1 unless `by_weight`.
template <class Use>
void each_arc(const Graph& graph, bool by_weight, const Use& use) {
  for (VertexId v(0); v.value() < graph.vertex_count(); v = v.next()) {
    const auto targets = graph.neighbors(v);
    for (std::size_t i = 0; i < targets.size(); ++i)
      use(v.index(), targets[i].index(), by_weight ? graph.weights(v)[i] : 1.0);
  }
}

/// The largest |a - factor b| for the best factor, as a share of the largest |a|.
double distance_from_multiple(std::span<const double> a, std::span<const double> b) {
  double ab = 0;
  double bb = 0;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    bb += b[i] * b[i];
    largest = std::max(largest, std::abs(a[i]));
  }
  if (largest == 0) return 0;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - ab / bb * b[i]));
  return most / largest;
}

}  // namespace

std::vector<double> katz(const Graph& graph, double attenuation, bool by_weight) {
  std::vector<double> x(graph.vertex_count(), 1);
  constexpr int kMostSteps = 1'000'000;
  for (int step = 0; step < kMostSteps; ++step) {
    std::vector<double> next(x.size(), 1);
    each_arc(graph, by_weight, [&](std::size_t source, std::size_t target, double weight) {
      next[target] += attenuation * weight * x[source];
    });
    double moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      moved = std::max(moved, std::abs(next[i] - x[i]) / next[i]);
    x.swap(next);
    if (moved < 1e-14) break;
  }
  double squares = 0;
  for (const double value : x) squares += value * value;
  for (double& value : x) value /= std::sqrt(squares);
  return x;
}

double eigenvector_error(const Graph& graph, std::span<const double> values, bool by_weight) {
  std::vector<double> next(values.size());
  each_arc(graph, by_weight, [&](std::size_t source, std::size_t target, double weight) {
    next[target] += weight * values[source];
  });
  if (std::any_of(values.begin(), values.end(), [](double value) { return value < 0; }))
    return std::numeric_limits<double>::infinity();
  return distance_from_multiple(next, values);
}

double hubs_error(const Graph& graph, std::span<const float> hubs_authorities) {
  const std::size_t count = hubs_authorities.size() / 2;
  std::vector<double> hubs(count);
  std::vector<double> authorities(count);
  for (std::size_t i = 0; i < count; ++i) {
    hubs[i] = hubs_authorities[2 * i];
    authorities[i] = hubs_authorities[2 * i + 1];
  }
  std::vector<double> next_hubs(count);
  std::vector<double> next_authorities(count);
  each_arc(graph, false, [&](std::size_t source, std::size_t target, double) {
    next_hubs[source] += authorities[target];
    next_authorities[target] += hubs[source];
  });
  if (std::any_of(hubs_authorities.begin(), hubs_authorities.end(),
                  [](float value) { return value < 0; }))
    return std::numeric_limits<double>::infinity();
  return std::max(distance_from_multiple(next_hubs, hubs),
                  distance_from_multiple(next_authorities, authorities));
}

namespace {

std::vector<double> distances_from(const Graph& graph, VertexId source, bool by_weight) {
  if (by_weight) return shortest_distances(graph, source);
  std::vector<double> distances;
  for (const std::uint64_t depth : depths(graph, source))
    distances.push_back(depth == kUnreached ? std::numeric_limits<double>::infinity()
                                            : static_cast<double>(depth));
  return distances;
}

}  // namespace

std::vector<double> closeness(const Graph& graph, std::span<const VertexId> sources,
                              bool by_weight) {
  const std::size_t count = graph.vertex_count();
  std::vector<double> total(count);
  std::vector<double> reached(count);
  std::vector<double> others(count, static_cast<double>(sources.size()));
  for (const VertexId source : sources) {
    const std::vector<double> distance = distances_from(graph, source, by_weight);
    others[source.index()] -= 1;
    for (std::size_t v = 0; v < count; ++v) {
      if (v == source.index() || std::isinf(distance[v])) continue;
      total[v] += distance[v];
      reached[v] += 1;
    }
  }
  std::vector<double> result(count);
  for (std::size_t v = 0; v < count; ++v) {
    if (total[v] > 0) result[v] = reached[v] / total[v] * (reached[v] / others[v]);
  }
  return result;
}

std::vector<double> harmonic(const Graph& graph, std::span<const VertexId> sources,
                             bool by_weight) {
  const std::size_t count = graph.vertex_count();
  std::vector<double> result(count);
  std::vector<double> others(count, static_cast<double>(sources.size()));
  for (const VertexId source : sources) {
    const std::vector<double> distance = distances_from(graph, source, by_weight);
    others[source.index()] -= 1;
    for (std::size_t v = 0; v < count; ++v) {
      if (v != source.index() && distance[v] > 0) result[v] += 1 / distance[v];
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    if (others[v] > 0) result[v] *= static_cast<double>(count - 1) / others[v];
  }
  return result;
}

std::vector<double> dependencies(const Graph& graph, const std::vector<VertexId>& sources) {
  std::vector<double> total(graph.vertex_count());
  for (const VertexId source : sources) {
    std::vector<double> paths(total.size());
    std::vector<double> dependency(total.size());
    std::vector<std::int64_t> depth(total.size(), -1);
    std::vector<VertexId> order = {source};
    paths[source.index()] = 1;
    depth[source.index()] = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const VertexId v = order[i];
      for (const VertexId w : graph.neighbors(v)) {
        if (depth[w.index()] < 0) {
          depth[w.index()] = depth[v.index()] + 1;
          order.push_back(w);
        }
        if (depth[w.index()] == depth[v.index()] + 1) paths[w.index()] += paths[v.index()];
      }
    }
    for (auto each = order.rbegin(); each != order.rend(); ++each) {
      const std::size_t v = each->index();
      for (const VertexId w : graph.neighbors(*each)) {
        if (depth[w.index()] == depth[v] + 1)
          dependency[v] += paths[v] / paths[w.index()] * (1 + dependency[w.index()]);
      }
      if (*each != source) total[v] += dependency[v];
    }
  }
  return total;
}

}  // namespace leeway::reference
