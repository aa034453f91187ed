#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "test/answers/case.h"
#include "test/answers/draw_graph.h"
#include "test/answers/table_draw.h"
#include "test/support/drawing.h"

namespace leeway::answers {

namespace {

using Words = std::span<const char* const>;

constexpr std::array kPrograms = {"pagerank",
                                  "sssp",
                                  "bfs",
                                  "paths",
                                  "shortest-path-counts",
                                  "cc",
                                  "cdlp",
                                  "heat",
                                  "wave",
                                  "coloring",
                                  "lcc",
                                  "kcore",
                                  "scc",
                                  "triangles",
                                  "bipartite",
                                  "degree",
                                  "independent-set",
                                  "spanning-forest",
                                  "louvain",
                                  "closeness",
                                  "harmonic",
                                  "betweenness",
                                  "katz",
                                  "eigenvector",
                                  "hits",
                                  "cf",
                                  "fish",
                                  "nbody",
                                  "jacobi",
                                  "linear-system",
                                  "fish-food"};
// Programs for large graphs, whose oracles are fast.
constexpr std::array kLarge = {"pagerank", "sssp",     "bfs", "shortest-path-counts",
                               "cc",       "coloring", "cdlp"};
constexpr std::array kLdbc = {"pagerank", "sssp", "bfs", "cc", "cdlp", "lcc"};
constexpr std::array kByFragments = {"pagerank", "sssp", "bfs", "cc", "cf"};
constexpr std::array kModes = {"scp",     "scp+rw", "scp+pb", "stale-0", "stale-1", "stale-3",
                               "stale-9", "rcp",    "rcp-0",  "rcp-1",   "rcp-5",   "rcp+push"};
constexpr std::array kVertexSchedulers = {"do-work", "bsp", "ap", "ssp", "aap", "hsync", "asytick"};
constexpr std::array kFragmentSchedulers = {"bsp", "ap", "ssp", "aap", "hsync"};
constexpr std::array kServices = {"thread", "inline"};
constexpr std::array kCaches = {"16", "40", "1%", "25%"};
constexpr std::array kVisits = {"auto", "all", "active"};
constexpr std::array kNetworks = {"ideal", "infiniband", "gigabit", "ec2", "custom"};
constexpr std::array kPartitions = {"metis", "block", "hash", "random", "ldg", "fennel"};

constexpr double kLargeShare = 0.002;

bool among(Words words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const char* each) { return word == each; });
}

/// Draws the settings of one case, kind by kind.
class Drawer : leeway::testing::Drawing {
 public:
  Drawer(std::uint64_t seed, const Draw& draw) : Drawing(Random(seed, 0x616E7377)), draw_(draw) {
    case_.seed = seed;
  }

  Case draw() {
    if (draw_.large || (draw_.only.empty() && !draw_.processes && random_.chance(kLargeShare)))
      return draw_large();
    case_.program = draw_.only.empty() ? pick(kPrograms) : draw_.only;
    const std::string& program = case_.program;
    case_.takes_graph =
        program != "fish" && program != "fish-food" && program != "nbody" && program != "jacobi";
    const std::uint32_t most = draw_.processes ? 3 : random_.chance(0.7) ? 4 : 16;
    case_.nodes = 1 + below(most);
    if (draw_.processes)
      case_.launcher = random_.chance(0.5) ? Launcher::Leeway : Launcher::Mpiexec;
    if (case_.takes_graph) {
      case_.graph = draw_graph(suits(), random_);
      while (program == "linear-system" && !case_.graph.weighted && random_.chance(0.9))
        case_.graph = draw_graph(suits(), random_);
      if (program == "paths" && random_.chance(0.6)) drop_cycles();
      if (program == "spanning-forest" && random_.chance(0.2)) negate_weights();
      if (suits() == Suits::Matrix) draw_cells();
    } else {
      draw_scene();
    }
    const bool has_settings = random_.chance(0.5);
    if (has_settings) draw_settings();
    // Some power iterations take thousands of steps, in graphs without cycles up to the limit of the command.
    if ((program == "eigenvector" || program == "hits") && !power_steps(case_).converged)
      give("iterations", 1 + below(30));
    case_.resumes = random_.chance(0.12);
    case_.names_format = case_.takes_graph && random_.chance(0.1);
    if (has_settings && random_.chance(0.6)) draw_from_table(case_, random_);
    draw_continuation();
    return std::move(case_);
  }

