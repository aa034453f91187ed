#include "benchmarks/replay/inputs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <vector>

#include "base/check.h"
#include "base/median.h"
#include "base/random.h"
#include "datasets/build_graph.h"
#include "datasets/graph.h"
#include "programs/cf/pie.h"

namespace leeway::replay {

namespace {

std::vector<std::uint32_t> in_random_order(std::uint32_t count, std::uint64_t seed) {
  Random random(seed, 23);
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

/// Creates skew as in AAP §8, Exp-4: moves random vertices from all other parts to part 0 until its size, vertices
/// plus arcs, is `ratio` times the median part's (r = ||F_max|| / ||F_median||). Requires a ratio of at least 1.
/// Equal arguments give equal partitions.
void reshuffle(const Graph& graph, double ratio, std::uint64_t seed, Partition& partition) {
  LEEWAY_CHECK(ratio >= 1);
  const auto owner = partition.owner.mutable_span();
  const auto size_of = [&](std::uint32_t v) { return 1 + graph.neighbors(VertexId(v)).size(); };
  std::vector<std::uint64_t> sizes(partition.part_count, 0);
  for (std::uint32_t v = 0; v < owner.size(); ++v) sizes[owner[v].index()] += size_of(v);
  // The median hardly changes with one vertex, so it is recomputed after every 64.
  constexpr std::uint32_t kOften = 64;
  std::uint32_t until_looked = 0;
  std::uint64_t target = 0;
  for (const std::uint32_t v : in_random_order(static_cast<std::uint32_t>(owner.size()), seed)) {
    if (until_looked == 0) {
      target = static_cast<std::uint64_t>(ratio * static_cast<double>(median(sizes)));
      until_looked = kOften;
    }
    --until_looked;
    if (sizes[0] >= target) return;
    if (owner[v] == PartId(0)) continue;
    sizes[owner[v].index()] -= size_of(v);
    sizes[0] += size_of(v);
    owner[v] = PartId(0);
  }
}

// Stand-ins of the same kind: friendships or messages for social networks, with a similar number of arcs per vertex where
// there is one; roads for roads; matrices of bodies in space for those of the paper.
constexpr std::array kInputs = {
    Input{"Orkut", InputKind::Social, "Cornell5.txt.zst", "powerlaw:20000:1.9", 234'370'166,
          3'072'441},
    Input{"LiveJournal", InputKind::Social, "email-Enron.txt.zst", "powerlaw:30000:2.2", 68'993'773,
          4'847'571, true},
    Input{"Pokec", InputKind::Social, "soc-Slashdot0902.txt.zst", "powerlaw:40000:2.1", 30'622'564,
          1'632'803, true},
    Input{"HiggsTwitter", InputKind::Social, "wiki-Vote.txt.zst", "powerlaw:8000:2.0", 14'855'875,
          456'631, true},
    Input{"RoadNetCA", InputKind::Road, "COL.gr.xz", "grid2d:300x200", 5'533'214, 1'971'281},
    Input{"RoadNetTX", InputKind::Road, "USA-road-d.NY.gr.zst", "grid2d:200x150", 3'843'320,
          1'379'917},
    Input{"AtmosModl", InputKind::Matrix, "", "matrix:atmosmodl:30x30x8", 10'319'760, 1'489'752},
    Input{"3DSpectralWave", InputKind::Matrix, "", "matrix:poisson3d:12x12x12", 30'290'827,
          680'943},
    Input{"DielFilterV3Real", InputKind::Matrix, "", "matrix:poisson3d:8x8x8", 89'306'020,
          1'102'824},
    Input{"Flan1565", InputKind::Matrix, "", "matrix:poisson3d:10x10x10", 114'165'372, 1'564'794},
};

/// 3000 users of 150 items, 40 ratings each.
Result<Graph> made_up_ratings(std::uint64_t seed) {
  constexpr std::uint32_t kUsers = 3000;
  constexpr std::uint32_t kItems = 150;
  Random random(seed, 17);
  std::vector<pie::Factor> factors(kUsers + kItems);
  for (pie::Factor& factor : factors) {
    for (float& value : factor) value = static_cast<float>(random.unit());
  }
  EdgeChunkBuilder builder;
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    const std::uint64_t first = random.below(kItems);
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto item = kUsers + static_cast<std::uint32_t>((first + i * 7) % kItems);
      double rating = 0.5 * random.unit();
      for (std::size_t k = 0; k < pie::kFactors; ++k) rating += factors[user][k] * factors[item][k];
      builder.add(VertexId(user), VertexId(item), rating);
    }
  }
  EdgeList list;
  LEEWAY_ASSIGN(auto chunk, builder.finish());
  list.chunks.push_back(std::move(chunk));
  list.weight_kind = WeightKind::Real;
  GraphShape shape;
  shape.vertex_count = kUsers + kItems;
  shape.directed = false;
  shape.left_count = kUsers;
  shape.names = VertexNames::sequence(0, kUsers + kItems);
  return build_graph(std::move(list), std::move(shape), LoadOptions{});
}

Result<Graph> read(const std::string& source, const LoadOptions& options) {
  if (source == kRatings) return made_up_ratings(options.seed);
  if (!std::filesystem::exists(source) && is_graph_spec(source)) return generate(source, options);
  return load_graph(source, options);
}

}  // namespace

std::span<const Input> inputs() { return kInputs; }

const Input& input_named(std::string_view name) {
  const auto found = std::find_if(kInputs.begin(), kInputs.end(),
                                  [&](const Input& input) { return input.name == name; });
  LEEWAY_CHECK(found != kInputs.end());
  return *found;
}

std::string place_of(std::string_view file, std::string_view spec) {
  const char* const folder = std::getenv("LEEWAY_DATA");
  if (folder == nullptr || file.empty()) return std::string(spec);
  const std::filesystem::path path = std::filesystem::path(folder) / file;
  return std::filesystem::exists(path) ? path.string() : std::string(spec);
}

std::string file_name(const std::string& place) {
  return std::filesystem::path(place).filename().string();
}

Result<const Graph*> InputCache::graph(const GraphRequest& request) {
  const std::lock_guard lock(mutex_);
  return graph_locked(request);
}

Result<const Graph*> InputCache::graph_locked(const GraphRequest& request) {
  if (const auto found = loaded_.find(request); found != loaded_.end()) return &found->second;
  LoadOptions options;
  options.seed = seed_;
  options.symmetrize = request.both_ways;
  if (request.both_ways) options.duplicates = Duplicates::Merge;
  LEEWAY_ASSIGN(Graph graph, read(request.place, options));
  if (request.weights && !graph.weighted()) {
    options.weights = Weights::Random;
    LEEWAY_ASSIGN(graph, read(request.place, options));
  }
  return &loaded_.emplace(request, std::move(graph)).first->second;
}

Result<std::shared_ptr<const Partition>> InputCache::division(const GraphRequest& request,
                                                              std::uint32_t parts,
                                                              BalanceBy balance,
                                                              PartitionMethod method, double skew) {
  const std::lock_guard lock(mutex_);
  const DivisionKey key(request, parts, balance, method, skew);
  if (const auto found = divided_.find(key); found != divided_.end()) return found->second;
  LEEWAY_ASSIGN(const Graph* graph, graph_locked(request));
  PartitionOptions how;
  how.method = method;
  how.parts = parts;
  how.balance = balance;
  how.seed = seed_;
  LEEWAY_ASSIGN(Partition partition, partition_graph(*graph, how));
  if (skew > 1) reshuffle(*graph, skew, seed_, partition);
  return divided_.emplace(key, std::make_shared<const Partition>(std::move(partition)))
      .first->second;
}

}  // namespace leeway::replay
