#include "benchmarks/replay/asytick_trials.h"

#include <cmath>
#include <numbers>

#include "base/format.h"
#include "base/random.h"
#include "benchmarks/replay/laboratory.h"
#include "leeway/graph.h"
#include "programs/piece/jacobi.h"
#include "programs/piece/pagerank.h"
#include "programs/piece/spatial.h"

namespace leeway::replay {

namespace {

using namespace leeway::piece;

// A thing of the simulation represents many of the paper's (Table 3), and is charged for all of them, at the prices
// of one core of a Xeon E5-2670: 10 ns for an effect of one thing on another or an arc of a web graph, 1 ns for a
// coefficient of a dense row.
constexpr std::uint64_t kPairPs = 10'000;
constexpr std::uint64_t kCoefficientPs = 1'000;
constexpr double kPaperFish = 5e9;
constexpr double kPaperBodies = 5e8;
constexpr double kPaperArcs = 68'993'773;
constexpr double kPaperCoefficients = 5e4 * 5e4;

constexpr std::uint32_t kFish = 96'000;
constexpr std::uint32_t kBodies = 48'000;
constexpr std::uint32_t kGroups = 256;
constexpr std::uint32_t kRankedVertices =
    32'768;  // uniform: LiveJournal's greatest hub is a twentieth of a worker's share
constexpr std::uint32_t kPlateSide = 2'048;
constexpr std::uint32_t kUsualWorkers = 256;  // the paper's cores, one worker each
constexpr std::uint32_t kQuickWorkers = 16;
constexpr std::uint32_t kAsyTickTicks = 64;  // Figure 4 shows ticks 50 and 51
constexpr std::uint32_t kGraphPieces = 2;    // every piece needs almost every other
constexpr std::uint32_t kPlatePieces = 4;
constexpr std::uint32_t kSpacePieces = 64;
constexpr double kWorkerSide = 64;  // pieces are 8 wide, and interactions reach 8

std::uint64_t standing_for(double paper, double here, std::uint64_t price) {
  return static_cast<std::uint64_t>(paper / here * static_cast<double>(price));
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
  // PageRank's distance to a boundary is undefined (§4.2.2): only ticks determine priority.
  if (trial.benchmark == AsyTickBenchmark::PageRank) {
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
  const std::uint64_t price = standing_for(kPaperFish, kFish, kPairPs);
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
  const std::uint64_t price = standing_for(kPaperBodies, kBodies, kPairPs);
  job.prices = {.pair = price, .thing = price, .look = 0};
  return job;
}

Result<PieceRecord> measure_web(const AsyTickTrial& trial, double scale,
                                const ClusterOptions& cluster, const PieceOptions& options) {
  LoadOptions load;
  load.seed = cluster.seed;
  LEEWAY_ASSIGN(const Graph graph,
                generate(format("uniform:{}:32", grown(kRankedVertices, scale)), load));
  PageRankJob job{.what = {.tolerance = 0},
                  .pieces = trial.pieces == 0 ? kGraphPieces : trial.pieces};
  job.partition.method = PartitionMethod::Random;  // equal vertices, but not arcs
  job.arc_ps = standing_for(kPaperArcs * scale, static_cast<double>(graph.arc_count()), kPairPs);
  job.vertex_ps = job.arc_ps;
  LEEWAY_ASSIGN(PageRankResult run, run_pagerank(graph, job, cluster, options));
  return std::move(run.record);
}

}  // namespace

std::string_view paper_name(AsyTickBenchmark benchmark) {
  constexpr std::array<std::string_view, 4> kNames = {"FS", "PageRank", "n-body", "Jacobi"};
  return kNames[static_cast<std::size_t>(benchmark)];
}

/// As part of `all`, fewer workers than in the paper are used.
AsyTickTrials::AsyTickTrials(Laboratory& lab)
    : lab_(lab),
      network_(lab.network("gigabit")),
      workers_(lab.nodes(lab.settings().all && !lab.settings().full_scale ? kQuickWorkers
                                                                          : kUsualWorkers)) {}

AsyTickTrial AsyTickTrials::trial(AsyTickBenchmark benchmark, System system) const {
  return {.benchmark = benchmark, .system = system, .workers = workers_};
}

Result<const PieceRecord*> AsyTickTrials::run(const AsyTickTrial& trial) {
  const auto known = results_.find(trial);
  if (known != results_.end()) return &known->second;
  lab_.announce(format("{} under {} on {} workers", paper_name(trial.benchmark),
                       system_name(trial.system), trial.workers));
  LEEWAY_ASSIGN(PieceRecord record, measure(trial));
  return &results_.emplace(trial, std::move(record)).first->second;
}

Result<PieceRecord> AsyTickTrials::measure(const AsyTickTrial& trial) const {
  const std::uint64_t seed = lab_.settings().seed;
  const ClusterOptions cluster = lab_.cluster(trial.workers, network_);
  const PieceOptions options = options_of(trial, seed);
  // With fewer workers, the work per worker is the same.
  const double scale = static_cast<double>(workers_) / kUsualWorkers;
  switch (trial.benchmark) {
    case AsyTickBenchmark::Fish: {
      LEEWAY_ASSIGN(auto run, run_spatial(fish_job(trial, scale, seed), cluster, options));
      return std::move(run.record);
    }
    case AsyTickBenchmark::NBody: {
      LEEWAY_ASSIGN(auto run, run_spatial(nbody_job(trial, scale, seed), cluster, options));
      return std::move(run.record);
    }
    case AsyTickBenchmark::PageRank:
      return measure_web(trial, scale, cluster, options);
    case AsyTickBenchmark::Jacobi:
      break;
  }
  const std::uint32_t side = grown(kPlateSide, std::sqrt(scale));
  JacobiJob job{.plate = {.columns = side, .rows = side},
                .seed = seed,
                .pieces = trial.pieces == 0 ? kPlatePieces : trial.pieces};
  job.cell_ps = standing_for(kPaperCoefficients, double{kPlateSide} * kPlateSide, kCoefficientPs);
  LEEWAY_ASSIGN(JacobiResult run, run_jacobi(job, cluster, options));
  return std::move(run.record);
}

Figure AsyTickTrials::blank() const {
  Figure figure;
  figure.configuration = {
      {"workers", format("{} virtual, one per node", workers_)},
      {"network", network_.name},
      {"seed", std::to_string(lab_.settings().seed)},
      {"FS", format("{} fish in 96 schools, each charged as {:.0f} of the paper's", kFish,
                    kPaperFish / kFish)},
      {"n-body", format("{} bodies, half of them in {} groups, each charged as {:.0f}", kBodies,
                        kGroups, kPaperBodies / kBodies)},
      {"PageRank",
       format(
           "{} pages of 32 links, distributed at random, each link charged as 66 of LiveJournal's",
           kRankedVertices)},
      {"Jacobi", format("a plate of {0} x {0} cells, each charged as {1:.0f} coefficients",
                        kPlateSide, kPaperCoefficients / (double{kPlateSide} * kPlateSide))},
      {"ticks", std::to_string(kAsyTickTicks)},
  };
  figure.notes = {
      "computing costs what the paper's data would, messages carry only what is simulated: "
      "communication is cheaper here",
      "the paper's scenes are not published: ours have bodies that gather and disperse in groups, "
      "fish in schools, and workers that are slowed down in one tick of fifty",
  };
  return figure;
}

}  // namespace leeway::replay
