#include <algorithm>
#include <array>
#include <cmath>

#include "programs/catalog/program.h"
#include "protocol/policy.h"
#include "test/answers/draw_graph.h"
#include "test/campaign/what_may_be_drawn.h"
#include "test/hunt/plan.h"
#include "test/support/drawing.h"

namespace leeway::hunt {

namespace {

using campaign::kMethods;
using campaign::kModes;
using campaign::kMostRounds;
using campaign::kNetworks;
using campaign::kOrders;
using campaign::kVisits;

struct Choice {
  std::string_view name;
  bool pie = false;
};
constexpr std::array kPrograms = {
    Choice{"sssp"},           Choice{"bfs"},        Choice{"cc"},
    Choice{"pagerank"},       Choice{"paths"},      Choice{"shortest-path-counts"},
    Choice{"coloring"},       Choice{"heat"},       Choice{"wave"},
    Choice{"cdlp"},           Choice{"lcc"},        Choice{"degree"},
    Choice{"sssp", true},     Choice{"bfs", true},  Choice{"cc", true},
    Choice{"pagerank", true}, Choice{"sssp", true}, Choice{"pagerank", true},
};

class Drawer : leeway::testing::Drawing {
 public:
  Drawer(std::uint64_t seed, bool over_threads)
      : Drawing(Random(seed, over_threads ? 0x74687264 : 0x68756E74)) {
    plan_.seed = seed;
    plan_.options.cluster.fabric = over_threads ? Fabric::Loopback : Fabric::Sim;
  }

  HuntPlan draw() {
    const Choice choice = kPrograms[random_.below(kPrograms.size())];
    plan_.program = find_program(choice.name);
    plan_.engine = choice.pie ? EngineName::Pie : EngineName::Vertex;
    draw_input();
    draw_cluster();
    draw_prices();
    draw_troubles();
    if (choice.pie) {
      draw_fragments();
    } else {
      draw_vertex_engine();
    }
    draw_division();
    draw_limits();
    draw_cache();
    return std::move(plan_);
  }

 private:
  /// Log-uniform: every order of magnitude is equally likely.
  double magnitude(double least, double most) {
    return least * std::pow(most / least, random_.unit());
  }
  Duration time(double least_s, double most_s) {
    return Duration(static_cast<Duration::rep>(1e9 * magnitude(least_s, most_s)));
  }

  void draw_input() {
    const std::string_view name = plan_.program->name;
    const bool mutual = plan_.program->symmetric || name == "heat" || name == "wave";
    answers::InputGraph graph = answers::draw_graph(
        mutual || name == "cc" ? answers::Suits::Mutual : answers::Suits::Paths, random_);
    graph.form = answers::FileForm::Edges;
    graph.words = false;
    for (std::uint32_t v = 0; v < graph.size(); ++v) graph.names[v] = std::to_string(v);
    if (mutual) graph.directed = false;
    if (name != "sssp") graph.weighted = false;
    if (!graph.weighted) {
      for (answers::InputEdge& edge : graph.edges) edge.weight = 1;
    }
    if (graph.size() == 0) graph.names.emplace_back("0");  // the source must be a vertex
    plan_.graph = std::move(graph);
    if (plan_.program->takes(Parameter::Source) && random_.chance(0.3))
      plan_.source = below(plan_.graph.size());
    if (name == "pagerank" && random_.chance(0.2)) plan_.damping = random_.chance(0.5) ? 0.5 : 0.95;
  }

  void draw_cluster() {
    ClusterOptions& cluster = plan_.options.cluster;
    const bool threads = plan_.over_threads();
    cluster.nodes = 1 + below(threads ? 4 : random_.chance(0.7) ? 6 : 24);
    cluster.network = parse_profile(threads ? pick(std::array{"ideal", "infiniband", "gigabit"})
                                            : pick(kNetworks))
                          .value();
    if (random_.chance(0.15))
      cluster.network.window_bytes = std::uint64_t{1024} << random_.below(9);
    cluster.policy = parse_policy(pick(kModes)).value();
    cluster.seed = random_();
  }

  void draw_prices() {
    CostModel& cost = plan_.options.cluster.cost;
    switch (random_.below(4)) {
      case 0:
        break;
      case 1:
        cost = CostModel::free();
        break;
      case 2:
        cost = CostModel::tardis();
        break;
      default:
        for (std::uint64_t* price :
             {&cost.fetch_ps, &cost.store_ps, &cost.edge_ps, &cost.vertex_ps, &cost.byte_ps})
          *price = static_cast<std::uint64_t>(magnitude(1, 1e8));
    }
    EngineOptions& engine = plan_.options.vertex;
    (void)random_.chance(0.5);  // keeps the meaning of the seeds in known_finds.txt
    if (random_.chance(0.5)) engine.batch_ps = static_cast<std::uint64_t>(magnitude(1e3, 1e10));
  }

