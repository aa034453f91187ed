#include "test/campaign/time_plan.h"

#include <array>

#include "base/format.h"
#include "base/random.h"

namespace leeway::campaign {

namespace {

constexpr std::array kProfiles = {"ideal", "infiniband", "gigabit", "ec2"};
constexpr std::array kNodes = {1U, 2U, 5U, 16U, 50U};
constexpr std::array kPrograms = {TimeProgram::Fish, TimeProgram::NBody, TimeProgram::Jacobi,
                                  TimeProgram::PageRank, TimeProgram::FishFood};
constexpr const char* kSpikes =
    "custom:latency_us=40,jitter_us=200,spike_per_million=60000,spike_us=9000,gbit=1";

struct Way {
  tick::Sync sync;
  std::optional<std::uint32_t> depth, every, replicas;
};
constexpr std::array kWays = {
    Way{tick::Sync::Barrier, {}, {}, {}}, Way{tick::Sync::Local, {}, {}, {}},
    Way{tick::Sync::Schedule, 1, {}, {}}, Way{tick::Sync::Schedule, 3, {}, {}},
    Way{tick::Sync::Replicate, {}, 1, 2}, Way{tick::Sync::Replicate, {}, 2, 3},
    Way{tick::Sync::Combined, 1, 1, 0},   Way{tick::Sync::Combined, 10, 2, 3},
    Way{tick::Sync::Combined, 3, 3, 5}};

void set_way(tick::TickOptions& options, const Way& way) {
  options.sync = way.sync;
  options.depth = way.depth;
  options.every = way.every;
  options.replicas = way.replicas;
}

/// Any combination of options that `settled` accepts.
void draw_way(tick::TickOptions& options, Random& random) {
  options.sync = static_cast<tick::Sync>(random.below(5));
  const auto some = [&](std::uint64_t most) {
    return static_cast<std::uint32_t>(random.below(most));
  };
  if (options.sync == tick::Sync::Schedule || options.sync == tick::Sync::Combined)
    options.depth = 1 + some(6);
  if (options.sync == tick::Sync::Replicate || options.sync == tick::Sync::Combined) {
    options.replicas = some(6);
    options.every = 1 + some(*options.replicas + 1);
  }
}

void draw_piece_options(piece::PieceOptions& options, Random& random) {
  options.system = static_cast<piece::System>(random.below(4));
  options.scheduler = !random.chance(0.2);
  options.alpha = random.unit() / 2;
  options.beta = 1 - options.alpha;
  options.balance_every = 2 + static_cast<std::uint32_t>(random.below(4));
  if (random.chance(0.5))
    options.balance_lag = 2 + static_cast<std::uint32_t>(random.below(options.balance_every));
  options.hold = std::chrono::microseconds(random.below(300));
  options.wake = std::chrono::microseconds(random.below(20));
}

void draw_faults(ClusterOptions& cluster, Random& random) {
  for (std::uint32_t node = 0; node < cluster.nodes; ++node) {
    cluster.faults.slowdown_percent.push_back(
        random.chance(0.3) ? 100 + static_cast<std::uint32_t>(random.below(900)) : 100);
  }
  const std::uint64_t pauses = random.below(5);
  for (std::uint64_t i = 0; i < pauses; ++i) {
    cluster.faults.pauses.push_back(
        {.node = NodeId(static_cast<std::uint32_t>(random.below(cluster.nodes))),
         .at = Instant(std::chrono::microseconds(random.below(20'000))),
         .length = std::chrono::microseconds(random.below(10'000))});
  }
}

ClusterOptions virtual_cluster(std::uint32_t nodes, const char* profile, std::uint64_t seed) {
  ClusterOptions cluster;
  cluster.fabric = Fabric::Sim;
  cluster.nodes = nodes;
  cluster.network = parse_profile(profile).value();
  cluster.seed = seed;
  return cluster;
}

}  // namespace

TimePlan make_time_plan(std::uint64_t seed) {
  Random random(seed, 0x74696D65);
  TimePlan plan{.seed = seed};
  plan.pieces = random.chance(0.5);
  plan.program = kPrograms[random.below(kPrograms.size())];
  if (!plan.pieces && plan.program == TimeProgram::NBody) plan.program = TimeProgram::FishFood;
  if (plan.program == TimeProgram::FishFood) plan.pieces = false;  // tick engine only
  plan.ticks = 3 + static_cast<std::uint32_t>(random.below(14));
  plan.things = 10 + static_cast<std::uint32_t>(random.below(150));
  // One run of fifty nodes has the cost of fifty runs of few nodes.
  const std::uint32_t nodes =
      random.chance(0.05) ? 50 : 1 + static_cast<std::uint32_t>(random.below(8));
  const char* const profile =
      random.chance(0.5) ? kSpikes : kProfiles[random.below(kProfiles.size())];
  plan.cluster = virtual_cluster(nodes, profile, seed);
  draw_faults(plan.cluster, random);
  plan.pieces_each = 1 + static_cast<std::uint32_t>(random.below(12));
  draw_way(plan.tick, random);
  draw_piece_options(plan.piece, random);
  plan.tick.rebalance = random.chance(0.3) ? 2 + static_cast<std::uint32_t>(random.below(5)) : 0;
  return plan;
}

std::vector<TimePlan> time_matrix() {
  std::vector<TimePlan> all;
  for (const TimeProgram program : kPrograms) {
    for (const std::uint32_t nodes : kNodes) {
      for (const char* const profile : kProfiles) {
        TimePlan plan{.program = program, .things = 60};
        plan.cluster = virtual_cluster(nodes, profile, 1);
        for (const Way& way : kWays) {
          if (program == TimeProgram::NBody) break;  // piece engine only
          set_way(plan.tick, way);
          all.push_back(plan);
        }
        if (program == TimeProgram::FishFood) continue;
        plan.pieces = true;
        for (std::uint32_t system = 0; system < 4; ++system) {
          plan.piece.system = static_cast<piece::System>(system);
          all.push_back(plan);
        }
      }
    }
  }
  return all;
}

std::string TimePlan::describe() const {
  constexpr std::array kNames = {"fish", "nbody", "jacobi", "pagerank", "fish-food"};
  std::string text = format("seed {}: {}, {} of them, {} ticks on {} nodes, {}", seed,
                            kNames[static_cast<std::size_t>(program)], things, ticks, cluster.nodes,
                            cluster.network.name);
  if (pieces) {
    return text + format(", pieces: {}, {} each, balanced every {}",
                         piece::system_name(piece.system), pieces_each, piece.balance_every);
  }
  return text + format(", ticks: {}, d = {}, k = {}, m = {}, rebalanced every {}",
                       tick::sync_name(tick.sync), tick.depth.value_or(0), tick.every.value_or(1),
                       tick.replicas.value_or(0), tick.rebalance);
}

}  // namespace leeway::campaign
