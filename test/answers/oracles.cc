#include "test/answers/oracles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace leeway::answers {

std::vector<double> lengths(const Lists& graph, std::uint32_t source) {
  std::vector<double> length(graph.size(), std::numeric_limits<double>::infinity());
  if (source >= graph.size()) return length;
  length[source] = 0;
  for (bool better = true; better;) {
    better = false;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v]) {
        if (!(length[v] + arc.weight < length[arc.to])) continue;
        length[arc.to] = length[v] + arc.weight;
        better = true;
      }
    }
  }
  return length;
}

std::vector<std::uint64_t> depths(const Lists& graph, std::uint32_t source) {
  std::vector<std::uint64_t> depth(graph.size(), kNoPath);
  if (source >= graph.size()) return depth;
  depth[source] = 0;
  for (std::uint64_t level = 0; level < graph.size(); ++level) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (depth[v] != level) continue;
      for (const Lists::Arc& arc : graph.out[v]) depth[arc.to] = std::min(depth[arc.to], level + 1);
    }
  }
  return depth;
}

std::vector<std::size_t> cores(const Lists& graph) {
  std::vector<std::size_t> core(graph.size());
  for (std::size_t k = 1;; ++k) {
    std::vector<bool> in(graph.size(), true);
    for (bool removed = true; removed;) {
      std::vector<std::size_t> degree(graph.size());
      for (std::uint32_t v = 0; v < graph.size(); ++v) {
        for (const Lists::Arc& arc : graph.out[v]) {
          if (arc.to == v || !in[v] || !in[arc.to]) continue;
          ++degree[v];
          if (graph.directed) ++degree[arc.to];
        }
      }
      removed = false;
      for (std::uint32_t v = 0; v < graph.size(); ++v) {
        if (!in[v] || degree[v] >= k) continue;
        in[v] = false;
        removed = true;
      }
    }
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (in[v]) core[v] = k;
    }
    if (std::find(in.begin(), in.end(), true) == in.end()) break;
  }
  return core;
}

std::vector<std::uint32_t> smallest_in_cycles(const Lists& graph) {
  std::vector<std::vector<bool>> reaches;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    std::vector<bool> reached(graph.size());
    std::vector<std::uint32_t> open = {v};
    reached[v] = true;
    while (!open.empty()) {
      const std::uint32_t u = open.back();
      open.pop_back();
      for (const Lists::Arc& arc : graph.out[u]) {
        if (reached[arc.to]) continue;
        reached[arc.to] = true;
        open.push_back(arc.to);
      }
    }
    reaches.push_back(std::move(reached));
  }
  std::vector<std::uint32_t> smallest(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    while (!reaches[v][smallest[v]] || !reaches[smallest[v]][v]) ++smallest[v];
  }
  return smallest;
}

std::vector<std::uint32_t> parities(const Lists& graph) {
  const std::vector<std::uint32_t> component = smallest_joined(graph);
  // Bit p: a walk of parity p leads there from the first vertex.
  std::vector<unsigned> walks(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    if (component[v] == v) walks[v] = 1;
  }
  for (bool found = true; found;) {
    found = false;
    const auto walk = [&](std::uint32_t from, std::uint32_t to) {
      const unsigned more = walks[to] | (walks[from] & 1U) << 1U | walks[from] >> 1U;
      found = found || more != walks[to];
      walks[to] = more;
    };
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v]) {
        walk(v, arc.to);
        walk(arc.to, v);
      }
    }
  }
  std::vector<std::uint32_t> parity(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) parity[v] = walks[v] == 3 ? 2 : walks[v] - 1;
  return parity;
}

namespace {

/// Adds path counts; the sum saturates at kMostPaths + 1.
std::uint64_t add_counts(std::uint64_t a, std::uint64_t b) {
  return a > kMostPaths || b > kMostPaths ? kMostPaths + 1 : std::min(a + b, kMostPaths + 1);
}

}  // namespace

std::vector<std::uint64_t> path_counts(const Lists& graph, std::uint32_t source) {
  std::vector<std::uint64_t> count(graph.size());
  if (source >= graph.size()) return count;
  // walks[v]: number of walks with exactly `arcs` arcs. A walk with as many arcs as vertices
  // contains a cycle.
  std::vector<std::uint64_t> walks(graph.size());
  walks[source] = count[source] = 1;
  const std::uint64_t laps = 2 * graph.size();
  for (std::uint64_t arcs = 1; arcs <= laps; ++arcs) {
    std::vector<std::uint64_t> next(graph.size());
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v]) {
        if (arc.to != source) next[arc.to] = add_counts(next[arc.to], walks[v]);
      }
    }
    walks.swap(next);
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      const bool endless = walks[v] > 0 && arcs >= graph.size();
      count[v] = endless ? kMostPaths + 1 : add_counts(count[v], walks[v]);
    }
  }
  return count;
}

