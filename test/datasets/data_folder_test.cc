// Real graphs from the folder LEEWAY_DATA: each has the counts of the catalogue and survives a
// round trip through every text format. Skipped with a warning if the folder is missing.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "leeway/graph.h"

using namespace leeway;
namespace fs = std::filesystem;

namespace {

struct Entry {
  std::string file;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  bool complex = false;  ///< its values are complex numbers
};

/// Columns: name, file, kind, directed, weighted, vertices ("a+b" for two sides), edges, ….
std::vector<Entry> catalog(const fs::path& folder) {
  std::ifstream file(folder / "CATALOG.tsv");
  std::vector<Entry> entries;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::array<std::string, 7> field;
    for (auto& text : field) std::getline(fields, text, '\t');
    std::uint64_t vertices = 0;
    std::istringstream sides(field[5]);
    for (std::string side; std::getline(sides, side, '+');) vertices += std::stoull(side);
    entries.push_back({field[1], vertices, std::stoull(field[6]), field[4] == "complex"});
  }
  return entries;
}

std::optional<fs::path> data_folder() {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr) return std::nullopt;
  return folder;
}

Graph loaded(const fs::path& path, const std::string& format = {}, LoadOptions options = {}) {
  if (!format.empty()) options.format = format;
  auto graph = load_graph(path, options);
  INFO(path.string());
  if (!graph) FAIL(graph.error().to_string());
  return std::move(*graph);
}

/// Compares arcs and weights; a matrix has values even if the graph had no weights.
bool same_arcs(const Graph& a, const Graph& b) {
  const auto same = [](auto one, auto other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  };
  return same(a.offsets(), b.offsets()) && same(a.targets(), b.targets()) &&
         (!b.weighted() || same(a.weights(), b.weights()));
}

/// Compares whole graphs, except for formats that other tools define: CSV has neither a direction
/// nor isolated vertices, and SciPy's matrices have no names.
void check_what_survives(const Graph& graph, const fs::path& copy, const std::string& format) {
  LoadOptions options;
  if (format == "csv" && !graph.directed()) options.direction = Direction::Undirected;
  const Graph again = loaded(copy, format, options);
  if (format == "npz") {
    CHECK(same_arcs(again, graph));
  } else if (format == "csv") {
    CHECK(again.arc_count() == graph.arc_count());
    CHECK(again.directed() == graph.directed());
    if (again.vertex_count() == graph.vertex_count()) CHECK(same_arcs(again, graph));
  } else {
    CHECK((again == graph));
  }
}

}  // namespace

TEST_CASE("every catalogued file loads with its counts and survives each text format") {
  const auto folder = data_folder();
  if (!folder) {
    WARN("LEEWAY_DATA is not set: real graphs are skipped");
    return;
  }
  const auto entries = catalog(*folder);
  REQUIRE(entries.size() > 10);
  const fs::path copy =
      fs::temp_directory_path() / ("leeway-round-trip-" + std::to_string(::getpid()));
  for (const auto& entry : entries) {
    CAPTURE(entry.file);
    LoadOptions options;
    if (entry.complex) options.weights = Weights::None;
    const Graph graph = loaded(*folder / entry.file, {}, options);
    CHECK(graph.vertex_count() == entry.vertices);
    CHECK(graph.edge_count() == entry.edges);
    for (const auto& format : writable_formats()) {
      CAPTURE(format.name);
      const auto status = write_graph(graph, copy, std::string(format.name));
      if (!status) FAIL(status.error().to_string());
      check_what_survives(graph, copy, std::string(format.name));
    }
  }
  fs::remove(copy);
}
