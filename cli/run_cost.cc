#include "leeway/cli/run_cost.h"

#include <functional>
#include <numeric>

#include "leeway/base/clock.h"
#include "leeway/programs/reference/kernels.h"
#include "leeway/programs/reference/oracles.h"

namespace leeway::cli {

namespace {

/// What is timed, without what it needs set up.
using Timed = std::function<void()>;

void time(const std::string& method, const Timed& work, RunFacts& facts) {
  const SteadyClock clock;
  const Instant started = clock.now();
  work();
  facts.cost_seconds = seconds(clock.now() - started);
  facts.cost_method = method;
}

}  // namespace

void time_baseline(const Graph& graph, const ProgramSettings& settings, std::uint32_t iterations,
                   RunFacts& facts) {
  const std::string& program = facts.program;
  const VertexId source = settings.source;
  if (graph.vertex_count() == 0) return;
  if (program == "pagerank") {
    const reference::PullPageRank kernel(graph);
    time(
        "tuned pull kernel, as many iterations", [&] { (void)kernel.run(iterations); }, facts);
  } else if (program == "sssp" || program == "bfs") {
    const reference::DeltaStepping kernel(graph);
    time(
        "tuned delta-stepping", [&] { (void)kernel.run(source); }, facts);
  } else if (program == "cc") {
    time(
        "sampled union-find", [&] { (void)reference::sampled_components(graph); }, facts);
  } else if (program == "paths") {
    time(
        "sequential count", [&] { (void)reference::shortest_path_counts(graph, source); }, facts);
  } else if (program == "cdlp") {
    std::vector<std::uint64_t> labels(graph.vertex_count());
    std::iota(labels.begin(), labels.end(), 0);
    time(
        "sequential rounds", [&] { (void)reference::communities(graph, labels, iterations); },
        facts);
  } else if (program == "lcc") {
    time(
        "sequential clustering", [&] { (void)reference::clustering(graph); }, facts);
  }
}

}  // namespace leeway::cli
