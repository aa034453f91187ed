#include "base/process.h"
#include "leeway/graph.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace leeway;

namespace {

Graph make(std::string_view spec, LoadOptions options = {}) {
  return generate(spec, options).value();
}

std::map<std::uint64_t, std::uint32_t> degree_counts(const Graph& graph) {
  std::map<std::uint64_t, std::uint32_t> counts;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) ++counts[graph.degree(VertexId(v))];
  return counts;
}

std::string refusal(std::string_view spec, int code = 2) {
  const auto graph = generate(spec, {});
  INFO(spec);
  REQUIRE_FALSE(graph);
  REQUIRE(graph.error().exit_code() == code);
  return graph.error().to_string();
}

std::uint32_t reached_from_first(const Graph& graph) {
  std::vector<bool> seen(graph.vertex_count(), false);
  std::vector<VertexId> stack = {VertexId(0)};
  seen[0] = true;
  std::uint32_t count = 0;
  while (!stack.empty()) {
    const VertexId vertex = stack.back();
    stack.pop_back();
    ++count;
    for (const VertexId target : graph.neighbors(vertex)) {
      if (!seen[target.index()]) stack.push_back(target);
      seen[target.index()] = true;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("the same spec and seed give the same graph on any number of threads") {
  for (const GraphSpecInfo& info : graph_specs()) {
    LoadOptions options;
    options.seed = 42;
    options.weights = Weights::Random;
    options.threads = 1;
    const Graph alone = make(info.example, options);
    for (const unsigned threads : {2u, 3u, 7u}) {
      options.threads = threads;
      CAPTURE(info.example, threads);
      REQUIRE(make(info.example, options) == alone);
    }
  }
}

TEST_CASE("another seed gives another random graph") {
  LoadOptions other;
  other.seed = 2;
  for (const char* spec :
       {"kron:8", "uniform:500:4", "small-world:200:4:0.5", "powerlaw:500:2.2"}) {
    REQUIRE_FALSE(make(spec) == make(spec, other));
  }
}

TEST_CASE("shapes have the vertices, edges and degrees of their definition") {
  using Counts = std::map<std::uint64_t, std::uint32_t>;
  REQUIRE(degree_counts(make("path:5")) == Counts{{1, 2}, {2, 3}});
  REQUIRE(degree_counts(make("cycle:5")) == Counts{{2, 5}});
  REQUIRE(degree_counts(make("star:5")) == Counts{{1, 4}, {4, 1}});
  REQUIRE(degree_counts(make("complete:7")) == Counts{{6, 7}});
  REQUIRE(degree_counts(make("tree:15:2")) == Counts{{1, 8}, {2, 1}, {3, 6}});
  REQUIRE(degree_counts(make("grid2d:4x3")) == Counts{{2, 4}, {3, 6}, {4, 2}});
  const Graph cube = make("grid3d:3x3x3");
  REQUIRE(cube.edge_count() == 54);
  REQUIRE(degree_counts(cube) == Counts{{3, 8}, {4, 12}, {5, 6}, {6, 1}});
  for (const char* spec : {"path:50", "tree:50:3", "grid2d:5x7", "star:9", "cycle:8"}) {
    const Graph graph = make(spec);
    REQUIRE_FALSE(graph.directed());
    REQUIRE(reached_from_first(graph) == graph.vertex_count());
  }
}

TEST_CASE("the smallest sizes work") {
  for (const char* spec : {"path:0",
                           "path:1",
                           "path:2",
                           "cycle:0",
                           "cycle:1",
                           "cycle:2",
                           "cycle:3",
                           "star:0",
                           "star:1",
                           "tree:0",
                           "tree:1",
                           "complete:0",
                           "complete:1",
                           "complete:2",
                           "kron:0",
                           "kron:1:0",
                           "uniform:0",
                           "uniform:1:1",
                           "grid2d:1x1",
                           "powerlaw:0:2",
                           "powerlaw:1:2",
                           "small-world:2:0:1",
                           "matrix:poisson2d:1x1"}) {
    const auto graph = generate(spec, {});
    INFO(spec);
    REQUIRE(graph);
  }
  REQUIRE(make("cycle:2").edge_count() == 1);
}

TEST_CASE("kron has Graph500's size and skew") {
  const Graph graph = make("kron:12:16");
  REQUIRE(graph.vertex_count() == 4096);
  REQUIRE(graph.edge_count() == 16 * 4096);
  const auto counts = degree_counts(graph);
  REQUIRE(counts.rbegin()->first > 20 * 32);  // far beyond the mean of 32
  REQUIRE(counts.begin()->first == 0);        // some vertices are in no edge
  std::uint64_t lower_half =
      0;  // without shuffled labels, the lower half would have about 3/4 of them
  for (std::uint32_t v = 0; v < 2048; ++v) lower_half += graph.degree(VertexId(v));
  const double share = static_cast<double>(lower_half) / static_cast<double>(graph.arc_count());
  REQUIRE(share > 0.4);
  REQUIRE(share < 0.6);
}

TEST_CASE("a small world is a ring whose edges are rewired with the given probability") {
  const Graph ring = make("small-world:100:4:0");
  REQUIRE(degree_counts(ring) == std::map<std::uint64_t, std::uint32_t>{{4, 100}});
  const Graph mixed = make("small-world:2000:6:0.25");
  REQUIRE(mixed.edge_count() == 6000);
  std::uint64_t far = 0;
  for (std::uint32_t v = 0; v < 2000; ++v) {
    for (const VertexId target : mixed.neighbors(VertexId(v))) {
      const std::uint32_t gap = (target.value() + 2000 - v) % 2000;
      far += std::min(gap, 2000 - gap) > 3 ? 1 : 0;
    }
  }
  REQUIRE(static_cast<double>(far) / 12000 == Approx(0.25).margin(0.03));
}

TEST_CASE("a power law has many small degrees and few large ones, in the expected proportion") {
  const Graph graph = make("powerlaw:40000:2.5");
  const auto counts = degree_counts(graph);
  double sum = 0;
  for (int k = 1; k <= 200; ++k) sum += std::pow(k, -2.5);
  REQUIRE(counts.at(1) / 40000.0 == Approx(1 / sum).epsilon(0.03));
  REQUIRE(counts.at(2) / 40000.0 == Approx(std::pow(2, -2.5) / sum).epsilon(0.08));
  REQUIRE(counts.rbegin()->first > 60);
}

TEST_CASE("a Poisson matrix is symmetric, with zero row sums away from the boundary") {
  const Graph matrix = make("matrix:poisson2d:5x4");
  REQUIRE(matrix.directed());
  REQUIRE(matrix.weight_kind() == WeightKind::Real);
  REQUIRE(matrix.arc_count() == 20 + 2 * (4 * 4 + 5 * 3));
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> entries;
  for (std::uint32_t v = 0; v < 20; ++v) {
    for (std::size_t i = 0; i < matrix.degree(VertexId(v)); ++i) {
      entries[{v, matrix.neighbors(VertexId(v))[i].value()}] = matrix.weights(VertexId(v))[i];
    }
  }
  for (const auto& [place, value] : entries) {
    REQUIRE(entries.at({place.second, place.first}) == Approx(value));
    REQUIRE(value == Approx(place.first == place.second ? 4.0 : -1.0));
  }
  REQUIRE(make("matrix:poisson3d:3x3x3").degree(VertexId(13)) == 7);
}

TEST_CASE("anisotropic diffusion turned by a right angle exchanges the axes") {
  const Graph straight = make("matrix:anisotropic:3x3:0.01");
  const Graph turned = make("matrix:anisotropic:3x3:0.01:90");
  const auto middle = [](const Graph& graph) {
    const auto weights = graph.weights(VertexId(4));
    return std::vector<double>(weights.begin(), weights.end());
  };
  REQUIRE(middle(straight).size() == 5);
  REQUIRE(middle(straight)[0] == Approx(-0.01));
  REQUIRE(middle(straight)[1] == Approx(-1.0));
  REQUIRE(middle(turned)[0] == Approx(-1.0));
  REQUIRE(middle(turned)[1] == Approx(-0.01));
  const auto oblique = middle(make("matrix:anisotropic:3x3:0.01:30"));
  REQUIRE(oblique.size() == 9);
  double sum = 0;
  for (const double weight : oblique) sum += weight;
  REQUIRE(sum == Approx(0.0).margin(1e-12));
}

TEST_CASE("the atmosphere has the size and sparsity of atmosmodl and is not symmetric") {
  const Graph matrix = make("matrix:atmosmodl");
  REQUIRE(matrix.vertex_count() == 1'489'752);
  REQUIRE(matrix.arc_count() == 10'319'760);
  const auto list = matrix.neighbors(VertexId(1));
  const auto back = matrix.neighbors(VertexId(0));
  REQUIRE(list[0] == VertexId(0));
  REQUIRE(back[1] == VertexId(1));
  REQUIRE(matrix.weights(VertexId(1))[0] < matrix.weights(VertexId(0))[1]);
}

TEST_CASE("a dominant matrix has the requested entries and a diagonal 1.25 times their sum") {
  for (const auto& [spec, rows, entries] : {std::tuple{"matrix:dominant:40", 40u, 39u},
                                            {"matrix:dominant:40:0", 40u, 0u},
                                            {"matrix:dominant:300:7", 300u, 7u},
                                            {"matrix:dominant:1", 1u, 0u}}) {
    const Graph matrix = make(spec);
    CAPTURE(spec);
    REQUIRE(matrix.vertex_count() == rows);
    for (VertexId row(0); row.value() < rows; row = row.next()) {
      const auto columns = matrix.neighbors(row);
      REQUIRE(columns.size() == entries + 1);
      double sum = 0;
      double diagonal = 0;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) REQUIRE(columns[i - 1] < columns[i]);
        const double entry = matrix.weights(row)[i];
        (columns[i] == row ? diagonal : sum) += entry;
        if (columns[i] != row) REQUIRE((entry >= 0 && entry < 1));
      }
      REQUIRE(diagonal == Approx(entries > 0 ? 1.25 * sum : 1.0));
    }
  }
  REQUIRE_THAT(refusal("matrix:dominant:5:5"),
               Catch::Contains("5 entries and the diagonal do not fit"));
}

TEST_CASE("load options apply to generated graphs as to files") {
  LoadOptions options;
  options.weights = Weights::Random;
  options.weight_high = 10;
  const Graph weighted = make("grid2d:10x10", options);
  REQUIRE(weighted.weight_kind() == WeightKind::Integer);
  REQUIRE(*std::max_element(weighted.weights().begin(), weighted.weights().end()) <= 10.0);
  options = {};
  options.self_loops = SelfLoops::Drop;
  REQUIRE(make("uniform:10:50", options).self_loop_count() == 0);
}

TEST_CASE("the size of a spec is predicted without generating the graph") {
  const SpecSize largest = size_of_spec("kron:31", {}).value();
  REQUIRE(largest.vertices == std::uint64_t{1} << 31U);
  REQUIRE(largest.arcs == std::uint64_t{1} << 36U);
  for (const std::string spec :
       {"kron:10", "uniform:1000:8", "grid2d:30x20", "grid3d:15x16x17", "tree:100", "cycle:9",
        "small-world:1000:6:0.1", "matrix:poisson2d:30x30", "known:karate", "powerlaw:10000:2.5",
        "complete:50"}) {
    INFO(spec);
    const SpecSize predicted = size_of_spec(spec, {}).value();
    const Graph made = generate(spec, {}).value();
    REQUIRE(predicted.vertices == made.vertex_count());
    REQUIRE(predicted.directed == made.directed());
    REQUIRE(predicted.weighted == made.weighted());
    const auto arcs = static_cast<double>(made.arc_count());
    REQUIRE(std::abs(static_cast<double>(predicted.arcs) - arcs) < 0.15 * arcs + 10);
  }
  REQUIRE(size_of_spec("krom:3", {}).error().exit_code() == 2);
}

TEST_CASE("an invalid spec is refused with a suggestion") {
  const auto refused_with = [](std::string_view spec, const std::string& words) {
    const std::string text = refusal(spec);
    INFO(text);
    return text.find(words) != std::string::npos;
  };
  REQUIRE(refused_with("krom:16", "did you mean kron:16?"));
  REQUIRE(refused_with("matrix:poison2d:3x3", "did you mean matrix:poisson2d:"));
  REQUIRE(refused_with("known:karrate", "karate"));
  REQUIRE(refused_with("kron", "kron:SCALE"));
  REQUIRE(refused_with("kron:", "not a whole number"));
  REQUIRE(refused_with("kron:5:6:7", "does not fit"));
  REQUIRE(refused_with("kron:32", "not between 0 and 31"));
  REQUIRE(refused_with("path:-1", "not a whole number"));
  REQUIRE(refused_with("path:1e6", "not a whole number"));
  REQUIRE(refused_with("path: 5", "not a whole number"));
  REQUIRE(refused_with("path:99999999999999999999999", "not between"));
  REQUIRE(refused_with("path:4294967295", "not between"));
  REQUIRE(refused_with("grid2d:5", "does not have 2 sides"));
  REQUIRE(refused_with("grid2d:0x5", "not between"));
  REQUIRE(refused_with("grid3d:4000x4000x4000", "more than"));
  // The spec is valid, but the machine has too little memory.
  REQUIRE(refusal("complete:4000000000", 3).find("of memory") != std::string::npos);
  REQUIRE(refusal("kron:31:1000000", 3).find("of memory") != std::string::npos);
  // The total memory can exceed what is free or what a control group allows; a vertex takes 32
  // bytes.
  const std::uint64_t too_many = memory_room().left / 32 / 10 * 11;
  if (too_many < 4'294'967'295)
    REQUIRE(refusal("path:" + std::to_string(too_many), 3).find("left, by ") != std::string::npos);
  REQUIRE(refused_with("tree:5:0", "not between"));
  REQUIRE(refused_with("small-world:10:3:0.1", "odd"));
  REQUIRE(refused_with("small-world:10:10:0.1", "no other end"));
  REQUIRE(refused_with("small-world:10:4:1.5", "not between"));
  REQUIRE(refused_with("small-world:10:4:nan", "not between"));
  REQUIRE(refused_with("powerlaw:10:0.5", "not between"));
  REQUIRE(refused_with("", "not a kind of graph"));
  REQUIRE(refused_with(":", "not a kind of graph"));
}

TEST_CASE("specs are distinguished from file names") {
  for (const GraphSpecInfo& info : graph_specs()) REQUIRE(is_graph_spec(info.example));
  for (const char* name :
       {"graph.txt", "kron", "kron.txt", "./kron:16", "host:file", "matrix.mtx", ""}) {
    REQUIRE_FALSE(is_graph_spec(name));
  }
}