std::vector<std::uint64_t> shortest_path_counts(const Lists& graph, std::uint32_t source) {
  const std::vector<std::uint64_t> depth = depths(graph, source);
  std::vector<std::uint64_t> count(graph.size());
  if (source >= graph.size()) return count;
  count[source] = 1;
  for (std::uint64_t level = 0; level < graph.size(); ++level) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      if (depth[v] != level) continue;
      for (const Lists::Arc& arc : graph.out[v]) {
        if (depth[arc.to] != level + 1) continue;
        count[arc.to] = add_counts(count[arc.to], count[v]);
      }
    }
  }
  return count;
}

std::vector<std::uint32_t> smallest_joined(const Lists& graph) {
  std::vector<std::uint32_t> label(graph.size());
  std::iota(label.begin(), label.end(), 0U);
  for (bool better = true; better;) {
    better = false;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const Lists::Arc& arc : graph.out[v]) {
        const std::uint32_t least = std::min(label[v], label[arc.to]);
        better = better || label[v] != least || label[arc.to] != least;
        label[v] = label[arc.to] = least;
      }
    }
  }
  return label;
}

std::vector<std::uint32_t> next_labels(const Lists& graph, const std::vector<std::uint32_t>& labels,
                                       bool own_counts) {
  const auto near = graph.both_ways();
  std::vector<std::uint32_t> next(labels);
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    std::map<std::uint32_t, std::size_t> votes;
    for (const std::uint32_t u : near[v]) ++votes[labels[u]];
    if (own_counts && !near[v].empty()) ++votes[labels[v]];
    std::size_t most = 0;
    for (const auto& [label, count] :
         votes) {  // labels are in ascending order: the first of equals is the smallest
      if (count <= most) continue;
      most = count;
      next[v] = label;
    }
  }
  return next;
}

std::vector<std::uint64_t> triangles(const Lists& graph) {
  std::vector<std::set<std::uint32_t>> near(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (const Lists::Arc& arc : graph.out[v]) near[v].insert(arc.to);
  }
  std::vector<std::uint64_t> corners(graph.size());
  for (std::uint32_t a = 0; a < graph.size(); ++a) {
    for (const std::uint32_t b : near[a]) {
      for (const std::uint32_t c : near[b]) {
        if (a >= b || b >= c || !near[a].contains(c)) continue;
        for (const std::uint32_t corner : {a, b, c}) ++corners[corner];
      }
    }
  }
  return corners;
}

std::vector<double> clustering(const Lists& graph) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> arcs;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    for (const Lists::Arc& arc : graph.out[v]) {
      if (arc.to != v) arcs.emplace(v, arc.to);
    }
  }
  std::vector<double> share(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    std::vector<std::uint32_t> near;
    for (std::uint32_t u = 0; u < graph.size(); ++u) {
      if (arcs.contains({v, u}) || arcs.contains({u, v})) near.push_back(u);
    }
    std::size_t joined = 0;
    for (const std::uint32_t u : near) {
      for (const std::uint32_t w : near) joined += arcs.contains({u, w}) ? 1 : 0;
    }
    if (near.size() > 1) {
      share[v] = static_cast<double>(joined) / static_cast<double>(near.size() * (near.size() - 1));
    }
  }
  return share;
}

namespace {

constexpr std::uint32_t kMostRounds = 20'000;

/// One round of power iteration; returns the change.
long double round_of(const Lists& graph, long double damping, bool spread,
                     std::vector<long double>& rank) {
  const auto count = static_cast<long double>(graph.size());
  std::vector<long double> next(graph.size(), (1 - damping) / count);
  long double everywhere = 0;  // the share of vertices without arcs that each vertex gets
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    const auto& arcs = graph.out[v];
    for (const Lists::Arc& arc : arcs)
      next[arc.to] += damping * rank[v] / static_cast<long double>(arcs.size());
    if (arcs.empty() && spread) everywhere += damping * rank[v] / count;
  }
  for (long double& each : next) each += everywhere;
  long double moved = 0;
  for (std::size_t i = 0; i < rank.size(); ++i) moved += std::abs(next[i] - rank[i]);
  rank = std::move(next);
  return moved;
}

