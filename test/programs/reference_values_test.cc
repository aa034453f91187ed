// The oracles and kernels on real graphs, compared with answers computed by SciPy. Skipped with a
// warning if the folder LEEWAY_DATA is missing.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "leeway/graph.h"
#include "programs/reference/kernels.h"
#include "programs/reference/oracles.h"

using namespace leeway;
namespace fs = std::filesystem;

namespace {

using Values = std::map<std::string, std::map<std::string, std::string>>;  // graph, quantity, value

Values reference_values(const fs::path& folder) {
  std::ifstream file(folder / "reference-values.tsv");
  Values values;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name, quantity, value;
    std::getline(fields, name, '\t');
    std::getline(fields, quantity, '\t');
    std::getline(fields, value, '\t');
    values[name][quantity] = value;
  }
  return values;
}

std::vector<std::uint64_t> sizes_of(const std::vector<std::uint32_t>& component) {
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const std::uint32_t c : component) ++sizes[c];
  std::vector<std::uint64_t> result;
  for (const auto& [c, size] : sizes) result.push_back(size);
  return result;
}

void check_components(const Graph& graph, std::map<std::string, std::string>& expected) {
  const auto component = reference::sampled_components(graph);
  CHECK(component == reference::components(graph));
  const auto sizes = sizes_of(component);
  CHECK(std::to_string(*std::max_element(sizes.begin(), sizes.end())) == expected["largest_wcc"]);
}

void check_ranks(const Graph& graph, const std::string& top) {
  const auto rank = reference::pagerank(graph, {});
  std::istringstream entries(top);
  for (std::string entry; entries >> entry;) {
    const auto colon = entry.find(':');
    const auto vertex = graph.names().find(entry.substr(0, colon));
    REQUIRE(vertex);
    CAPTURE(entry);
    CHECK(rank[vertex->index()] == Approx(std::stod(entry.substr(colon + 1))).epsilon(1e-6));
  }
}

void check_depths(const Graph& graph, const std::string& source, const std::string& expected) {
  const auto depth = reference::depths(graph, graph.names().find(source).value());
  std::uint64_t reached = 0;
  std::uint64_t farthest = 0;
  for (const std::uint64_t d : depth) {
    if (d == reference::kUnreached) continue;
    ++reached;
    farthest = std::max(farthest, d);
  }
  CHECK(std::to_string(reached) + "," + std::to_string(farthest) == expected);
}

void check_distances(const Graph& graph, const std::string& source, const std::string& expected) {
  const VertexId from = graph.names().find(source).value();
  const auto distance = reference::shortest_distances(graph, from);
  CHECK(reference::DeltaStepping(graph).run(from) == distance);
  double sum = 0;
  std::size_t farthest = 0;
  for (std::size_t v = 0; v < distance.size(); ++v) {
    sum += distance[v];
    if (distance[v] > distance[farthest]) farthest = v;
  }
  std::ostringstream text;
  text << static_cast<std::uint64_t>(sum) << ',' << static_cast<std::uint64_t>(distance[farthest])
       << ',' << graph.names().name(VertexId(static_cast<std::uint32_t>(farthest)));
  CHECK(text.str() == expected);
}

}  // namespace

TEST_CASE("real graphs have the components, ranks, depths and distances that SciPy found") {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr) {
    WARN("skipped: LEEWAY_DATA names no folder");
    return;
  }
  Values values = reference_values(folder);
  REQUIRE(values.size() > 3);
  for (const std::string name : {"wiki-Vote", "cit-HepTh", "soc-Slashdot0902"}) {
    CAPTURE(name);
    const Graph graph = load_graph(fs::path(folder) / (name + ".txt.zst"), {}).value();
    check_components(graph, values[name]);
    for (const auto& [quantity, value] : values[name]) {
      if (quantity.starts_with("pagerank")) check_ranks(graph, value);
      if (quantity.starts_with("bfs_from_")) {
        check_depths(graph, quantity.substr(9, quantity.find(' ') - 9), value);
      }
    }
  }
  const Graph roads = load_graph(fs::path(folder) / "USA-road-d.NY.gr.zst", {}).value();
  check_distances(roads, "1", values["USA-road-d.NY"]["sssp_from_1 sum,max,argmax"]);
}
