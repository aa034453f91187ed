#include "test/answers/draw_graph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace leeway::answers {

namespace {

std::uint32_t below(std::uint32_t bound, Random& random) {
  return static_cast<std::uint32_t>(random.below(std::max(bound, 1U)));
}

std::uint32_t draw_size(Random& random) {
  if (random.chance(0.02)) return 0;
  if (random.chance(0.15)) return 1 + below(4, random);
  return 1 + below(random.chance(0.5) ? 24 : kMostVertices, random);
}

enum class Shape : std::uint8_t {
  Sparse,
  Dense,
  Path,
  Star,
  Tree,
  Cliques,
  Ring,
  Layers,
  Clusters,
  Count
};

/// Adds edges among the vertices [first, first + count).
void add_shape(Shape shape, std::uint32_t first, std::uint32_t count, Random& random,
               std::vector<InputEdge>& edges) {
  const auto add = [&](std::uint32_t a, std::uint32_t b) {
    edges.push_back({first + a, first + b});
  };
  const auto random_edges = [&](std::uint32_t some) {
    for (std::uint32_t i = 0; i < some; ++i) {
      const std::uint32_t from =
          below(count, random);  // separate, as the evaluation order of arguments is unspecified
      add(from, below(count, random));
    }
  };
  switch (shape) {
    case Shape::Sparse:
      return random_edges(1 + below(2 * count, random));
    case Shape::Dense:
      return random_edges(count * (1 + below(std::min(count, 12U), random)));
    case Shape::Path:
    case Shape::Ring:
      for (std::uint32_t v = 1; v < count; ++v) add(v - 1, v);
      if (shape == Shape::Ring && count > 1) add(count - 1, 0);
      return;
    case Shape::Star: {
      const bool inward = random.chance(0.5);
      for (std::uint32_t v = 1; v < count; ++v) inward ? add(v, 0) : add(0, v);
      return;
    }
    case Shape::Tree:
      for (std::uint32_t v = 1; v < count; ++v) add(below(v, random), v);
      return;
    case Shape::Cliques:
      for (std::uint32_t v = 0; v < count; ++v) {
        for (std::uint32_t u = v + 1; u < std::min(count, v / 5 * 5 + 5); ++u) add(v, u);
      }
      return;
    case Shape::Clusters: {
      // Dense clusters with a few links between them: components joined late are joined by a
      // distant vertex.
      const std::uint32_t side = 3 + below(8, random);
      for (std::uint32_t v = 0; v < count; ++v) {
        const std::uint32_t start = v / side * side;
        const std::uint32_t members = std::min(side, count - start);
        for (std::uint32_t i = below(4, random); i > 0; --i) add(v, start + below(members, random));
        if (random.chance(0.15)) add(v, below(count, random));
      }
      return;
    }
    default:  // layers of two vertices: path counts double per layer
      for (std::uint32_t v = 0; v + 2 < count; ++v) {
        add(v, v / 2 * 2 + 2);
        if (v / 2 * 2 + 3 < count) add(v, v / 2 * 2 + 3);
      }
  }
}

void draw_edges(InputGraph& graph, Random& random) {
  const std::uint32_t size = graph.size();
  if (size == 0) return;
  std::uint32_t first = 0;
  while (first < size) {  // one shape per component
    const bool rest = random.chance(0.6);
    const std::uint32_t count = rest ? size - first : 1 + below(size - first, random);
    const auto shape = static_cast<Shape>(random.below(static_cast<std::uint64_t>(Shape::Count)));
    if (!random.chance(0.1)) add_shape(shape, first, count, random, graph.edges);
    first += count;
  }
  for (std::uint32_t i = below(4, random); i > 0 && random.chance(0.4); --i) {
    const std::uint32_t v = below(size, random);
    graph.edges.push_back({v, v});
  }
  if (!graph.edges.empty() && random.chance(0.3)) {
    for (std::uint32_t i = below(6, random) + 1; i > 0; --i)
      graph.edges.push_back(graph.edges[random.below(graph.edges.size())]);
  }
  if (random.chance(0.3)) {
    for (std::size_t i = 0, end = graph.edges.size(); i < end; ++i) {
      if (random.chance(0.5)) graph.edges.push_back({graph.edges[i].to, graph.edges[i].from, 1});
    }
  }
  if (!random.chance(0.5)) return;
  // Random numbering, independent of the shape.
  std::vector<std::uint32_t> place(size);
  for (std::uint32_t i = 0; i < size; ++i) place[i] = i;
  for (std::uint32_t i = size; i > 1; --i) std::swap(place[i - 1], place[below(i, random)]);
  for (InputEdge& edge : graph.edges) edge = {place[edge.from], place[edge.to], edge.weight};
}

double draw_weight(int kind, Random& random) {
  switch (kind) {
    case 0:
      return static_cast<double>(random.below(10));
    case 1:
      return random.unit() * 10;
    case 2:
      return random.chance(0.5) ? 0 : static_cast<double>(random.below(3));
    case 3:
      return random.chance(0.3) ? 1e15 : static_cast<double>(random.below(100));
    default:
      return std::pow(10.0, random.unit() * 20 - 10);
  }
}

void draw_weights(InputGraph& graph, Random& random) {
  const int kind = static_cast<int>(random.below(5));
  for (InputEdge& edge : graph.edges) edge.weight = draw_weight(kind, random);
}

/// Makes diagonal entries larger than the sum of their rows, in every way of reading the edges.
void make_dominant(InputGraph& graph, Random& random) {
  std::erase_if(graph.edges, [](const InputEdge& edge) { return edge.from == edge.to; });
  std::vector<double> sum(graph.size(), 1);
  for (InputEdge& edge : graph.edges) {
    edge.weight = static_cast<double>(1 + random.below(9)) * (random.chance(0.3) ? -1 : 1);
    sum[edge.from] += std::abs(edge.weight);
    sum[edge.to] += std::abs(edge.weight);
  }
  for (std::uint32_t v = 0; v < graph.size(); ++v) graph.edges.push_back({v, v, 1.5 * sum[v]});
}

void draw_names(InputGraph& graph, std::uint32_t size, Random& random) {
  graph.words = random.chance(0.2);
  const bool sparse = random.chance(0.4);
  std::set<std::uint64_t> ids;
  for (std::uint64_t i = 0; ids.size() < size; ++i)
    ids.insert(sparse ? random() >> random.below(40) : i);
  constexpr std::array<const char*, 4> kWords = {"node-", "München_", "v.", "x:"};
  for (const std::uint64_t id : ids) {
    graph.names.push_back(graph.words ? kWords[id % kWords.size()] + std::to_string(id)
                                      : std::to_string(id));
  }
}

InputGraph draw_ratings(Random& random) {
  InputGraph graph;
  graph.form = FileForm::Ratings;
  graph.directed = false;
  graph.weighted = true;
  const std::uint32_t users = 4 + below(20, random);
  const std::uint32_t items = 4 + below(12, random);
  std::set<std::pair<std::uint32_t, std::uint32_t>> rated;
  for (std::uint32_t u = 0; u < users; ++u) {
    for (std::uint32_t i = 0; i < items; ++i) {
      if (i == u % items || u == i % users || random.chance(0.5)) rated.emplace(u, i);
    }
  }
  for (std::uint32_t u = 0; u < users; ++u) graph.names.push_back("u" + std::to_string(u + 1));
  for (std::uint32_t i = 0; i < items; ++i) graph.names.push_back("i" + std::to_string(i + 1));
  graph.users = users;
  for (const auto& [user, item] : rated) {
    const double taste = ((user + item) % 2 == 0 ? 4 : 2) + static_cast<double>(random.below(2));
    graph.edges.push_back({user, users + item, taste});
  }
  return graph;
}

}  // namespace

