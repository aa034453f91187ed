#include "test/answers/centrality_oracles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "test/answers/oracles.h"

namespace leeway::answers {

namespace {

/// Infinity for vertices that the source does not reach.
std::vector<double> distances_from(const Lists& graph, std::uint32_t source, bool by_weight) {
  if (by_weight) return lengths(graph, source);
  std::vector<double> distances;
  for (const std::uint64_t depth : depths(graph, source)) {
    distances.push_back(depth == kNoPath ? std::numeric_limits<double>::infinity()
                                         : static_cast<double>(depth));
  }
  return distances;
}

/// Sums over the distances of a vertex from the other sources.
struct DistanceTotals {
  double others = 0, reached = 0, distances = 0, reciprocals = 0;
};

std::vector<DistanceTotals> distance_totals(const Lists& graph,
                                            const std::vector<std::uint32_t>& sources,
                                            bool by_weight) {
  std::vector<DistanceTotals> totals(graph.size());
  for (const std::uint32_t source : sources) {
    const std::vector<double> distances = distances_from(graph, source, by_weight);
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (v == source) continue;
      ++totals[v].others;
      if (std::isinf(distances[v])) continue;
      ++totals[v].reached;
      totals[v].distances += distances[v];
      if (distances[v] > 0) totals[v].reciprocals += 1 / distances[v];
    }
  }
  return totals;
}

}  // namespace

std::vector<double> closeness_from(const Lists& graph, const std::vector<std::uint32_t>& sources,
                                   bool by_weight) {
  std::vector<double> values;
  for (const DistanceTotals& each : distance_totals(graph, sources, by_weight)) {
    const bool none = each.distances == 0;
    values.push_back(none ? 0 : each.reached / each.distances * (each.reached / each.others));
  }
  return values;
}

std::vector<double> harmonic_from(const Lists& graph, const std::vector<std::uint32_t>& sources,
                                  bool by_weight) {
  std::vector<double> values;
  for (const DistanceTotals& each : distance_totals(graph, sources, by_weight)) {
    const double share = each.others == 0 ? 0 : (graph.size() - 1) / each.others;
    values.push_back(each.reciprocals * share);
  }
  return values;
}

std::vector<double> betweenness_from(const Lists& graph,
                                     const std::vector<std::uint32_t>& sources) {
  std::vector<double> values(graph.size());
  for (const std::uint32_t source : sources) {
    const std::vector<std::uint64_t> depth = depths(graph, source);
    std::vector<std::uint32_t> order;  // by distance
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (depth[v] != kNoPath) order.push_back(v);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return depth[a] < depth[b]; });
    std::vector<double> paths(graph.size());
    paths[source] = 1;
    for (const std::uint32_t v : order) {
      for (const Lists::Arc& arc : graph.out[v]) {
        if (depth[arc.to] == depth[v] + 1) paths[arc.to] += paths[v];
      }
    }
    std::vector<double> dependency(graph.size());
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
      for (const Lists::Arc& arc : graph.out[*v]) {
        if (depth[arc.to] != depth[*v] + 1) continue;
        dependency[*v] += paths[*v] / paths[arc.to] * (1 + dependency[arc.to]);
      }
      if (*v != source) values[*v] += dependency[*v];
    }
  }
  const auto n = static_cast<double>(graph.size());
  if (graph.size() <= 2 || sources.empty()) return values;
  for (double& value : values)
    value *= n / static_cast<double>(sources.size()) / ((n - 1) * (n - 2));
  return values;
}

namespace {

double weight_of(const Lists::Arc& arc, bool by_weight) { return by_weight ? arc.weight : 1; }

long double sum_of(const std::vector<long double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0L);
}

}  // namespace

double default_attenuation(const Lists& graph, bool by_weight) {
  double most = 0;
  for (const auto& arcs : graph.out) {
    double sum = 0;
    for (const Lists::Arc& arc : arcs) sum += weight_of(arc, by_weight);
    most = std::max(most, sum);
  }
  return 1 / (1 + most);
}

std::vector<long double> walk_sums(const Lists& graph, double attenuation, bool by_weight) {
  const std::uint32_t size = graph.size();
  EquationRows rows(size, std::vector<long double>(size + std::size_t{1}));
  for (std::uint32_t v = 0; v < size; ++v) {
    rows[v][v] += 1;
    rows[v][size] = 1;
    for (const Lists::Arc& arc : graph.out[v])
      rows[arc.to][v] -= static_cast<long double>(attenuation) * weight_of(arc, by_weight);
  }
  return eliminate(std::move(rows));
}

