#include "leeway/cli/run_plan.h"

#include <algorithm>
#include <string>

#include "leeway/base/format.h"
#include "leeway/base/parallel.h"
#include "leeway/cli/admit_memory.h"
#include "leeway/programs/reference/simulations.h"

namespace leeway::cli {

namespace {
constexpr std::uint32_t kMostNodes = 4096;
constexpr std::uint64_t kVerifiedCellTicks = 20'000'000;
constexpr double kVerifiedPairTicks = 2e9;
}  // namespace

unsigned threads_of_node(const Options& options, const ClusterOptions& cluster) {
  if (options.load.threads > 0) return options.load.threads;
  if (cluster.fabric == Fabric::Sim) return 1;
  const std::uint32_t here =
      cluster.job != nullptr ? cluster.job->nodes_on_this_host() : cluster.nodes;
  return std::max(1U, thread_count(0) / std::max(1U, here));
}

Result<ClusterOptions> cluster_of(const Options& options, Job* job) {
  ClusterOptions cluster;
  cluster.job = job;
  if (job != nullptr) {
    cluster.fabric = job->fabric();
    cluster.nodes = job->node_count();
    if (options.nodes && *options.nodes != cluster.nodes) {
      return fail(input_error(
          "--nodes",
          format("the launcher started {} processes, not {}", cluster.nodes, *options.nodes),
          "leave --nodes out: every process is a node"));
    }
  } else {
    cluster.fabric = options.run.fabric == Fabric::Sim ? Fabric::Sim : Fabric::Loopback;
    cluster.nodes = options.nodes.value_or(1);
  }
  if (cluster.nodes > kMostNodes) {
    return fail(input_error("--nodes", format("{} is more than one process holds", cluster.nodes),
                            format("give at most {}", kMostNodes)));
  }
  if (job == nullptr) LEEWAY_TRY(admit_nodes(cluster.nodes, cluster.fabric == Fabric::Loopback));
  cluster.seed = options.load.seed;
  cluster.policy = options.run.policy;
  cluster.policy.optimizations = options.run.optimizations;
  cluster.service = options.run.service;
  if (options.network) {
    cluster.network = *options.network;
  } else if (cluster.fabric == Fabric::Sim) {
    LEEWAY_ASSIGN(cluster.network, parse_profile("infiniband"));
  }
  return cluster;
}

bool verifies_cells(const Options& options, std::uint64_t cells, std::uint64_t ticks) {
  return options.run.verify.value_or(cells * ticks <= kVerifiedCellTicks);
}

bool verifies_pairs(const Options& options, std::uint64_t things, double range, double width,
                    std::uint64_t ticks) {
  const double pairs = reference::swept_pairs(things, range, width);
  return options.run.verify.value_or(pairs * static_cast<double>(ticks) <= kVerifiedPairTicks);
}

Status check_own_part(const DecidedRun& run, const Options& options, Job* job) {
  if (!options.own_part || job == nullptr || job->node_count() == 1) return {};
  if (run.engine == EngineName::Vertex && program_on(run.engine, run.name())->run_part != nullptr)
    return {};
  const std::string what = run.engine == EngineName::Vertex
                               ? std::string(run.name())
                               : format("the {} engine", engine_info(run.engine).name);
  return fail(input_error("gather", format("{} has its results at the first process only", what),
                          "leave gather out"));
}

}  // namespace leeway::cli
