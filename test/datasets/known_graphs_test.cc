#include "datasets/known_graphs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

using namespace leeway;

namespace {

constexpr std::uint32_t kFar = 1'000'000;

bool joined(const Graph& graph, std::uint32_t a, std::uint32_t b) {
  const auto list = graph.neighbors(VertexId(a));
  return std::find(list.begin(), list.end(), VertexId(b)) != list.end();
}

/// Distances between all pairs, in edges (Floyd and Warshall).
std::vector<std::vector<std::uint32_t>> all_hops(const Graph& graph) {
  const std::uint32_t n = graph.vertex_count();
  std::vector<std::vector<std::uint32_t>> hops(n, std::vector<std::uint32_t>(n, kFar));
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n; ++b) hops[a][b] = a == b ? 0 : joined(graph, a, b) ? 1 : kFar;
  }
  for (std::uint32_t k = 0; k < n; ++k) {
    for (std::uint32_t a = 0; a < n; ++a) {
      for (std::uint32_t b = 0; b < n; ++b)
        hops[a][b] = std::min(hops[a][b], hops[a][k] + hops[k][b]);
    }
  }
  return hops;
}

bool colourable(const Graph& graph, std::uint32_t colours, std::vector<std::uint32_t>& colour) {
  const auto v = static_cast<std::uint32_t>(colour.size());
  if (v == graph.vertex_count()) return true;
  const std::uint32_t used =
      colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
  for (std::uint32_t c = 0; c < std::min(colours, used + 1); ++c) {
    bool free = true;
    for (std::uint32_t u = 0; u < v; ++u) free = free && !(colour[u] == c && joined(graph, u, v));
    if (!free) continue;
    colour.push_back(c);
    if (colourable(graph, colours, colour)) return true;
    colour.pop_back();
  }
  return false;
}

std::uint32_t chromatic_number(const Graph& graph) {
  for (std::uint32_t colours = 1;; ++colours) {
    std::vector<std::uint32_t> colour;
    if (colourable(graph, colours, colour)) return colours;
  }
}

std::uint64_t triangles(const Graph& graph) {
  std::uint64_t count = 0;
  for (std::uint32_t a = 0; a < graph.vertex_count(); ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      for (std::uint32_t c = 0; c < b; ++c) {
        count += joined(graph, a, b) && joined(graph, b, c) && joined(graph, a, c) ? 1 : 0;
      }
    }
  }
  return count;
}

/// The girth: for each edge, the distance of its ends without it, plus one.
std::uint32_t girth(const Graph& graph) {
  std::uint32_t best = kFar;
  for (std::uint32_t a = 0; a < graph.vertex_count(); ++a) {
    for (const VertexId b : graph.neighbors(VertexId(a))) {
      std::vector<std::uint32_t> hops(graph.vertex_count(), kFar);
      std::vector<std::uint32_t> front = {a};
      hops[a] = 0;
      for (std::size_t i = 0; i < front.size(); ++i) {
        for (const VertexId next : graph.neighbors(VertexId(front[i]))) {
          if ((front[i] == a && next == b) || hops[next.index()] != kFar) continue;
          hops[next.index()] = hops[front[i]] + 1;
          front.push_back(next.value());
        }
      }
      best = std::min(best, hops[b.index()] + 1);
    }
  }
  return best;
}

std::vector<double> distances(const Graph& graph) {
  std::vector<double> best(graph.vertex_count(), std::numeric_limits<double>::infinity());
  best[0] = 0;
  for (std::uint32_t round = 0; round < graph.vertex_count(); ++round) {
    for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
      for (std::size_t i = 0; i < graph.degree(VertexId(v)); ++i) {
        double& other = best[graph.neighbors(VertexId(v))[i].index()];
        other = std::min(other, best[v] + graph.weights(VertexId(v))[i]);
      }
    }
  }
  return best;
}

}  // namespace

TEST_CASE("the stated properties of each known graph are those counted") {
  for (const KnownGraph& known : known_graphs()) {
    CAPTURE(std::string(known.name));
    const Graph graph = make_known_graph(known.name, {}).value();
    const KnownAnswers& answers = known.answers;
    REQUIRE(graph.vertex_count() == answers.vertices);
    REQUIRE(graph.edge_count() == answers.edges);
    REQUIRE(triangles(graph) == answers.triangles);
    REQUIRE(chromatic_number(graph) == answers.chromatic_number);
    REQUIRE(girth(graph) == answers.girth);
    REQUIRE(answers.degrees.size() == answers.vertices);
    for (std::uint32_t v = 0; v < answers.vertices; ++v) {
      REQUIRE(graph.degree(VertexId(v)) == answers.degrees[v]);
    }
    const auto hops = all_hops(graph);
    std::uint32_t components = 0;
    std::uint32_t widest = 0;
    for (std::uint32_t a = 0; a < answers.vertices; ++a) {
      bool first = true;
      for (std::uint32_t b = 0; b < a; ++b) first = first && hops[a][b] >= kFar;
      components += first ? 1 : 0;
      for (std::uint32_t b = 0; b < a; ++b) widest = std::max(widest, hops[a][b]);
    }
    REQUIRE(components == answers.components);
    if (components == 1) REQUIRE(widest == answers.diameter);
    if (answers.distances.empty()) continue;
    const auto found = distances(graph);
    REQUIRE(
        std::equal(found.begin(), found.end(), answers.distances.begin(), answers.distances.end()));
  }
}

TEST_CASE("known graphs have the vertex names of their publications") {
  const Graph karate = make_known_graph("karate", {}).value();
  REQUIRE(karate.names().name(VertexId(33)) == "34");
  REQUIRE(karate.degree(*karate.names().find("34")) == 17);
}

TEST_CASE("an unknown name is refused with the nearest known one") {
  const auto graph = make_known_graph("peterson", {});
  REQUIRE_FALSE(graph);
  REQUIRE(graph.error().to_string().find("petersen") != std::string::npos);
}
