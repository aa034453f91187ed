// Compares our use of METIS with Debian's gpmetis on a real road network. Needs LEEWAY_DATA, zstd
// and gpmetis.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "leeway/graph.h"
#include "test/support/small_graphs.h"

using namespace leeway;

namespace {

Graph read_roads(const std::string& path) {
  const std::string command = "zstd -dcq '" + path + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::vector<testing::TestEdge> edges;
  unsigned vertices = 0;
  char line[256];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    unsigned source = 0;
    unsigned target = 0;
    unsigned weight = 0;
    if (std::sscanf(line, "p sp %u", &vertices) == 1) continue;
    if (std::sscanf(line, "a %u %u %u", &source, &target, &weight) == 3) {
      edges.push_back({source - 1, target - 1, static_cast<double>(weight)});
    }
  }
  return testing::graph_of(vertices, edges, true, WeightKind::Integer);
}

/// The network in METIS format. It is symmetric already, so each list has the distinct neighbours
/// with their largest weights.
void write_metis(const Graph& graph, const std::string& path, bool weighted) {
  std::string text;
  std::size_t arcs = 0;
  for (std::uint32_t v = 0; v < graph.vertex_count(); ++v) {
    const auto list = graph.neighbors(VertexId(v));
    for (std::size_t i = 0; i < list.size();) {
      double weight = 0;
      std::size_t j = i;
      for (; j < list.size() && list[j] == list[i]; ++j)
        weight = std::max(weight, graph.weights(VertexId(v))[j]);
      if (list[i].value() != v) {
        ++arcs;
        text += std::to_string(list[i].value() + 1) + " ";
        if (weighted) text += std::to_string(static_cast<long>(weight)) + " ";
      }
      i = j;
    }
    text += "\n";
  }
  std::ofstream(path) << graph.vertex_count() << " " << arcs / 2 << (weighted ? " 001\n" : "\n")
                      << text;
}

Partition by_gpmetis(const Graph& graph, const std::string& folder, bool weighted) {
  const std::string input = folder + "/roads.graph";
  write_metis(graph, input, weighted);
  REQUIRE(std::system(("gpmetis '" + input + "' 16 > '" + folder + "/log'").c_str()) == 0);
  PartitionOptions options;
  options.method = PartitionMethod::File;
  options.parts = 16;
  options.owner_file = input + ".part.16";
  return partition_graph(graph, options).value();
}

}  // namespace

TEST_CASE("cut and balance of New York's roads are no worse than gpmetis'") {
  const char* data = std::getenv("LEEWAY_DATA");
  const std::string roads = std::string(data != nullptr ? data : "") + "/USA-road-d.NY.gr.zst";
  if (data == nullptr || !std::filesystem::exists(roads) ||
      std::system("command -v gpmetis zstd >/dev/null") != 0) {
    WARN("skipped: set LEEWAY_DATA, and install metis and zstd");
    return;
  }
  const Graph graph = read_roads(roads);
  REQUIRE(graph.vertex_count() == 264346);
  const auto folder =
      std::filesystem::temp_directory_path() / ("leeway-gpmetis-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const bool weighted : {false, true}) {
    PartitionOptions options;
    options.method = PartitionMethod::Metis;
    options.parts = 16;
    options.edge_weights = weighted;
    const PartitionReport ours = report_partition(graph, partition_graph(graph, options).value());
    const PartitionReport theirs = report_partition(graph, by_gpmetis(graph, folder, weighted));
    std::printf(
        "{\"graph\": \"USA-road-d.NY\", \"parts\": 16, \"edge_weights\": %s, \"cut\": [%.0f, "
        "%.0f], "
        "\"balance\": [%.4f, %.4f]}\n",
        weighted ? "true" : "false",
        weighted ? ours.weight_cut : static_cast<double>(ours.edge_cut),
        weighted ? theirs.weight_cut : static_cast<double>(theirs.edge_cut), ours.vertex_balance,
        theirs.vertex_balance);
    if (weighted)
      CHECK(ours.weight_cut <= theirs.weight_cut);
    else
      CHECK(ours.edge_cut <= theirs.edge_cut);
    CHECK(ours.vertex_balance <= theirs.vertex_balance);
  }
  std::filesystem::remove_all(folder);
}
