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

void time(const std::string& method, const Timed& work, RunFigures& figures) {
  const SteadyClock clock;
  const Instant started = clock.now();
  work();
  figures.cost_seconds = seconds(clock.now() - started);
  figures.cost_method = method;
}

}  // namespace

void time_baseline(std::string_view program, const Graph& graph, const ProgramSettings& settings,
                   std::uint32_t iterations, RunFigures& figures) {
  const VertexId source = settings.source;
  if (graph.vertex_count() == 0) return;
  if (program == "pagerank") {
    const reference::PullPageRank kernel(graph);
    time(
        "tuned pull kernel, as many iterations", [&] { (void)kernel.run(iterations); }, figures);
  } else if (program == "sssp" || program == "bfs") {
    const reference::DeltaStepping kernel(graph);
    time(
        "tuned delta-stepping", [&] { (void)kernel.run(source); }, figures);
  } else if (program == "cc") {
    time(
        "sampled union-find", [&] { (void)reference::sampled_components(graph); }, figures);
  } else if (program == "paths") {
    time(
        "sequential count", [&] { (void)reference::path_counts(graph, source); }, figures);
  } else if (program == "shortest-path-counts") {
    time(
        "sequential count", [&] { (void)reference::shortest_path_counts(graph, source); }, figures);
  } else if (program == "cdlp") {
    const auto own = settings.ldbc ? reference::OwnLabel::LeftOut : reference::OwnLabel::Counts;
    std::vector<std::uint64_t> labels(graph.vertex_count());
    std::iota(labels.begin(), labels.end(), 0);
    time(
        "sequential rounds", [&] { (void)reference::communities(graph, labels, iterations, own); },
        figures);
  } else if (program == "lcc") {
    time(
        "sequential clustering", [&] { (void)reference::clustering(graph); }, figures);
  }
}

}  // namespace leeway::cli
