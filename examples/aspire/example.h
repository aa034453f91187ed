// Shared by the eight programs: reads graph, mode, schedule and nodes from the command line, and prints the values to standard
// output, one line per vertex. Under mpiexec or `leeway launch` every process is a node.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>

#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/job.h"

namespace aspire {

using leeway::Result;

struct Arguments {
  leeway::Graph graph;
  leeway::RunOptions run;
};

inline Result<leeway::Scheduler> scheduler_called(const std::string& name) {
  for (const leeway::SchedulerInfo& info : leeway::schedulers()) {
    if (info.name == name) return info.scheduler;
  }
  return leeway::fail(
      leeway::input_error(name, "no scheduler has this name", "give do-work or bsp"));
}

/// GRAPH [CONSISTENCY [SCHEDULER [NODES]]]
inline Result<Arguments> read(int count, char** words, const leeway::LoadOptions& load) {
  if (count < 2 || count > 5) {
    return leeway::fail(leeway::input_error(
        words[0], "takes 1 to 4 arguments",
        "give GRAPH [CONSISTENCY [SCHEDULER [NODES]]], such as kron:10 rcp bsp 4"));
  }
  Arguments given;
  leeway::ClusterOptions& cluster = given.run.cluster;
  if (count > 2) {
    LEEWAY_ASSIGN(cluster.policy, leeway::parse_policy(words[2]));
  }
  if (count > 3) {
    LEEWAY_ASSIGN(given.run.vertex.scheduler, scheduler_called(words[3]));
  }
  const std::string nodes = count > 4 ? words[4] : "1";
  std::from_chars(nodes.data(), nodes.data() + nodes.size(), cluster.nodes);
  if (std::to_string(cluster.nodes) != nodes || cluster.nodes == 0)
    return leeway::fail(leeway::input_error(nodes, "no number of nodes", "give 1 or more"));
  const std::string graph = words[1];
  const bool spec = !std::filesystem::exists(graph) && leeway::is_graph_spec(graph);
  LEEWAY_ASSIGN(given.graph,
                spec ? leeway::generate(graph, load) : leeway::load_graph(graph, load));
  return given;
}

/// Runs the program that `make` creates for a graph and prints each value as formatted by `show`. Returns main's exit code.
template <class Make, class Show>
int run(int count, char** words, const leeway::LoadOptions& load, Make make, Show show) {
  const auto stop = [](const leeway::Error& error) {
    std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return error.exit_code();
  };
  const auto given = read(count, words, load);
  if (!given) return stop(given.error());
  const auto job = leeway::own_job();
  if (!job) return stop(job.error());
  const auto result = leeway::run_job(given->graph, make(given->graph), given->run);
  if (!result) return stop(result.error());
  if (*job != nullptr && (*job)->self() != leeway::NodeId(0)) return 0;
  for (leeway::VertexId v(0); v.value() < given->graph.vertex_count(); v = v.next()) {
    const std::string line =
        leeway::format("{} {}\n", given->graph.names().name(v), show(result->values, v));
    std::fputs(line.c_str(), stdout);
  }
  return 0;
}

/// Formats values unchanged.
template <class Make>
int run(int count, char** words, const leeway::LoadOptions& load, Make make) {
  return run(count, words, load, make,
             [](const auto& values, leeway::VertexId v) { return values[v.index()]; });
}

}  // namespace aspire