  Case draw_large() {
    case_.program = draw_.only.empty() ? pick(kLarge) : draw_.only;
    case_.nodes = 1 + below(2);
    if (case_.program == "sssp" && random_.chance(0.5)) {
      case_.graph = draw_heavy_graph(random_);
      if (random_.chance(0.7)) give("engine", "pie");
      return std::move(case_);
    }
    case_.graph = draw_large_graph(random_);
    perhaps(0.5, "scheduler", kVertexSchedulers);
    if (case_.scheduler() != "asytick") {  // asytick has one thread per worker
      give("threads", 2 + below(2));
      perhaps(0.5, "visit", kVisits);
    }
    if (random_.chance(0.5)) give("verify=false");
    if (random_.chance(0.5)) give("partition", "block");
    return std::move(case_);
  }

 private:
  const char* pick(Words words) { return words[random_.below(words.size())]; }
  void give(std::string name, std::string value = {}) {
    case_.choices.push_back({std::move(name), std::move(value)});
  }
  void give(std::string name, std::uint32_t value) { give(std::move(name), std::to_string(value)); }
  void perhaps(double chance, const char* name, Words words) {
    if (random_.chance(chance)) give(name, pick(words));
  }

  [[nodiscard]] Suits suits() const {
    const std::string& program = case_.program;
    constexpr std::array kByWeight = {"sssp", "spanning-forest", "louvain", "closeness", "harmonic",
                                      "katz", "eigenvector"};
    if (among(kByWeight, program)) return Suits::Paths;
    if (program == "heat" || program == "wave" || program == "linear-system") return Suits::Matrix;
    if (program == "cf") return Suits::Ratings;
    if (program == "cc" || program == "cdlp" || program == "coloring" || program == "lcc" ||
        program == "triangles" || program == "independent-set")
      return Suits::Mutual;
    return Suits::Any;
  }

  /// Values of one or more cells, passed as files.
  void draw_cells() {
    const std::uint32_t size = case_.graph.size();
    const auto perhaps_some = [&](std::vector<double>& values) {
      if (size == 0 || random_.chance(0.6)) return;
      values.assign(size, std::nan(""));
      values[below(size)] = 1;
      for (double& value : values) {
        if (random_.chance(0.3)) value = static_cast<double>(below(2000)) / 100 - 10;
      }
    };
    perhaps_some(case_.cells.rhs);
    perhaps_some(case_.cells.start);
    if (case_.program != "linear-system") perhaps_some(case_.cells.fixed);
  }

  /// With a cycle, most path counts are infinite.
  void drop_cycles() {
    case_.graph.directed = true;
    for (auto& edge : case_.graph.edges) {
      if (edge.from > edge.to) std::swap(edge.from, edge.to);
    }
    std::erase_if(case_.graph.edges, [](const auto& edge) { return edge.from == edge.to; });
  }

  void negate_weights() {
    for (auto& edge : case_.graph.edges) edge.weight *= random_.chance(0.5) ? -1 : 1;
  }

