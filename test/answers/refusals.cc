// The combinations that the command may refuse, one per row: the condition, and part of the error
// message. A row permits a refusal but does not require it; if the command answers, the answer must
// be right.
#include <algorithm>
#include <array>

#include "test/answers/oracles.h"
#include "test/answers/verdict.h"

namespace leeway::answers {

namespace {

struct Row {
  const char* message;  ///< part of the message
  bool (*when)(const Case& drawn);
};

bool is(const Case& drawn, std::initializer_list<const char*> programs) {
  return std::any_of(programs.begin(), programs.end(),
                     [&](const char* each) { return drawn.program == each; });
}
/// The result of the program does not depend on the order of updates.
bool is_exact(const Case& drawn) {
  return is(drawn, {"sssp", "bfs", "paths", "shortest-path-counts", "cc", "lcc", "triangles",
                    "degree", "kcore", "scc", "bipartite", "independent-set", "spanning-forest"});
}
Lists read(const Case& drawn) { return drawn.lists(); }

constexpr std::array kTable = {
    // Requirements on the graph.
    Row{"needs arcs that go both ways",
        [](const Case& drawn) {
          return is(drawn, {"cc", "cdlp", "coloring", "lcc", "triangles", "independent-set"}) &&
                 !drawn.has("ldbc") && !read(drawn).symmetric();
        }},
    Row{"runs in stages",
        [](const Case& drawn) {
          return is(drawn, {"scc", "closeness", "harmonic", "betweenness"}) &&
                 drawn.has("iterations");
        }},
    Row{"the graph has no weights",
        [](const Case& drawn) { return drawn.has("by-weight") && !read(drawn).weighted; }},
    Row{"too much for exact sums",
        [](const Case& drawn) {
          double strongest = 0;
          for (const auto& arcs : read(drawn).out) {
            double sum = 0;
            for (const Lists::Arc& arc : arcs) sum += arc.weight;
            strongest = std::max(strongest, sum);
          }
          constexpr double kWide = 1e15;
          return is(drawn, {"eigenvector"}) && strongest * drawn.graph.size() > kWide;
        }},
    Row{"is a power iteration",
        [](const Case& drawn) {
          return is(drawn, {"eigenvector", "hits"}) && drawn.scheduler() != "bsp";
        }},
    Row{"diagonal entry is zero",
        [](const Case& drawn) {
          return is(drawn, {"heat", "wave"}) && rest_of(read(drawn), drawn.cells).divided_by_zero;
        }},
    Row{"its diagonal entry is zero or missing, and Jacobi",
        [](const Case& drawn) {
          return is(drawn, {"linear-system"}) && rest_of(read(drawn), drawn.cells).divided_by_zero;
        }},
    Row{"it has no numbers",
        [](const Case& drawn) { return is(drawn, {"linear-system"}) && !read(drawn).weighted; }},
    Row{"diverges on this matrix",
        [](const Case& drawn) {
          return is(drawn, {"linear-system"}) && !rest_of(read(drawn), drawn.cells).dominant;
        }},
    Row{"diverge on this matrix",
        [](const Case& drawn) {
          return is(drawn, {"heat", "wave"}) && !rest_of(read(drawn), drawn.cells).dominant;
        }},
    Row{"it has no rows", [](const Case& drawn) { return drawn.graph.size() == 0; }},
    Row{"no vertices", [](const Case& drawn) { return drawn.graph.size() == 0; }},
    Row{"the file is empty", [](const Case& drawn) { return drawn.graph.size() == 0; }},
    Row{"contradicts --directed",
        [](const Case& drawn) { return drawn.has("directed") && drawn.has("symmetrize"); }},
    // Requirements of a division on the graph.
    Row{"leave edge weights off",
        [](const Case& drawn) { return drawn.has("edge-weights") && !read(drawn).weighted; }},
    Row{"--skew: ",
        [](const Case& drawn) {
          constexpr std::uint32_t kEnough = 64;  // vertices for the parts of every case
          return drawn.has("skew") && (drawn.nodes == 1 || drawn.graph.size() < kEnough);
        }},
    // Limitations of an engine.
    Row{"cf needs a bound on staleness",
        [](const Case& drawn) {
          return drawn.program == "cf" &&
                 (drawn.scheduler() == "ap" || drawn.scheduler() == "hsync");
        }},
    Row{"does not read in an order that it knows before",
        [](const Case& drawn) { return drawn.choice("eviction") == "known"; }},
    // Schedules excluded by --ldbc and --deterministic.
    Row{"LDBC defines",
        [](const Case& drawn) {
          return drawn.has("ldbc") && !is_exact(drawn) &&
                 (drawn.by_fragments() || drawn.scheduler() != "bsp");
        }},
    Row{"--deterministic",
        [](const Case& drawn) {
          const bool alone = drawn.nodes == 1 && drawn.number("threads", 1) == 1;
          return drawn.has("deterministic") && !is_exact(drawn) &&
                 drawn.choice("fabric") != "sim" && !alone && drawn.scheduler() != "bsp";
        }},
    // The run converged or ended before a snapshot was due, or its state cannot be saved.
    Row{"no snapshot", [](const Case& drawn) { return drawn.resumes; }},
    // Limitations of the tick engine.
    Row{"layers of replicas last",
        [](const Case& drawn) {
          return drawn.number("every", 2) >
                 drawn.number("replicas", drawn.number("every", 2) + 1) + 1;
        }},
    Row{"exceeds the width of the basin",
        [](const Case& drawn) { return drawn.program.starts_with("fish"); }},
};

/// Settings that are drawn without knowing whether they apply, which depends on other settings.
struct Loose {
  const char* engine;
  const char* setting;
};
constexpr std::array kLoose = {
    Loose{"vertex", "order"},  // priority order needs a program with priorities and one worklist
    Loose{"vertex", "visit"},  // a fixed number of iterations visits all vertices
};

}  // namespace

std::optional<std::string> inapplicable_setting(const Case& drawn, const std::string& message) {
  for (const Loose& loose : kLoose) {
    const std::string setting = loose.setting;
    if (drawn.engine() == loose.engine && message.find("--" + setting + ": ") != std::string::npos)
      return setting;
  }
  return std::nullopt;
}

bool may_refuse(const Case& drawn, const std::string& message) {
  return std::any_of(kTable.begin(), kTable.end(), [&](const Row& row) {
    return message.find(row.message) != std::string::npos && row.when(drawn);
  });
}

}  // namespace leeway::answers