std::vector<long double> iterate(const Lists& graph, double damping, std::uint32_t rounds,
                                 bool spread, long double start) {
  std::vector<long double> rank(graph.size(), start / static_cast<long double>(graph.size()));
  const std::uint32_t most = rounds == 0 ? kMostRounds : rounds;
  for (std::uint32_t i = 0; i < most; ++i) {
    const long double moved = round_of(graph, damping, spread, rank);
    if (rounds == 0 && moved < 1e-18L) break;
  }
  return rank;
}

}  // namespace

std::vector<long double> page_ranks(const Lists& graph, double damping, std::uint32_t rounds) {
  return iterate(graph, damping, rounds, true, 1);
}

std::vector<long double> leaking_ranks(const Lists& graph, double damping, std::uint32_t rounds,
                                       bool nothing) {
  const long double start = nothing ? 1 - static_cast<long double>(damping) : 1;
  std::vector<long double> rank = iterate(graph, damping, rounds, false, start);
  const long double sum = std::accumulate(rank.begin(), rank.end(), 0.0L);
  for (long double& each : rank) each /= sum;
  return rank;
}

std::vector<long double> eliminate(EquationRows matrix) {
  const std::size_t n = matrix.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(matrix[i][k]) > std::abs(matrix[best][k])) best = i;
    }
    std::swap(matrix[k], matrix[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double share = matrix[i][k] / matrix[k][k];
      if (share == 0) continue;
      for (std::size_t j = k; j <= n; ++j) matrix[i][j] -= share * matrix[k][j];
    }
  }
  std::vector<long double> x(n);
  for (std::size_t k = n; k-- > 0;) {
    long double sum = matrix[k][n];
    for (std::size_t j = k + 1; j < n; ++j) sum -= matrix[k][j] * x[j];
    x[k] = sum / matrix[k][k];
  }
  return x;
}

namespace {

void fill_row(const Lists& graph, std::uint32_t v, std::vector<long double>& row) {
  if (graph.weighted) {
    for (const Lists::Arc& arc : graph.out[v]) row[arc.to] += arc.weight;
    row.back() = 1;
    return;
  }
  long double degree = 0;
  for (const Lists::Arc& arc : graph.out[v]) {
    if (arc.to == v) continue;
    row[arc.to] -= 1;
    degree += 1;
  }
  row[v] = degree == 0 ? 1 : degree * 5 / 4;
  row.back() = v % 16 != 0 ? 0 : std::max(degree, 1.0L);
}

}  // namespace

std::vector<long double> jacobi_values(const Lists& graph, const GivenCells& given,
                                       std::uint32_t ticks) {
  const auto value_in = [](const std::vector<double>& values, std::uint32_t v) {
    return std::isnan(values[v]) ? 0.0L : static_cast<long double>(values[v]);
  };
  std::vector<long double> now(graph.size());
  for (std::uint32_t v = 0; v < graph.size() && !given.start.empty(); ++v)
    now[v] = value_in(given.start, v);
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    std::vector<long double> next;
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      long double rest = given.rhs.empty() ? 1 : value_in(given.rhs, v);
      long double own = 0;
      for (const Lists::Arc& arc : graph.out[v]) {
        if (arc.to == v)
          own += arc.weight;
        else
          rest -= arc.weight * now[arc.to];
      }
      next.push_back(rest / own);
    }
    now = std::move(next);
  }
  return now;
}

Rest rest_of(const Lists& graph, const GivenCells& given) {
  constexpr long double kOutweighed = 0.95L;
  Rest rest;
  EquationRows matrix(graph.size(), std::vector<long double>(graph.size() + 1));
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    fill_row(graph, v, matrix[v]);
    if (!given.rhs.empty()) matrix[v].back() = std::isnan(given.rhs[v]) ? 0 : given.rhs[v];
    if (!given.fixed.empty() && !std::isnan(given.fixed[v])) {
      std::fill(matrix[v].begin(), matrix[v].end(), 0);
      matrix[v][v] = 1;
      matrix[v].back() = given.fixed[v];
    }
    long double others = 0;
    for (std::uint32_t u = 0; u < graph.size(); ++u) {
      if (u != v) others += std::abs(matrix[v][u]);
    }
    rest.divided_by_zero = rest.divided_by_zero || matrix[v][v] == 0;
    rest.dominant = rest.dominant && others <= kOutweighed * std::abs(matrix[v][v]);
  }
  if (!rest.divided_by_zero && rest.dominant) rest.heat = eliminate(std::move(matrix));
  return rest;
}

}  // namespace leeway::answers