  void draw_troubles() {
    ClusterOptions& cluster = plan_.options.cluster;
    if (plan_.over_threads()) return;
    if (random_.chance(0.4)) {
      cluster.faults.slowdown_percent.assign(cluster.nodes, 100);
      for (std::uint32_t i = 1 + below(2); i > 0; --i)
        cluster.faults.slowdown_percent[below(cluster.nodes)] = 100 + below(2900);
    }
    for (std::uint32_t i = random_.chance(0.3) ? 1 + below(3) : 0; i > 0; --i) {
      const NodeId node(below(cluster.nodes));
      const Instant at = Instant() + time(1e-7, 1);
      cluster.faults.pauses.push_back({node, at, time(1e-6, 0.5)});
    }
    if (random_.chance(0.15)) {
      const std::uint64_t side = 1 + random_.below((std::uint64_t{1} << cluster.nodes) - 1);
      const Instant at = Instant() + time(1e-7, 1);
      cluster.faults.cuts.push_back({side, at, time(1e-6, 0.5)});
    }
  }

  void draw_fragments() {
    EngineOptions& engine = plan_.options.vertex;
    engine.scheduler = static_cast<Scheduler>(1 + below(5));  // from bsp to hsync
    const std::uint32_t bound = below(5);
    if (engine.scheduler == Scheduler::Ssp ||
        (engine.scheduler == Scheduler::Aap && random_.chance(0.5)))
      engine.staleness = bound;
    pie::PieOptions& fragments = plan_.options.pie;
    if (random_.chance(0.5)) fragments.workers = 1 + below(random_.chance(0.8) ? 16 : 40);
    if (random_.chance(0.25)) fragments.cut = pie::Cut::Vertex;
    if (fragments.cut == pie::Cut::Edge && random_.chance(0.2)) fragments.hops = below(4);
    if (plan_.over_threads()) engine.threads = 1 + below(3);
  }

  void draw_vertex_engine() {
    EngineOptions& engine = plan_.options.vertex;
    engine.scheduler = static_cast<Scheduler>(below(7));
    const std::uint32_t bound = below(5);
    const std::string_view name = plan_.program->name;
    const bool labels = name == "cdlp";
    if (labels && random_.chance(0.7)) engine.scheduler = Scheduler::Bsp;
    if (engine.scheduler == Scheduler::Ssp) engine.staleness = bound;
    if (random_.chance(labels ? 0.75 : name == "pagerank" ? 0.3 : 0.1))
      engine.iterations = 1 + below(kMostRounds);
    if (labels) engine.patience = 100 + below(400);  // labels may oscillate forever
    if (random_.chance(0.4)) engine.visit = pick(kVisits);
    if (random_.chance(0.3)) engine.order = pick(kOrders);
    if (random_.chance(0.2)) engine.replicate = false;
    if (random_.chance(0.3)) engine.lookahead = below(40);
    if (random_.chance(0.5)) engine.pieces = 1 + below(random_.chance(0.5) ? 6 : 40);
    if (random_.chance(0.3)) engine.alpha = random_.chance(0.3) ? 1 : random_.unit();
    engine.beta = 1 - engine.alpha;
    const bool in_rounds =
        engine.scheduler == Scheduler::DoWork || engine.scheduler == Scheduler::Bsp;
    if (in_rounds && random_.chance(0.1)) {
      engine.cache.objects = 16 + below(8);
      engine.visit = Visit::All;
      engine.order = WorkOrder::Owner;
    }
    if (plan_.over_threads() && engine.scheduler != Scheduler::AsyTick)
      engine.threads = 1 + below(3);
  }

  void draw_division() {
    plan_.options.partition.method = pick(kMethods);
    plan_.options.partition.seed = plan_.seed;
    if (plan_.options.pie.cut == pie::Cut::Edge && random_.chance(0.3))
      plan_.owners = answers::draw_owners(plan_.graph.size(), plan_.parts(), random_);
  }

  /// Drawn last, so that older seeds keep their meaning.
  void draw_limits() {
    EngineOptions& engine = plan_.options.vertex;
    if (engine.iterations) return;
    const std::string_view name = plan_.program->name;
    if (random_.chance(0.15)) engine.patience = 1 + below(random_.chance(0.5) ? 8 : 2000);
    if (random_.chance(0.1)) engine.most_iterations = 1 + below(40);
    if (name == "pagerank" && plan_.by_fragments()) plan_.exact = random_.chance(0.25);
    const bool by_sweeps =
        !plan_.by_fragments() && (name == "pagerank" || name == "heat" || name == "wave");
    if (!by_sweeps || !random_.chance(0.15)) return;
    plan_.exact = true;  // the last digits need not converge
    engine.patience = 1 + below(2000);
  }

  /// A bounded cache under any schedule, and its eviction policy.
  void draw_cache() {
    EngineOptions& engine = plan_.options.vertex;
    if (plan_.by_fragments()) return;
    if (!engine.cache.any() && random_.chance(0.1)) engine.cache.objects = 16 + below(8);
    if (random_.chance(0.3)) engine.cache.eviction = Eviction::Clock;
    if (random_.chance(0.3)) engine.cache.eviction = Eviction::Lru;
  }

  HuntPlan plan_;
};

}  // namespace

HuntPlan draw_plan(std::uint64_t seed, bool over_threads) {
  return Drawer(seed, over_threads).draw();
}

}  // namespace leeway::hunt
