#include "test/campaign/snapshot_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "base/format.h"
#include "programs/catalog/program.h"
#include "protocol/policy.h"
#include "test/campaign/what_may_be_drawn.h"
#include "test/support/drawing.h"

namespace leeway::campaign {

namespace {

struct Choice {
  std::string_view name;
  bool pie = false;
  bool rounds = false;  // a fixed number of supersteps
};
constexpr std::array kPrograms = {
    Choice{"sssp"},
    Choice{"bfs"},
    Choice{"cc"},
    Choice{"pagerank"},
    Choice{"paths"},
    Choice{"shortest-path-counts"},
    Choice{"coloring"},
    Choice{"heat"},
    Choice{"wave"},
    Choice{"pagerank", false, true},
    Choice{"cdlp", false, true},
    Choice{"sssp", true},
    Choice{"bfs", true},
    Choice{"cc", true},
    Choice{"pagerank", true},
};
constexpr std::uint32_t kMostVertices = 60;
/// In virtual time. Runs on graphs of this size take less than a hundredth of it.
constexpr Duration kLimit = std::chrono::minutes(20);

class Drawer : leeway::testing::Drawing {
 public:
  explicit Drawer(std::uint64_t seed)
      : Drawing(Random(seed, 0x736E6170)), moves_(seed, 0x6D6F7665) {
    plan_.seed = seed;
  }

  SnapshotOptions draw() {
    choice_ = kPrograms[random_.below(kPrograms.size())];
    plan_.program = find_program(choice_.name);
    plan_.engine = choice_.pie ? EngineName::Pie : EngineName::Vertex;
    draw_graph();
    if (choice_.rounds) plan_.rounds = 1 + below(kMostRounds);
    const std::uint32_t legs = random_.chance(0.25) ? 3 : 2;
    for (std::uint32_t leg = 0; leg < legs; ++leg) plan_.legs.push_back(draw_leg(leg + 1 == legs));
    return std::move(plan_);
  }

 private:
  /// Long paths need many rounds, so half of the graphs are paths and ladders with a few more arcs.
  void draw_graph() {
    answers::InputGraph& graph = plan_.graph;
    const std::uint32_t vertices = 2 + below(kMostVertices - 1);
    for (std::uint32_t v = 0; v < vertices; ++v) graph.names.push_back(std::to_string(v));
    const bool mutual =
        plan_.program->symmetric || choice_.name == "heat" || choice_.name == "wave";
    graph.directed = !mutual && random_.chance(0.5);
    graph.weighted = choice_.name == "sssp" && random_.chance(0.8);
    const auto add = [&](std::uint32_t from, std::uint32_t to) {
      graph.edges.push_back({from, to, graph.weighted ? 1.0 + below(9) : 1.0});
    };
    std::uint32_t others = below(3 * vertices);
    if (random_.chance(0.5)) {
      const std::uint32_t step = 1 + below(3);
      for (std::uint32_t v = step; v < vertices; ++v) add(v - step, v);
      others = below(vertices / 4 + 2);
    }
    for (std::uint32_t i = 0; i < others; ++i) {
      const std::uint32_t from = below(vertices);
      add(from, below(vertices));
    }
    plan_.source = random_.chance(0.7) ? 0 : below(vertices);
  }

  Leg draw_leg(bool last) {
    Leg leg;
    draw_cluster(leg.options.cluster);
    draw_engine(leg.options);
    leg.options.partition.method = pick(kMethods);
    leg.options.partition.seed = plan_.seed;
    if (choice_.pie && !plan_.legs.empty() && random_.chance(0.6))
      keep_division(plan_.legs.back().options, leg.options);
    if (random_.chance(0.7)) {
      leg.every_rounds = 1 + below(random_.chance(0.5) ? 2 : 8);
    } else {
      leg.every_seconds = std::pow(10, -6 + 4 * random_.unit());
    }
    leg.kept = 1 + below(3);
    const std::uint32_t nodes = leg.options.cluster.nodes;
    leg.node = below(nodes);
    if (random_.chance(0.3)) leg.pause_at = random_.unit(), leg.pause_share = random_.unit();
    if (random_.chance(0.3)) leg.cut_at = random_.unit(), leg.cut_share = random_.unit();
    leg.side = 1 + random_.below((std::uint64_t{1} << nodes) - 1);
    if (!last && random_.chance(0.85)) leg.crash_at = -0.05 + 1.1 * random_.unit();
    return leg;
  }

