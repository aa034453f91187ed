// The combinations that the command is right to refuse, one row each: when, and what its message says.
// A row permits a refusal and demands none: a case of the table that is answered must be answered right.
#include <algorithm>
#include <array>

#include "test/answers/oracles.h"
#include "test/answers/verdict.h"

namespace leeway::answers {

namespace {

struct Row {
  const char* message;  ///< a part of it
  bool (*when)(const Case& drawn);
};

bool is(const Case& drawn, std::initializer_list<const char*> programs) {
  return std::any_of(programs.begin(), programs.end(),
                     [&](const char* each) { return drawn.program == each; });
}
Lists read(const Case& drawn) { return read_as(drawn.graph, drawn.choices); }

constexpr std::array kTable = {
    // What the graph lacks.
    Row{"needs arcs that go both ways",
        [](const Case& drawn) {
          return is(drawn, {"cc", "cdlp", "coloring", "lcc"}) && !drawn.has("ldbc") &&
                 !read(drawn).symmetric();
        }},
    Row{"diagonal entry is zero",
        [](const Case& drawn) {
          return is(drawn, {"heat", "wave"}) && rest_of(read(drawn), drawn.cells).divided_by_zero;
        }},
    Row{"diverge on this matrix",
        [](const Case& drawn) {
          return is(drawn, {"heat", "wave"}) && !rest_of(read(drawn), drawn.cells).dominant;
        }},
    Row{"no vertices", [](const Case& drawn) { return drawn.graph.size() == 0; }},
    Row{"the file is empty", [](const Case& drawn) { return drawn.graph.size() == 0; }},
    Row{"contradicts --directed",
        [](const Case& drawn) { return drawn.has("directed") && drawn.has("symmetrize"); }},
    // What an engine cannot do.
    Row{"cf needs a bound of staleness",
        [](const Case& drawn) {
          return drawn.program == "cf" &&
                 (drawn.scheduler() == "ap" || drawn.scheduler() == "hsync");
        }},
    // What LDBC and --deterministic define away.
    Row{"LDBC defines",
        [](const Case& drawn) {
          const bool exact =
              is(drawn, {"sssp", "bfs", "paths", "shortest-path-counts", "cc", "lcc", "degree"});
          return drawn.has("ldbc") && !exact &&
                 (drawn.by_fragments() || drawn.scheduler() != "bsp");
        }},
    Row{"--deterministic",
        [](const Case& drawn) {
          const bool exact =
              is(drawn, {"sssp", "bfs", "paths", "shortest-path-counts", "cc", "lcc", "degree"});
          const bool alone = drawn.nodes == 1 && drawn.number("threads", 1) == 1;
          return drawn.has("deterministic") && !exact && drawn.choice("fabric") != "sim" &&
                 !alone && drawn.scheduler() != "bsp";
        }},
    // It came to rest, or to its only iteration, before a snapshot was due; or nothing of it can be saved.
    Row{"no snapshot", [](const Case& drawn) { return drawn.resumes; }},
    Row{"--snapshot: applies to", [](const Case& drawn) { return drawn.resumes; }},
    // What ticks cannot be made of.
    Row{"layers of replicas last",
        [](const Case& drawn) {
          return drawn.number("every", 2) >
                 drawn.number("replicas", drawn.number("every", 2) + 1) + 1;
        }},
    Row{"more than the basin is wide", [](const Case& drawn) { return drawn.program == "fish"; }},
};

/// Settings that are drawn without knowing whether they apply to the run, which others decide.
struct Loose {
  const char* engine;
  const char* setting;
};
constexpr std::array kLoose = {
    Loose{"vertex", "consistency"},  // bsp reads nothing late, unless copies are updated
    Loose{"vertex", "order"},        // priority: only of programs with one, by one worklist
    Loose{"vertex", "replicate"},    // a worklist begins with full caches
    Loose{"vertex", "visit"},        // a number of iterations visits all
    Loose{"tick", "rebalance"},      // only what a seed dealt is dealt anew
};

}  // namespace

std::optional<std::string> inapplicable_setting(const Case& drawn, const std::string& message) {
  for (const Loose& loose : kLoose) {
    const std::string setting = loose.setting;
    if (drawn.engine() == loose.engine &&
        message.find("--" + setting + ": applies to") != std::string::npos)
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