  /// Parameters of a simulation, in place of a graph: small, with few ticks.
  void draw_scene() {
    give("iterations", 1 + below(random_.chance(0.2) ? 40 : 12));
    give("seed", below(1000));
    if (case_.program == "jacobi") {
      give("plate", std::to_string(1 + below(14)) + "x" + std::to_string(1 + below(14)));
      return;
    }
    const std::string side = std::to_string(10 + below(40)) + "x" + std::to_string(10 + below(40));
    const std::uint32_t movers = below(kMostVertices + 1);
    if (case_.program == "nbody") {
      give("bodies", movers);
      give("groups", below(6));
      give("box", side);
      if (random_.chance(0.3)) give("cutoff", random_.chance(0.5) ? "5" : "11.5");
      case_.scene_file = random_.chance(0.3);
      return;
    }
    give("fish", movers);
    give("basin", side);
    if (random_.chance(0.5)) {
      const std::uint32_t informed = below(movers / 2 + 1);
      give("informed", informed);
      if (informed > 0 && random_.chance(0.4)) give("goals", 2);
    }
    if (case_.program == "fish-food") give("food", below(kMostVertices + 1));
    if (random_.chance(0.4)) give("reach", random_.chance(0.5) ? "1.5" : "0.05");
    if (random_.chance(0.4)) give("visibility", random_.chance(0.5) ? "2" : "0.7");
    case_.scene_file = random_.chance(0.3);
  }

  void draw_settings() {
    if (case_.takes_graph && random_.chance(0.15)) {  // only the owners file
      case_.owners = draw_owners(case_.graph.size(), case_.parts(), random_);
      return;
    }
    draw_engine();
    if (random_.chance(0.3)) {  // only --engine, with its defaults
      return;
    }
    draw_common();
    if (case_.by_ticks()) {
      draw_ticks();
    } else if (case_.by_pieces()) {
      draw_pieces();
    } else {
      draw_run();
    }
    if (case_.takes_graph) {
      draw_reading();
      draw_division();
      draw_program();
    }
  }

  void draw_engine() {
    const std::string& program = case_.program;
    if (program == "nbody" || program == "linear-system" || program == "fish-food") return;
    if (program == "fish" || program == "jacobi") {
      if (random_.chance(0.5)) give("engine", random_.chance(0.4) ? "tick" : "piece");
      return;
    }
    const bool fragments = among(kByFragments, program);
    if (program == "cf" || (fragments && random_.chance(0.5))) {
      if (program != "cf") give("engine", "pie");
      perhaps(0.7, "scheduler", kFragmentSchedulers);
    } else if (program == "pagerank" && random_.chance(0.3)) {
      give("engine", random_.chance(0.5) ? "tick" : "piece");
    } else {
      if (random_.chance(0.1)) give("engine", "vertex");
      const bool by_steps = program == "eigenvector" || program == "hits";  // bsp only
      if (!by_steps || random_.chance(0.05))
        perhaps(0.75, "scheduler", kVertexSchedulers);
      else if (random_.chance(0.3))
        give("scheduler", "bsp");
    }
  }

  void draw_common() {
    if (draw_.processes) return;
    if (random_.chance(0.35)) {
      give("fabric", "sim");
      perhaps(0.7, "net", kNetworks);
      if (case_.takes_graph && random_.chance(0.5)) give("seed", below(1000));
    }
    if (random_.chance(0.5)) give("verify=false");
  }

  void draw_ticks() {
    draw_threads();
    constexpr std::array kSyncs = {"barrier", "local", "schedule", "replicate", "combined"};
    perhaps(0.7, "sync", kSyncs);
    const std::string sync = case_.choice("sync");
    const bool copies = sync == "replicate" || sync == "combined";
    if ((sync == "schedule" || sync == "combined") && random_.chance(0.5)) give("depth", below(5));
    if (copies && random_.chance(0.5)) give("every", 1 + below(4));
    if (copies && random_.chance(0.5)) give("replicas", below(6));
    if (case_.takes_graph && random_.chance(0.3)) give("rebalance", below(6));
    if (random_.chance(0.2)) give("check");
    if (case_.program.starts_with("fish") && random_.chance(0.4)) {
      give("split", "quadtree");
      if (random_.chance(0.6)) give("rebalance", below(6));
    }
  }