  void draw_cluster(ClusterOptions& cluster) {
    cluster.fabric = Fabric::Sim;
    cluster.nodes = 1 + below(random_.chance(0.8) ? 5 : 9);
    cluster.network = parse_profile(pick(kNetworks)).value();
    cluster.policy = parse_policy(pick(kModes)).value();
    cluster.seed = random_();
    cluster.time_limit = kLimit;
    for (std::uint32_t node = 0; node < cluster.nodes && random_.chance(0.7); ++node)
      cluster.faults.slowdown_percent.push_back(100 * (1 + below(20)));
    cluster.faults.detection = std::chrono::microseconds(1 + random_.below(10'000));
  }

  void draw_fragments(pie::PieOptions& fragments) {
    fragments.workers = random_.chance(0.5) ? 0 : 1 + below(14);
    if (random_.chance(0.3)) fragments.cut = pie::Cut::Vertex;
    fragments.hops = fragments.cut == pie::Cut::Edge && random_.chance(0.2) ? 1 : 0;
    if (moves_.chance(0.3)) fragments.rebalance = 1 + static_cast<std::uint32_t>(moves_.below(5));
  }

  /// Then a checkpoint resumes from the workers' states instead of the results.
  static void keep_division(const RunOptions& before, RunOptions& now) {
    now.partition = before.partition;
    now.pie.workers = before.pie.workers_on(before.cluster.nodes);
    now.pie.cut = before.pie.cut;
    now.pie.hops = before.pie.hops;
  }

  void draw_engine(RunOptions& options) {
    EngineOptions& engine = options.vertex;
    // Schedulers by enumerator value; the pie engine has those from bsp to hsync.
    engine.scheduler = static_cast<Scheduler>(choice_.pie ? 1 + below(5) : below(7));
    if (choice_.rounds) {
      engine.scheduler = Scheduler::Bsp;
      engine.iterations = plan_.rounds;
    }
    const std::uint32_t bound = below(5);
    if (engine.scheduler == Scheduler::Ssp) engine.staleness = bound;
    if (choice_.pie) {
      return draw_fragments(options.pie);
    }
    if (random_.chance(0.5)) engine.visit = pick(kVisits);
    if (random_.chance(0.4)) engine.order = pick(kOrders);
    if (random_.chance(0.2)) engine.replicate = false;
    if (random_.chance(0.5)) engine.pieces = 1 + below(8);
  }

  Random moves_;  // a separate stream
  Choice choice_;
  SnapshotOptions plan_;
};

}  // namespace

std::string Leg::describe() const {
  const ClusterOptions& cluster = options.cluster;
  std::string text =
      format("{} nodes, {}, {}, {}, by {}", cluster.nodes, scheduler_name(options.vertex.scheduler),
             cluster.policy.name, cluster.network.name.substr(0, 12),
             partition_method_name(options.partition.method));
  if (options.pie.workers > 0) text += format(", {} workers", options.pie.workers);
  if (options.pie.cut == pie::Cut::Vertex) text += ", vertices cut";
  text += every_rounds > 0 ? format(", every {} rounds", every_rounds)
                           : format(", every {:.1e} s", every_seconds);
  if (pause_at) text += format(", node {} pauses at {:.2f}", node, *pause_at);
  if (cut_at) text += format(", cut at {:.2f}", *cut_at);
  if (crash_at) text += format(", node {} lost at {:.2f}", node, *crash_at);
  return text;
}

std::string SnapshotOptions::describe() const {
  std::string text = format("seed {}: {} by {}{}, {} vertices, {} edges{}", seed, program->name,
                            engine_word(), rounds > 0 ? format(", {} rounds", rounds) : "",
                            graph.size(), graph.edges.size(), graph.directed ? ", directed" : "");
  for (const Leg& leg : legs) text += "\n  run: " + leg.describe();
  return text;
}

std::string SnapshotOptions::repeat_command() const {
  return format("./dev soak snapshots --first {} --seeds 1 --describe", seed);
}

SnapshotOptions make_snapshot_plan(std::uint64_t seed) { return Drawer(seed).draw(); }

}  // namespace leeway::campaign