namespace {

/// The sum over v of |now[v] - before[v]|.
long double change_between(const std::vector<long double>& before,
                           const std::vector<long double>& now) {
  long double change = 0;
  for (std::size_t v = 0; v < now.size(); ++v) change += std::abs(now[v] - before[v]);
  return change;
}

void divide_by(std::vector<long double>& values, long double divisor) {
  if (divisor == 0) return;
  for (long double& value : values) value /= divisor;
}

}  // namespace

PowerSteps eigenvector_after(const Lists& graph, std::uint32_t steps, bool by_weight,
                             double tolerance) {
  PowerSteps found;
  std::vector<long double>& values = found.vector;
  values.assign(graph.size(), 1.0L / std::max(graph.size(), 1U));
  found.converged = steps > 0 || graph.size() == 0;
  const std::uint32_t most = steps == 0 ? kMostSteps : steps;
  for (std::uint32_t step = 0; step < most; ++step) {
    std::vector<long double> next(values);
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v])
        next[arc.to] += weight_of(arc, by_weight) * values[v];
    }
    // The run divides by the sum of the values before the step; its changes include that of the sum.
    const long double sum = sum_of(values);
    divide_by(next, sum);
    const long double change = change_between(values, next) / sum;
    values = std::move(next);
    if (steps > 0 || change > tolerance) continue;
    found.converged = true;
    break;
  }
  long double squares = 0;
  for (const long double value : values) squares += value * value;
  divide_by(values, std::sqrt(squares));
  return found;
}

PowerSteps hubs_after(const Lists& graph, std::uint32_t steps, double tolerance) {
  PowerSteps found;
  std::vector<long double>& hubs = found.vector;
  std::vector<long double>& authorities = found.other;
  hubs.assign(graph.size(), 1.0L / std::max(graph.size(), 1U));
  authorities.assign(graph.size(), 0);
  found.converged = steps > 0 || graph.size() == 0;
  const std::uint32_t most = steps == 0 ? kMostSteps : steps;
  for (std::uint32_t step = 1; step <= most; ++step) {
    std::vector<long double> next(graph.size());
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v]) {
        if (step % 2 == 1)
          next[arc.to] += hubs[v];
        else
          next[v] += authorities[arc.to];
      }
    }
    divide_by(next, sum_of(next));
    std::vector<long double>& old = step % 2 == 1 ? authorities : hubs;
    const long double change = change_between(old, next);
    old = std::move(next);
    if (steps > 0 || step < 3 || change > tolerance) continue;
    found.converged = true;
    break;
  }
  return found;
}

double lightest_between(const Lists& graph, std::uint32_t a, std::uint32_t b) {
  double lightest = std::numeric_limits<double>::infinity();
  for (const Lists::Arc& arc : graph.out[a]) {
    if (arc.to == b) lightest = std::min(lightest, arc.weight);
  }
  for (const Lists::Arc& arc : graph.out[b]) {
    if (arc.to == a) lightest = std::min(lightest, arc.weight);
  }
  return lightest;
}

std::vector<double> forest_weights(const Lists& graph) {
  std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (const Lists::Arc& arc : graph.out[v]) edges.emplace_back(arc.weight, v, arc.to);
  }
  std::sort(edges.begin(), edges.end());
  std::vector<std::uint32_t> tree(graph.size());
  std::iota(tree.begin(), tree.end(), 0U);
  std::vector<double> weights;
  for (const auto& [weight, a, b] : edges) {
    const std::uint32_t kept = tree[a], gone = tree[b];
    if (kept == gone) continue;
    std::replace(tree.begin(), tree.end(), gone, kept);
    weights.push_back(weight);
  }
  return weights;
}

long double quality_of(const Lists& graph, const std::vector<std::uint32_t>& communities,
                       double resolution, bool by_weight) {
  long double all = 0, within = 0;
  std::map<std::uint32_t, long double> strength;  // by community: each edge counts at both ends
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (const Lists::Arc& arc : graph.out[v]) {
      const bool listed_twice = !graph.directed && arc.to != v;
      const long double weight = weight_of(arc, by_weight) / (listed_twice ? 2.0L : 1.0L);
      all += weight;
      if (communities[v] == communities[arc.to]) within += weight;
      strength[communities[v]] += weight;
      strength[communities[arc.to]] += weight;
    }
  }
  if (all == 0) return 0;
  long double expected = 0;
  for (const auto& [community, sum] : strength) expected += sum / (2 * all) * (sum / (2 * all));
  return within / all - resolution * expected;
}

}  // namespace leeway::answers
