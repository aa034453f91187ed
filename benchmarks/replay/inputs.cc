#include "leeway/benchmarks/replay/inputs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "leeway/base/check.h"
#include "leeway/datasets/graph_spec.h"
#include "leeway/datasets/load_graph.h"

namespace leeway::replay {

namespace {

constexpr std::array kInputs = {
    Input{"Orkut", InputKind::Social, "email-Enron.txt.zst", "powerlaw:20000:1.9"},
    Input{"LiveJournal", InputKind::Social, "cit-HepTh.txt.zst", "powerlaw:30000:2.2"},
    Input{"Pokec", InputKind::Social, "wiki-Vote.txt.zst", "powerlaw:40000:2.1"},
    Input{"HiggsTwitter", InputKind::Social, "facebook_combined.txt.zst", "powerlaw:8000:2.0"},
    Input{"RoadNetCA", InputKind::Road, "4elt.graph.zst", "grid2d:120x110"},
    Input{"RoadNetTX", InputKind::Road, "power.graph.zst", "grid2d:70x70"},
    Input{"AtmosModl", InputKind::Matrix, "", "matrix:atmosmodl:30x30x8"},
    Input{"3DSpectralWave", InputKind::Matrix, "", "matrix:poisson3d:12x12x12"},
    Input{"DielFilterV3Real", InputKind::Matrix, "", "matrix:anisotropic:40x40:0.1:30"},
    Input{"Flan1565", InputKind::Matrix, "shallow_water1.mtx.zst", "matrix:poisson2d:150x150"},
};

std::optional<std::string> in_data_folder(std::string_view file) {
  const char* folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr || file.empty()) return std::nullopt;
  const std::filesystem::path path = std::filesystem::path(folder) / file;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path.string();
}

Result<Graph> read(const std::string& source, LoadOptions options) {
  if (std::filesystem::exists(source)) return load_graph(source, options);
  return generate(source, options);
}

}  // namespace

std::span<const Input> inputs() { return kInputs; }

const Input& input_named(std::string_view name) {
  const auto found = std::find_if(kInputs.begin(), kInputs.end(),
                                  [&](const Input& input) { return input.name == name; });
  LEEWAY_CHECK(found != kInputs.end());
  return *found;
}

std::string InputShelf::source(const Input& input) const {
  if (instead_) return std::filesystem::path(*instead_).filename().string();
  return in_data_folder(input.file) ? std::string(input.file) : std::string(input.spec);
}

std::string InputShelf::place_of(const Input& input) const {
  if (instead_) return *instead_;
  return in_data_folder(input.file).value_or(std::string(input.spec));
}

std::string InputShelf::key_of(const Input& input, bool both_ways) const {
  const std::string source = place_of(input);
  if (input.kind == InputKind::Matrix) return source + " as it is";
  return source + (both_ways ? " both ways" : " as listed");
}

Result<std::shared_ptr<const Partition>> InputShelf::division(const Input& input, bool both_ways,
                                                              std::uint32_t nodes) {
  const std::string key = key_of(input, both_ways) + " by " + std::to_string(nodes);
  if (const auto found = divided_.find(key); found != divided_.end()) return found->second;
  LEEWAY_ASSIGN(const Graph* graph, this->graph(input, both_ways));
  PartitionOptions how;
  how.method = PartitionMethod::Metis;
  how.parts = nodes;
  how.seed = seed_;
  LEEWAY_ASSIGN(Partition partition, partition_graph(*graph, how));
  return divided_.emplace(key, std::make_shared<const Partition>(std::move(partition)))
      .first->second;
}

Result<const Graph*> InputShelf::graph(const Input& input, bool both_ways) {
  const std::string key = key_of(input, both_ways);
  if (const auto found = loaded_.find(key); found != loaded_.end()) return &found->second;
  const std::string source = place_of(input);
  const bool matrix = input.kind == InputKind::Matrix;
  LoadOptions options;
  options.seed = seed_;
  options.symmetrize = both_ways && !matrix;
  if (options.symmetrize) options.duplicates = Duplicates::Merge;
  LEEWAY_ASSIGN(Graph graph, read(source, options));
  if (!matrix && !graph.weighted()) {
    options.weights = Weights::Random;
    LEEWAY_ASSIGN(graph, read(source, options));
  }
  return &loaded_.emplace(key, std::move(graph)).first->second;
}

}  // namespace leeway::replay
