// Ticks and pieces with real threads and real delays: every node a thread of this process, frames held back
// as a network profile says (Tick §6, AsyTick §5, at the size of one machine). Measured, so no two runs are
// alike: rounds go through all rivals in turn, and medians are compared.
#include <algorithm>
#include <array>
#include <functional>

#include "leeway/base/format.h"
#include "leeway/benchmarks/replay/laboratory.h"
#include "leeway/benchmarks/replay/tick_trials.h"
#include "leeway/programs/piece/nbody.h"
#include "leeway/programs/tick/heat_plate.h"

namespace leeway::replay {

namespace {

constexpr std::uint32_t kRounds = 5;
constexpr std::array kNodes = {2U, 4U};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Rival {
  std::string name;
  std::function<Result<double>(const ClusterOptions&)> seconds;
};

/// The median seconds of each rival; rounds interleaved, so that what disturbs the machine disturbs all.
Result<std::vector<double>> contest(const std::vector<Rival>& rivals, std::uint32_t nodes,
                                    const NetworkProfile& network, Laboratory& lab) {
  std::vector<std::vector<double>> times(rivals.size());
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    ClusterOptions cluster = lab.cluster(nodes, network);
    cluster.fabric = Fabric::Loopback;
    cluster.seed += round;
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      lab.say(format("{} on {} threads, round {}", rivals[i].name, nodes, round + 1));
      LEEWAY_ASSIGN(const double seconds, rivals[i].seconds(cluster));
      times[i].push_back(seconds);
    }
  }
  std::vector<double> medians;
  for (auto& each : times) medians.push_back(median(std::move(each)));
  return medians;
}

Figure blank(const NetworkProfile& network, std::uint64_t seed, std::string workload) {
  Figure figure;
  figure.configuration = {{"nodes", "threads of one process, 2 and 4"},
                          {"network", network.name + ", in real time"},
                          {"workload", std::move(workload)},
                          {"rounds", std::to_string(kRounds)},
                          {"seed", std::to_string(seed)}};
  figure.notes = {"medians of rounds that go through all rivals in turn",
                  "where there are more nodes than cores, a node's idle time is another's "
                  "computing: there a barrier costs less than it would on machines of their own"};
  return figure;
}

std::vector<Column> rival_columns() {
  return {both("nodes"), shown("rival"), raw("rival"), both("seconds", ".3f", "seconds", ".6f"),
          both("over the first", ".2f", "over the first", ".4f")};
}

void add_rows(Rows& rows, std::uint32_t nodes, const std::vector<Rival>& rivals,
              const std::vector<double>& times) {
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    std::string name = rivals[i].name;
    std::erase(name, ',');
    rows.add({nodes, rivals[i].name, name, times[i], times[0] / times[i]});
  }
}

Claim faster(std::string text, double slow, double fast) {
  return {std::move(text), "less time", format("{:.2f} times as fast", slow / fast), fast < slow};
}

/// A tick of a plate so small that what the network does shows.
std::vector<Rival> tick_rivals(std::uint32_t ticks) {
  const tick::HeatSettings plate{.plate = {.columns = 400, .rows = 400}};
  std::vector<Rival> rivals;
  for (const Technique& each : {barrier(), local(), schedule(1), combined(10, 3, 5)}) {
    rivals.push_back({each.name, [=](const ClusterOptions& cluster) -> Result<double> {
                        tick::Options options = each.options;
                        options.ticks = tick::Tick(ticks);
                        LEEWAY_ASSIGN(const tick::HeatRun run,
                                      tick::run_heat(plate, options, cluster));
                        return seconds(run.elapsed);
                      }});
  }
  return rivals;
}

/// Bodies that gather and part, so that every tick is somebody's heavy one.
std::vector<Rival> piece_rivals(std::uint32_t ticks, std::uint64_t seed) {
  piece::NBodyJob job{.pieces = 16};
  job.model.width = job.model.height = 256;
  job.model.radius = 4;
  job.model.reach = 3.9;
  job.model.strength = 0.001;
  job.bodies = scene::nbody_scene({.bodies = 8'000,
                                   .groups = 16,
                                   .grouped = 0.5,
                                   .period = 32,
                                   .gathering = 0.1,
                                   .group_radius = 18,
                                   .seed = seed},
                                  job.model);
  std::vector<Rival> rivals;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto system = static_cast<piece::System>(i);
    rivals.push_back({std::string(piece::system_name(system)),
                      [=](const ClusterOptions& cluster) -> Result<double> {
                        piece::Options options;
                        options.system = system;
                        options.ticks = ticks;
                        LEEWAY_ASSIGN(const auto run, piece::run_nbody(job, cluster, options));
                        return run.record.seconds();
                      }});
  }
  return rivals;
}

}  // namespace

Result<Figure> replay_tick_loopback(Laboratory& lab) {
  const NetworkProfile network = lab.network("ec2");
  const std::uint32_t ticks = lab.settings().iterations.value_or(200);
  Figure figure =
      blank(network, lab.settings().seed, format("a plate of 400 x 400 cells, {} ticks", ticks));
  Rows rows(figure, rival_columns());
  const std::vector<Rival> rivals = tick_rivals(ticks);
  for (const std::uint32_t nodes : kNodes) {
    LEEWAY_ASSIGN(const auto times, contest(rivals, nodes, network, lab));
    add_rows(rows, nodes, rivals, times);
    const std::string on = format(", {} nodes", nodes);
    figure.claims.push_back(
        faster("local synchronization beats the global barrier" + on, times[0], times[1]));
    figure.claims.push_back(
        faster("scheduling beats local synchronization" + on, times[1], times[2]));
    figure.claims.push_back({"both techniques together beat local synchronization threefold" + on,
                             "a third of its time or less",
                             format("{:.2f} times as fast", times[1] / times[3]),
                             times[3] * 3 <= times[1]});
  }
  return figure;
}

Result<Figure> replay_asytick_loopback(Laboratory& lab) {
  const NetworkProfile network = lab.network("gigabit");
  const std::uint32_t ticks = lab.settings().iterations.value_or(96);
  Figure figure =
      blank(network, lab.settings().seed,
            format("8000 bodies, half of them in 16 groups, 16 pieces a worker, {} ticks", ticks));
  Rows rows(figure, rival_columns());
  const std::vector<Rival> rivals = piece_rivals(ticks, lab.settings().seed);
  for (const std::uint32_t nodes : kNodes) {
    LEEWAY_ASSIGN(const auto times, contest(rivals, nodes, network, lab));
    add_rows(rows, nodes, rivals, times);
    const std::string on = format(", {} nodes", nodes);
    figure.claims.push_back(faster("AsyTick-PLB is faster than ComTick" + on, times[1], times[3]));
    figure.claims.push_back(faster("and faster than OriTick" + on, times[0], times[3]));
  }
  return figure;
}

}  // namespace leeway::replay
