#include "test/hunt/plan.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "base/format.h"
#include "protocol/policy.h"

namespace leeway::hunt {

namespace {

constexpr std::array<std::string_view, 23> kTraits = {
    "pauses", "cuts",    "slow",     "window", "network", "prices",           "batch",  "cache",
    "mode",   "visit",   "order",    "copies", "ahead",   "pieces",           "rounds", "workers",
    "cut",    "threads", "schedule", "bound",  "owners",  "program settings", "limit"};

bool same(const CostModel& a, const CostModel& b) {
  return a.fetch_ps == b.fetch_ps && a.store_ps == b.store_ps && a.edge_ps == b.edge_ps &&
         a.vertex_ps == b.vertex_ps && a.byte_ps == b.byte_ps;
}

/// Resets a value to its default; false if it has the default.
template <class T>
bool reset(T& value, T otherwise) {
  if (value == otherwise) return false;
  value = std::move(otherwise);
  return true;
}

bool reset_cost(CostModel& cost) {
  const bool had = !same(cost, CostModel());
  cost = CostModel();
  return had;
}

bool take_back_troubles(HuntPlan& plan, std::string_view trait) {
  Faults& faults = plan.options.cluster.faults;
  const auto clear = [](auto& all) {
    const bool had = !all.empty();
    all.clear();
    return had;
  };
  if (trait == "pauses") return clear(faults.pauses);
  if (trait == "cuts") return clear(faults.cuts);
  return clear(faults.slowdown_percent);
}

bool take_back_engine(HuntPlan& plan, std::string_view trait) {
  EngineOptions& engine = plan.options.vertex;
  pie::PieOptions& fragments = plan.options.pie;
  const EngineOptions plain;
  const bool in_rounds = plan.by_fragments() ? engine.scheduler == Scheduler::Bsp
                                             : engine.scheduler == Scheduler::DoWork;
  if (trait == "batch") return reset(engine.batch_ps, plain.batch_ps);
  if (trait == "cache") return reset(engine.cache.objects, plain.cache.objects);
  if (trait == "visit") return reset(engine.visit, plain.visit);
  if (trait == "order") return reset(engine.order, plain.order);
  if (trait == "copies") return reset(engine.replicate, plain.replicate);
  if (trait == "ahead") return reset(engine.lookahead, plain.lookahead);
  if (trait == "rounds") return reset(engine.iterations, {});
  if (trait == "limit") {
    const bool rounds = reset(engine.most_iterations, {});
    if (plan.program->name == "cdlp") return rounds;
    return reset(engine.patience, plain.patience) || rounds;
  }
  if (trait == "threads") return reset(engine.threads, 1U);
  if (trait == "bound") return reset(engine.staleness, {});
  if (trait == "schedule") {
    if (in_rounds) return false;
    engine.scheduler = plan.by_fragments() ? Scheduler::Bsp : Scheduler::DoWork;
    return true;
  }
  if (trait == "pieces") {
    const bool weights = reset(engine.alpha, plain.alpha);
    engine.beta = plain.beta;
    return reset(engine.pieces, plain.pieces) || weights;
  }
  if (trait == "cut") {
    const bool hops = reset(fragments.hops, 0U);
    return reset(fragments.cut, pie::Cut::Edge) || hops;
  }
  const bool had = reset(fragments.workers, 0U);
  for (std::uint32_t& owner : plan.owners) owner %= plan.parts();
  return had;
}

}  // namespace

std::span<const std::string_view> traits() { return kTraits; }

bool take_back(HuntPlan& plan, std::string_view trait) {
  RunOptions& options = plan.options;
  ClusterOptions& cluster = options.cluster;
  bool had = false;
  if (trait == "pauses" || trait == "cuts" || trait == "slow") {
    had = take_back_troubles(plan, trait);
  } else if (trait == "window") {
    had = reset(cluster.network.window_bytes, NetworkProfile().window_bytes);
  } else if (trait == "network") {
    had = cluster.network.name != "ideal";
    const std::uint64_t window = cluster.network.window_bytes;
    cluster.network = NetworkProfile();
    cluster.network.window_bytes = window;
  } else if (trait == "prices") {
    had = reset_cost(cluster.cost);
  } else if (trait == "mode") {
    had = cluster.policy.name != "rcp";
    cluster.policy = parse_policy("rcp").value();
  } else if (trait == "owners") {
    had = !plan.owners.empty();
    plan.owners.clear();
  } else if (trait == "program settings") {
    had = reset(plan.source, 0U);
    had = reset(plan.damping, 0.85) || had;
    had = reset(plan.exact, false) || had;
  } else {
    had = take_back_engine(plan, trait);
  }
  if (had) plan.without.emplace_back(trait);
  return had;
}

void set_nodes(HuntPlan& plan, std::uint32_t nodes) {
  ClusterOptions& cluster = plan.options.cluster;
  cluster.nodes = nodes;
  Faults& faults = cluster.faults;
  if (faults.slowdown_percent.size() > nodes) faults.slowdown_percent.resize(nodes);
  for (Faults::Pause& pause : faults.pauses) pause.node = NodeId(pause.node.value() % nodes);
  for (std::uint32_t& owner : plan.owners) owner %= plan.parts();
}

bool HuntPlan::may_be_given_up() const {
  if (options.vertex.most_iterations || program->name == "cdlp") return true;
  constexpr std::array<std::string_view, 3> kMayStall = {"heat", "pagerank", "wave"};
  return options.vertex.patience != EngineOptions().patience &&
         std::find(kMayStall.begin(), kMayStall.end(), program->name) != kMayStall.end();
}

std::uint32_t HuntPlan::parts() const {
  const std::uint32_t nodes = options.cluster.nodes;
  return by_fragments() ? options.pie.workers_on(nodes) : nodes;
}

std::string HuntPlan::describe() const {
  const ClusterOptions& cluster = options.cluster;
  const EngineOptions& how = options.vertex;
  const pie::PieOptions& fragments = options.pie;
  std::string text =
      format("seed {}: {} on the {} engine, {} vertices, {} edges{}{}, {} nodes, {}, {}, {}, by {}",
             seed, program->name, engine_word(), graph.size(), graph.edges.size(),
             graph.directed ? ", directed" : "", graph.weighted ? ", weighted" : "", cluster.nodes,
             scheduler_name(how.scheduler), cluster.policy.name, cluster.network.name.substr(0, 12),
             owners.empty() ? partition_method_name(options.partition.method) : "owners");
  const auto add = [&](bool has, const std::string& what) {
    if (has) text += ", " + what;
  };
  add(how.staleness.has_value(), format("bound {}", how.staleness.value_or(0)));
  add(fragments.workers > 0, format("{} workers", fragments.workers));
  add(how.threads > 1, format("{} threads", how.threads));
  add(fragments.cut == pie::Cut::Vertex, "vertices cut");
  add(fragments.hops > 0, format("{} hops", fragments.hops));
  add(how.batch_ps > 0, format("batches of {} ps", how.batch_ps));
  add(how.iterations.has_value(), format("{} rounds", how.iterations.value_or(0)));
  add(how.visit != Visit::Auto, format("visits {}", visit_name(how.visit)));
  add(how.order != WorkOrder::Auto, format("in order of {}", order_name(how.order)));
  add(!how.replicate, "no copies at first");
  add(exact, "tolerance 0");
  add(how.patience != EngineOptions().patience, format("patience {}", how.patience));
  add(how.most_iterations.has_value(),
      format("at most {} rounds", how.most_iterations.value_or(0)));
  add(how.cache.any(), format("{} copies at most{}", how.cache.objects,
                              how.cache.eviction == Eviction::Clock ? ", by clock"
                              : how.cache.eviction                  ? ", by age"
                                                                    : ""));
  add(!same(cluster.cost, CostModel()), "custom costs");
  add(!cluster.faults.slowdown_percent.empty(), "slow nodes");
  add(!cluster.faults.pauses.empty(), format("{} pauses", cluster.faults.pauses.size()));
  add(!cluster.faults.cuts.empty(), "a cut");
  return text;
}

std::string HuntPlan::repeat_command() const {
  std::string text = format("./dev hunt --first {} --seeds 1", seed);
  if (over_threads()) text += " --threads";
  if (without.empty() && graph_file.empty()) return text;
  std::string all;
  for (const std::string& each : without) all += (all.empty() ? "" : ",") + each;
  if (!all.empty()) text += " --without '" + all + "'";
  text += format(" --nodes {}", options.cluster.nodes);
  if (!graph_file.empty()) text += " --graph " + graph_file;
  return text;
}

std::string input_text(const HuntPlan& plan) {
  const answers::InputGraph& graph = plan.graph;
  std::string text = format("vertices {}\nsource {}\n", graph.size(), plan.source);
  if (graph.directed) text += "directed\n";
  if (graph.weighted) text += "weighted\n";
  if (!plan.owners.empty()) {
    text += "owners";
    for (const std::uint32_t owner : plan.owners) text += format(" {}", owner);
    text += "\n";
  }
  for (const answers::InputEdge& edge : graph.edges)
    text += format("{} {} {}\n", edge.from, edge.to, answers::decimal(edge.weight));
  return text;
}

bool read_input(const std::string& path, HuntPlan& plan) {
  std::ifstream file(path);
  answers::InputGraph graph;
  graph.directed = false;
  std::uint32_t vertices = 0, source = 0;
  std::vector<std::uint32_t> owners;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    answers::InputEdge edge;
    if (line == "directed") {
      graph.directed = true;
    } else if (line == "weighted") {
      graph.weighted = true;
    } else if (line.starts_with("vertices ")) {
      words >> word >> vertices;
    } else if (line.starts_with("source ")) {
      words >> word >> source;
    } else if (line.starts_with("owners")) {
      words >> word;
      for (std::uint32_t owner = 0; words >> owner;) owners.push_back(owner % plan.parts());
    } else if (words >> edge.from >> edge.to >> edge.weight && edge.from < vertices &&
               edge.to < vertices) {
      graph.edges.push_back(edge);
    } else {
      return false;
    }
  }
  if (source >= vertices || (!owners.empty() && owners.size() != vertices)) return false;
  for (std::uint32_t v = 0; v < vertices; ++v) graph.names.push_back(std::to_string(v));
  plan.graph = std::move(graph);
  plan.source = source;
  plan.owners = std::move(owners);
  plan.graph_file = path;
  return true;
}

}  // namespace leeway::hunt
