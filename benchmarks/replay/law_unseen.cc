// What has no part in the law's fit: what the law, and runs that follow it, are held against.
#include <array>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/law_trials.h"
#include "leeway/programs/law/modes.h"

namespace leeway::replay {

namespace {

constexpr std::array<std::string_view, 4> kNetworks = {
    "infiniband", "gigabit", "ec2",
    "custom:latency_us=10,jitter_us=20,gbit=10,send_us=1,receive_us=1"};

struct Cluster {
  const char* name;
  std::uint32_t nodes;
  std::uint32_t slow_percent;
};
constexpr std::array<Cluster, 2> kClusters = {
    {{"4 nodes one slow", 4, 200}, {"16 equal", 16, 100}}};

/// The custom one without its numbers, which hold commas.
std::string short_name(std::string_view network) {
  return std::string(network.substr(0, network.find(':')));
}

std::vector<LawInput> unseen_inputs() {
  return {{"uniform by METIS", "uniform:600:6", PartitionMethod::Metis},
          {"powerlaw by METIS", "powerlaw:800:2.3", PartitionMethod::Metis},
          {"grid3d in ranges", "grid3d:9x9x9", PartitionMethod::Block},
          {"kron by hash", "kron:9:12", PartitionMethod::Hash}};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> unseen_configuration(std::string nodes,
                                                                      std::uint64_t seed) {
  std::vector<std::pair<std::string, std::string>> configuration = {
      {"networks", format("{}", fmt::join(kNetworks, "; "))},
      {"nodes", std::move(nodes)},
      {"cost model", "default; a hit is 2.5 ns"},
      {"seed", std::to_string(seed)}};
  for (const LawInput& input : unseen_inputs()) configuration.emplace_back(input.name, input.spec);
  return configuration;
}

std::vector<LawPoint> unseen_points() {
  std::vector<LawPoint> points;
  for (const std::string_view program : law::programs()) {
    for (const LawInput& input : unseen_inputs()) {
      for (const Cluster& cluster : kClusters) {
        for (const std::string_view network : kNetworks) {
          LawPoint point;
          point.program = program;
          point.input = input;
          point.nodes = cluster.nodes;
          point.slow_percent = cluster.slow_percent;
          point.conditions = cluster.name;
          point.network = short_name(network);
          point.profile = parse_profile(network).value();
          points.push_back(std::move(point));
        }
      }
    }
  }
  return points;
}

}  // namespace leeway::replay
