#include "benchmarks/replay/asytick.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/format.h"
#include "base/random.h"
#include "benchmarks/replay/laboratory.h"
#include "datasets/graph.h"
#include "programs/linear_system/piece.h"
#include "programs/pagerank/piece.h"
#include "programs/scene/spatial.h"

namespace leeway::replay {

namespace {

using namespace leeway::piece;

// A thing of the simulation represents many of the paper's (Table 3). Computing is charged for all of them, at the
// prices of one core of a Xeon E5-2670: 10 ns for an effect of one thing on another or an arc of a web graph, 1 ns for
// a coefficient of a dense row. Messages are charged for what the paper's data would make them carry (StandInScale).
constexpr std::uint64_t kPairPs = 10'000;
constexpr std::uint64_t kCoefficientPs = 1'000;
constexpr double kPaperFish = 5e9;
constexpr double kPaperBodies = 5e8;
constexpr double kPaperPages = 4'847'571;
constexpr double kPaperArcs = 68'993'773;
constexpr double kPaperRows = 5e4;

constexpr std::uint32_t kFish = 96'000;
constexpr std::uint32_t kBodies = 48'000;
constexpr std::uint32_t kGroups = 256;
// LiveJournal has 14.2 arcs a vertex, and its greatest hub has 5 % of a worker's share of the arcs; this graph has 14.7
// and 5 %.
constexpr std::string_view kWeb = "powerlaw:131072:1.5";
constexpr std::uint32_t kRows = 2'048;
constexpr std::uint32_t kUsualWorkers = 256;  // the paper's cores, one worker each
constexpr std::uint32_t kQuickWorkers = 16;
constexpr std::uint32_t kAsyTickTicks = 64;  // Figure 4 shows ticks 50 and 51
constexpr std::uint32_t kGraphPieces = 2;    // every piece needs almost every other
constexpr std::uint32_t kSpacePieces = 64;
constexpr std::uint32_t kPaperSpacePieces =
    1'024 * 1'024 / 256;            // per worker, §5.4: the best number for n-body
constexpr double kWorkerSide = 64;  // pieces are 8 wide, and interactions reach 8

// The paper's cluster: 16 nodes with 16 cores each and a 2 Gigabit Ethernet.
constexpr std::uint32_t kCores = 16;
constexpr std::uint64_t kInterfacePs = 4'250;  // a byte: two of the gigabit profile's links

/// Hosts as in the paper: a host has a row of the square of workers, which is 16 of 256. Frames within a host: MPI over
/// shared memory.
SharedHosts hosts_for(std::uint32_t workers) {
  SharedHosts hosts{.cores = kCores};
  hosts.count = static_cast<std::uint32_t>(std::lround(std::sqrt(workers)));
  hosts.within = {.name = "shared memory", .latency_ns = {500}};
  hosts.within.picoseconds_per_byte = 200;  // 5 GB/s
  hosts.within.send_cost_ns = 200;
  hosts.within.receive_cost_ns = 300;
  return hosts;
}

/// A host's interface. A host with fewer than 16 workers has as much less of it, so that a worker's share is the same.
NetworkProfile network_of(const Laboratory& lab, std::uint32_t workers) {
  NetworkProfile network = lab.network("gigabit");
  if (!lab.settings().network) network.picoseconds_per_byte = kInterfacePs;
  network.picoseconds_per_byte =
      network.picoseconds_per_byte * kCores * hosts_for(workers).count / workers;
  return network;
}

/// The number of the paper's things for one of ours: of those that a tick computes, and of the values that another
/// worker's pieces need in a tick.
struct StandInScale {
  double computed = 1;
  double needed = 1;
};

/// In a plane, `things` times as many things in the same area see as many others each if the visibility is shorter by
/// the square root. Another worker needs the strip along its border that is as wide as the visibility, so the number of
/// things in it grows with the square root only.
StandInScale in_plane(double things) { return {things, std::sqrt(things)}; }

std::string described(const std::string& scene, StandInScale scale) {
  return format("{}, each charged as {:.0f} of the paper's, and as {:.0f} in a message", scene,
                scale.computed, scale.needed);
}

std::uint64_t standing_for(double count, std::uint64_t price) {
  return static_cast<std::uint64_t>(count * static_cast<double>(price));
}

/// Other users of the machine slow down workers (§5.1): in one tick of fifty, a worker shares its core and takes up
/// to twice as long.
std::uint32_t slowed(std::uint64_t seed, NodeId worker, TickId tick, std::uint32_t skew) {
  Random random(seed ^ 0x74656E616E74, std::uint64_t{worker.value()} << 32U | tick.value());
  if (random.below(50) >= skew) return 100;
  return 120 + static_cast<std::uint32_t>(random.below(81));
}

PieceOptions options_of(const AsyTickTrial& trial, std::uint64_t seed) {
  PieceOptions options;
  options.system = trial.system;
  options.scheduler = trial.scheduler;
  options.ticks = trial.ticks != 0 ? trial.ticks : kAsyTickTicks;
  options.wake = std::chrono::microseconds(5);  // wake-up time of a sleeping thread
  options.trace = trial.disturbed_tick > 0;
  // For PageRank and Jacobi only ticks determine priority (§5.3, Figure 10).
  if (trial.benchmark == AsyTickBenchmark::PageRank ||
      trial.benchmark == AsyTickBenchmark::Jacobi) {
    options.alpha = 0;
    options.beta = 1;
  }
  options.disturbance = [trial, seed](NodeId worker, TickId tick) -> std::uint32_t {
    if (trial.disturbed_tick > 0 && tick.value() == trial.disturbed_tick &&
        worker.value() ==
            trial.workers / 2 + static_cast<std::uint32_t>(std::sqrt(trial.workers)) / 2) {
      return 600;
    }
    return slowed(seed, worker, tick, trial.skew);
  };
  return options;
}

std::uint32_t grown(std::uint32_t count, double scale) {
  return static_cast<std::uint32_t>(count * scale);
}

/// Schools that swim through one another: discs of fish with one heading each, and single fish.
FishJob fish_job(const AsyTickTrial& trial, double scale, std::uint64_t seed) {
  FishJob job;
  job.pieces = trial.pieces == 0 ? kSpacePieces : trial.pieces;
  const double side = kWorkerSide * std::sqrt(kUsualWorkers * scale);
  job.model.width = job.model.height = side;
  job.model.visibility = 6;
  job.model.reach = 1.9;
  job.model.personal = 2;
  const std::uint32_t count = grown(kFish, scale);
  job.things = scene::school(job.model, count, count / 20, 2, seed);
  constexpr std::uint32_t kSchools = 96;
  for (scene::Fish& fish : job.things) {
    Random random(seed ^ 0x7363686F6F6C, fish.id);
    if (random.below(2) == 0) continue;
    Random school(seed ^ 0x646973637300, random.below(std::max(grown(kSchools, scale), 1U)));
    const double heading = 2 * std::numbers::pi * school.unit();
    const double x = school.unit() * side;
    const double y = school.unit() * side;
    const double far = 64 * std::sqrt(random.unit());
    const double angle = 2 * std::numbers::pi * random.unit();
    fish.x = std::clamp(x + far * std::cos(angle), 0.0, side);
    fish.y = std::clamp(y + far * std::sin(angle), 0.0, side);
    fish.vx = std::cos(heading);
    fish.vy = std::sin(heading);
  }
  const std::uint64_t price = standing_for(kPaperFish / kFish, kPairPs);
  job.prices = {.pair = price, .thing = price, .look = 0};
  return job;
}

/// Bodies with a density gradient, and groups that gather and disperse with different phases. Larger data have more
/// groups in a larger box of equal density, so the number of interacting bodies grows proportionally.
NBodyJob nbody_job(const AsyTickTrial& trial, double scale, std::uint64_t seed) {
  NBodyJob job;
  job.pieces = trial.pieces == 0 ? kSpacePieces : trial.pieces;
  const double data = trial.percent_of_data / 100.0;
  const double side = kWorkerSide * std::sqrt(kUsualWorkers * scale * data);
  job.model.width = job.model.height = side;
  job.model.radius = 4;
  job.model.reach = 3.9;
  job.model.strength = 0.001;
  job.things = nbody_scene({.bodies = grown(kBodies, scale * data),
                            .groups = grown(kGroups, scale * data),
                            .grouped = 0.5,
                            .period = 32,
                            .gathering = 0.1,
                            .group_radius = 18,
                            .uneven = 0.6,
                            .seed = seed},
                           job.model);
  const std::uint64_t price = standing_for(kPaperBodies / kBodies, kPairPs);
  job.prices = {.pair = price, .thing = price, .look = 0};
  return job;
}

/// Runs a spatial job. The network charges a thing for all of the paper's things in its place in a strip; a piece that
/// moves takes along all of its things, which are more. A piece replaces 64 of the paper's, and an arrival 64 arrivals.
template <class Job>
Result<PieceRecord> measure_space(const Job& job, StandInScale scale, ClusterOptions cluster,
                                  PieceOptions options) {
  cluster.network = cluster.network.carrying(scale.needed);
  cluster.hosts.within = cluster.hosts.within.carrying(scale.needed);
  options.moved_bytes = scale.computed / scale.needed;
  options.wake *= kPaperSpacePieces / kSpacePieces;
  LEEWAY_ASSIGN(auto run, run_spatial(job, cluster, options));
  return std::move(run.record);
}

/// Range partitioning (§3.3): equal numbers of pages, but not of arcs. `share`: of the paper's graph.
Result<PieceRecord> measure_web(const AsyTickTrial& trial, double share, InputCache& inputs,
                                const ClusterOptions& cluster, PieceOptions options) {
  LEEWAY_ASSIGN(const Graph* const graph,
                inputs.graph({.place = std::string(kWeb), .weights = false}));
  PageRankJob job{.fixed = true, .pieces = trial.pieces == 0 ? kGraphPieces : trial.pieces};
  job.partition.method = PartitionMethod::Block;
  const double pages = kPaperPages * share / graph->vertex_count();
  job.arc_ps = standing_for(kPaperArcs * share / static_cast<double>(graph->arc_count()), kPairPs);
  job.vertex_ps = standing_for(pages, kPairPs);
  options.needed_bytes = options.moved_bytes = std::max(pages, 1.0);
  LEEWAY_ASSIGN(PageRankResult run, run_pagerank(*graph, job, cluster, options));
  return std::move(run.record);
}

/// A dense system (§5, Table 3): every piece needs all values. A row adds up one sum for each piece and divides by its
/// diagonal. `share`: of the paper's coefficients.
Result<PieceRecord> measure_system(const AsyTickTrial& trial, double share, InputCache& inputs,
                                   const ClusterOptions& cluster, PieceOptions options) {
  LEEWAY_ASSIGN(const Graph* const matrix,
                inputs.graph({.place = format("matrix:dominant:{}", kRows)}));
  const LinearSystem system{.matrix = *matrix, .right_side = std::vector<double>(kRows, 1.0)};
  LinearSystemJob job{.pieces = trial.pieces == 0 ? kGraphPieces : trial.pieces};
  job.partition.method = PartitionMethod::Block;
  const double rows = kPaperRows * std::sqrt(share) / kRows;
  const double sums = static_cast<double>(job.pieces) * trial.workers;
  job.entry_ps = standing_for(rows * rows, kCoefficientPs);
  job.row_ps = standing_for(rows, kPairPs) + standing_for(rows * sums, kCoefficientPs);
  options.needed_bytes = options.moved_bytes = std::max(rows, 1.0);
  LEEWAY_ASSIGN(LinearSystemResult run, run_linear_system(system, job, cluster, options));
  return std::move(run.record);
}

}  // namespace

std::string_view paper_name(AsyTickBenchmark benchmark) {
  constexpr std::array<std::string_view, 4> kNames = {"FS", "PageRank", "n-body", "Jacobi"};
  return kNames[static_cast<std::size_t>(benchmark)];
}

namespace {

/// As part of `all`, fewer workers than in the paper are used.
std::uint32_t workers_of(const Laboratory& lab) {
  const bool quick = lab.settings().all && !lab.settings().full_scale;
  return lab.nodes(quick ? kQuickWorkers : kUsualWorkers);
}

RunKey key_of(const AsyTickTrial& trial) {
  return {{"benchmark", paper_name(trial.benchmark)},
          {"system", system_name(trial.system)},
          {"scheduler", trial.scheduler},
          {"workers", trial.workers},
          {"pieces", trial.pieces},
          {"percent_of_data", trial.percent_of_data},
          {"disturbed_tick", trial.disturbed_tick},
          {"skew", trial.skew},
          {"ticks", trial.ticks}};
}

Result<PieceRecord> measure(Laboratory& lab, const AsyTickTrial& trial) {
  const std::uint64_t seed = lab.settings().seed;
  ClusterOptions cluster = lab.cluster(trial.workers, network_of(lab, workers_of(lab)));
  cluster.hosts = hosts_for(trial.workers);
  const PieceOptions options = options_of(trial, seed);
  // With fewer workers, the work per worker is the same.
  const double scale = static_cast<double>(workers_of(lab)) / kUsualWorkers;
  switch (trial.benchmark) {
    case AsyTickBenchmark::Fish:
      return measure_space(fish_job(trial, scale, seed), in_plane(kPaperFish / kFish), cluster,
                           options);
    case AsyTickBenchmark::NBody:
      return measure_space(nbody_job(trial, scale, seed), in_plane(kPaperBodies / kBodies), cluster,
                           options);
    case AsyTickBenchmark::PageRank:
      return measure_web(trial, scale, lab.inputs(), cluster, options);
    case AsyTickBenchmark::Jacobi:
      return measure_system(trial, scale, lab.inputs(), cluster, options);
  }
  LEEWAY_UNREACHABLE("an unknown benchmark", trial.workers);
}

}  // namespace

std::uint64_t frames_of(const PieceRecord& run) { return run.count(Counter::Frames); }

std::vector<RawCell> raw_cells(const AsyTickRun& run) {
  std::vector<RawCell> cells = {{"seconds", run.seconds()},
                                {"even_seconds", run.even_seconds()},
                                {"barrier_seconds", run.barrier_seconds()},
                                {"runtime_share", run.overhead_share()},
                                {"asynchronous_share", run.asynchronous_share()},
                                {"frames", frames_of(run)}};
  for (piece::TickId tick(0); tick.value() < run.ticks; tick = tick.next()) {
    cells.emplace_back(format("lambda_l_{}", tick.value()), run.lambda_l(tick));
    cells.emplace_back(format("lambda_c_{}", tick.value()), run.lambda_c(tick));
  }
  return cells;
}

AsyTickTrial asytick_trial(const Laboratory& lab, AsyTickBenchmark benchmark, System system) {
  return {.benchmark = benchmark, .system = system, .workers = workers_of(lab)};
}

Result<const AsyTickRun*> run_asytick(Laboratory& lab, const AsyTickTrial& trial) {
  return lab.study().run<AsyTickRun>(key_of(trial), [&]() -> Result<AsyTickRun> {
    lab.announce(format("{} under {} on {} workers", paper_name(trial.benchmark),
                        system_name(trial.system), trial.workers));
    LEEWAY_ASSIGN(PieceRecord record, measure(lab, trial));
    return AsyTickRun{std::move(record)};
  });
}

Result<const AsyTickRun*> run_asytick(Laboratory& lab, AsyTickBenchmark benchmark, System system) {
  return run_asytick(lab, asytick_trial(lab, benchmark, system));
}

Figure blank_asytick(Laboratory& lab) {
  lab.study().begin_figure();
  const std::uint32_t workers = workers_of(lab);
  const NetworkProfile network = network_of(lab, workers);
  Figure figure;
  figure.configuration = {
      {"workers", format("{} virtual, on {} hosts", workers, hosts_for(workers).count)},
      {"network", format("{}, {} ps a byte at the interface of a host", network.name,
                         network.picoseconds_per_byte)},
      {"FS", described(format("{} fish in 96 schools", kFish), in_plane(kPaperFish / kFish))},
      {"n-body", described(format("{} bodies, half of them in {} groups", kBodies, kGroups),
                           in_plane(kPaperBodies / kBodies))},
      {"PageRank", format("{}, in ranges of vertices, for LiveJournal", kWeb)},
      {"Jacobi", format("a dense system of {0} rows, for one of {1:.0f}", kRows, kPaperRows)},
      {"ticks", std::to_string(kAsyTickTicks)},
  };
  figure.notes = {
      "computing and messages cost what the paper's data would; on fewer than 256 workers, data of "
      "which a worker has as much",
      "the paper's scenes are not published: ours have bodies that gather and disperse in groups, "
      "fish in schools, and workers that are slowed down in one tick of fifty",
  };
  return figure;
}

}  // namespace leeway::replay