  void draw_pieces() {
    constexpr std::array kSystems = {"oritick", "comtick", "asytick", "asytick-plb"};
    perhaps(0.6, "system", kSystems);
    draw_cutting();
    const bool weighed = case_.has("alpha") || case_.has("beta");
    if (!weighed && random_.chance(0.3)) give("piece-order", "arrival");
    const bool balances = case_.choice("system", "asytick-plb") == "asytick-plb";
    if (balances && random_.chance(0.4)) give("balance-every", 2 + below(5));
    if (random_.chance(0.3)) give("compress");
    draw_threads();
  }

  void draw_threads() {
    if (case_.choice("fabric") != "sim" && random_.chance(0.3)) give("threads", 1 + below(3));
  }

  /// Division into pieces and their order: for the piece engine, and for asytick on the vertex
  /// engine.
  void draw_cutting() {
    if (random_.chance(0.5)) give("pieces", 1 + below(random_.chance(0.5) ? 6 : 40));
    if (!random_.chance(0.3)) return;
    const bool first = random_.chance(0.5);
    if (random_.chance(0.7)) give("alpha", first ? "0" : "0.75");
    if (random_.chance(0.5)) give("beta", first ? "1" : "0.25");
  }

  /// Settings of the vertex engine or of the pie engine.
  void draw_run() {
    constexpr std::array kOrders = {"auto", "owner", "degree", "priority"};
    const std::string scheduler = case_.scheduler();
    if ((scheduler == "ssp" || scheduler == "aap") && random_.chance(0.5))
      give("staleness", below(5));
    if (random_.chance(0.15)) give("deterministic");
    if (case_.by_fragments()) {
      if (random_.chance(0.4)) give("workers", 1 + below(16));
      const bool vertices = random_.chance(0.3);
      if (vertices) give("cut", "vertex");
      if (!vertices && random_.chance(0.3)) give("hops", below(4));
      const bool movable =
          case_.nodes > 1 && case_.number("workers", 2 * case_.nodes) > case_.nodes;
      if (movable && random_.chance(0.4)) give("rebalance", below(8));
      draw_threads();
      return;
    }
    perhaps(0.5, "consistency", kModes);
    if (random_.chance(0.2)) give("replicate=false");
    perhaps(0.15, "service", kServices);
    if (random_.chance(0.15)) {
      perhaps(1, "cache", kCaches);
      if (random_.chance(0.4)) give("eviction", "clock");
    }
    if (scheduler == "asytick") {
      draw_cutting();
      return;
    }
    draw_threads();
    perhaps(0.3, "visit", kVisits);
    perhaps(0.3, "order", kOrders);
  }

  void draw_reading() {
    constexpr std::array kMerges = {"sum", "min", "max", "first", "last"};
    if (case_.program == "cf") return;
    if (random_.chance(0.3)) {
      constexpr std::array kDirections = {"directed", "undirected", "symmetrize"};
      give(pick(kDirections));
    }
    if (random_.chance(0.2)) {
      give("duplicates", "merge");
      perhaps(0.7, "merge-weights", kMerges);
    }
    if (random_.chance(0.15)) give("self-loops", "drop");
    if (random_.chance(0.15)) give("weights", "none");
  }

  void draw_division() {
    if (random_.chance(0.4)) {
      case_.owners = draw_owners(case_.graph.size(), case_.parts(), random_);
    } else {
      perhaps(0.3, "partition", kPartitions);
    }
  }

  void draw_program() {
    const std::string& program = case_.program;
    constexpr std::array kFromSource = {"sssp", "bfs", "paths", "shortest-path-counts"};
    if (among(kFromSource, program) && case_.graph.size() > 0 && random_.chance(0.6))
      give("source", case_.graph.names[below(case_.graph.size())]);
    if (program == "pagerank") {
      constexpr std::array kDampings = {"0", "0.5", "0.9", "0.95"};
      perhaps(0.3, "damping", kDampings);
    }
    const bool rounds = program == "cf" || !case_.by_fragments();
    const bool judged = program == "pagerank" || program == "cdlp" || program == "cf" ||
                        program == "linear-system" || program == "eigenvector" || program == "hits";
    if (rounds && random_.chance(judged ? 0.3 : 0.1)) give("iterations", 1 + below(30));
    const bool defined = case_.engine() == "vertex" || case_.by_fragments();
    if (among(kLdbc, program) && defined && random_.chance(0.3)) give("ldbc");
    if (program == "pagerank" && case_.by_fragments() && random_.chance(0.25))
      give("tolerance", "0");
    draw_centrality();
  }

