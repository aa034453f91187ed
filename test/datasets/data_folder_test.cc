// Real graphs from the folder LEEWAY_DATA names: each loads with its catalogued counts and survives
// a round trip through every text format. Skipped, with a word, when the folder is not there.
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "leeway/datasets/load_graph.h"
#include "leeway/datasets/write_graph.h"

using namespace leeway;
namespace fs = std::filesystem;

namespace {

struct Entry {
  std::string file;
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
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
    entries.push_back({field[1], vertices, std::stoull(field[6])});
  }
  return entries;
}

std::optional<fs::path> data_folder() {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr) return std::nullopt;
  return folder;
}

Graph loaded(const fs::path& path, const std::string& format = {}) {
  LoadOptions options;
  if (!format.empty()) options.format = format;
  auto graph = load_graph(path, options);
  INFO(path.string());
  if (!graph) FAIL(graph.error().to_string());
  return std::move(*graph);
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
    const Graph graph = loaded(*folder / entry.file);
    CHECK(graph.vertex_count() == entry.vertices);
    CHECK(graph.edge_count() == entry.edges);
    for (const auto& format : writable_formats()) {
      CAPTURE(format.name);
      const auto status = write_graph(graph, copy, std::string(format.name));
      if (!status) FAIL(status.error().to_string());
      CHECK((loaded(copy, std::string(format.name)) == graph));
    }
  }
  fs::remove(copy);
}