InputGraph draw_graph(Suits suits, Random& random) {
  if (suits == Suits::Ratings) return draw_ratings(random);
  InputGraph graph;
  draw_names(graph, draw_size(random), random);
  graph.directed = suits == Suits::Mutual ? random.chance(0.1) : random.chance(0.5);
  if (!graph.words && random.chance(0.3)) {
    graph.form = FileForm::Ldbc;
  } else if (random.chance(suits == Suits::Matrix ? 0.5 : 0.15)) {
    graph.form = FileForm::Matrix;
    graph.words = false;
    for (std::uint32_t v = 0; v < graph.size(); ++v) graph.names[v] = std::to_string(v + 1);
  }
  if (suits == Suits::Mutual && graph.size() > 8 && random.chance(0.4)) {
    // Nearly a tree, with a few more arcs: most vertices are joined early, and the last link
    // matters.
    add_shape(Shape::Sparse, 0, graph.size(), random, graph.edges);
    for (std::uint32_t i = graph.size() / 2; i > 0; --i)
      graph.edges.push_back({below(graph.size(), random), below(graph.size(), random)});
  } else {
    draw_edges(graph, random);
  }
  graph.weighted = random.chance(suits == Suits::Paths ? 0.8 : 0.3);
  if (graph.weighted) draw_weights(graph, random);
  if (graph.weighted && suits == Suits::Matrix && random.chance(0.9)) make_dominant(graph, random);
  return graph;
}

InputGraph draw_heavy_graph(Random& random) {
  InputGraph graph;
  graph.weighted = true;
  const std::uint32_t size = 540 + below(40, random);
  for (std::uint32_t v = 0; v < size; ++v) graph.names.push_back(std::to_string(v));
  for (std::uint32_t v = 0; v < size; ++v) {
    for (std::uint32_t u = 0; u < size; ++u) {
      if (u != v) graph.edges.push_back({v, u, 1});
    }
  }
  graph.edges[below(size, random)].weight = 1e15;
  return graph;
}

InputGraph draw_large_graph(Random& random) {
  InputGraph graph;
  graph.directed = false;
  const std::uint32_t size = 5000 + below(7000, random);
  std::vector<std::uint32_t> place(size);
  for (std::uint32_t v = 0; v < size; ++v) {
    graph.names.push_back(std::to_string(v));
    place[v] = v;
  }
  if (random.chance(0.5)) {
    for (std::uint32_t v = size; v > 1; --v) std::swap(place[v - 1], place[below(v, random)]);
  }
  const std::uint64_t kind = random.below(4);
  if (kind > 1) {  // vertices that many threads change concurrently
    graph.weighted = kind == 3;
    for (std::uint32_t i = size * (1 + below(6, random)); i > 0; --i) {
      const double weight = graph.weighted ? static_cast<double>(1 + random.below(1000)) : 1;
      graph.edges.push_back({below(size, random), below(size, random), weight});
    }
    return graph;
  }
  for (std::uint32_t v = 1; v < size; ++v) {
    graph.edges.push_back({place[v], place[v - 1]});
    if (kind == 1 && v > 1) graph.edges.push_back({place[v], place[v - 2]});
  }
  return graph;
}

std::vector<std::uint32_t> draw_owners(std::uint32_t vertices, std::uint32_t parts,
                                       Random& random) {
  std::vector<std::uint32_t> owners(vertices);
  const std::uint64_t kind = random.below(3);
  const std::uint32_t used = kind == 2 ? 1 + below(parts, random) : parts;
  const std::uint32_t busy = below(parts, random);
  for (std::uint32_t& owner : owners) {
    owner = below(used, random);
    if (kind == 1 && random.chance(0.8)) owner = busy;
  }
  return owners;
}

}  // namespace leeway::answers