  /// A run that continues after changes. Drawn last and from a separate generator, so that the rest of the case stays as it is.
  void draw_continuation() {
    constexpr std::array kContinue = {"pagerank", "sssp", "bfs", "cc", "kcore"};
    Random own(case_.seed, 0x6368616E);
    const std::string& program = case_.program;
    const bool continues =
        case_.engine() == "vertex" || (case_.by_fragments() && program != "kcore");
    if (!among(kContinue, program) || !continues || !own.chance(0.3)) return;
    if (case_.has("iterations") || case_.has("precision") || case_.has("ldbc")) return;
    if (case_.graph.size() == 0) return;
    const Lists before = read_as(case_.graph, case_.choices);
    if (program == "cc" && before.directed)
      return;  // needs arcs in both directions, before and after
    case_.resumes = false;
    case_.changes = draw_changes(before, own);
    const bool from_one = program == "sssp" || program == "bfs";
    // The default is the first vertex with an arc, which may change.
    if (from_one && !case_.has("source"))
      give("source", case_.graph.names[own.below(case_.graph.size())]);
  }

  /// Settings of the programs on structure and centrality.
  void draw_centrality() {
    const std::string& program = case_.program;
    constexpr std::array kWeighs = {"louvain", "closeness", "harmonic", "katz", "eigenvector"};
    constexpr std::array kSamples = {"closeness", "harmonic", "betweenness"};
    constexpr std::array kDraws = {"independent-set", "louvain", "closeness", "harmonic",
                                   "betweenness"};
    constexpr std::array kResolutions = {"0.5", "1.7", "3"};
    const bool by_weight = among(kWeighs, program) && case_.graph.weighted && random_.chance(0.5);
    if (by_weight) give("by-weight");
    const std::uint32_t size = case_.graph.size();
    if (program == "betweenness" && size > 0 && random_.chance(0.3)) {
      give("source", case_.graph.names[below(size)]);
    } else if (among(kSamples, program) && size > 1 && random_.chance(0.4)) {
      const std::uint32_t counts[] = {1, size - 1, size, size + 3};  // the judge tries all sets
      give("samples", counts[below(4)]);
    }
    if (program == "louvain") perhaps(0.3, "resolution", kResolutions);
    // The default may be too near to the limit for weights.
    if (program == "katz" && (by_weight || random_.chance(0.4)))
      give("attenuation", decimal(attenuation(by_weight)));
    if (among(kDraws, program) && !case_.has("seed") && random_.chance(0.4))
      give("seed", below(1000));
  }

  /// Below the reciprocal of the largest eigenvalue, whichever way the file is read.
  double attenuation(bool by_weight) {
    std::vector<double> sum(case_.graph.size());
    for (const InputEdge& edge : case_.graph.edges) {
      sum[edge.from] += by_weight ? edge.weight : 1;
      if (edge.to != edge.from) sum[edge.to] += by_weight ? edge.weight : 1;
    }
    double most = 0;
    for (const double each : sum) most = std::max(most, each);
    constexpr std::array kShares = {0.05, 0.5, 0.9};
    return kShares[below(kShares.size())] / std::max(most, 1e-6);
  }

  Draw draw_;
  Case case_;
};

}  // namespace

Case draw_case(std::uint64_t seed, const Draw& draw) { return Drawer(seed, draw).draw(); }

}  // namespace leeway::answers
