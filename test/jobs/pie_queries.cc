// Many queries in sequence over one job of processes with two sessions. A node that finished a
// query begins the next one while other nodes still wait for the last message of the previous one.
// Prints the number of wrong answers.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/random.h"
#include "leeway/graph.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/reference/oracles.h"
#include "programs/sssp/pie.h"

namespace {

using namespace leeway;

constexpr std::uint32_t kQueries = 150;

pie::Session opened(const Graph& graph, const pie::FragmentNeeds& needs, Job& job) {
  RunOptions options;
  options.cluster.job = &job;
  options.cluster.fabric = job.fabric();
  options.cluster.nodes = job.node_count();
  options.partition.method = PartitionMethod::Hash;
  return pie::Session::open(graph, needs, options).value();
}

/// Delays a node randomly before or after a query.
void dawdle(Random& random) {
  if (random.chance(0.2)) std::this_thread::sleep_for(std::chrono::microseconds(random.below(900)));
}

}  // namespace

int main() {
  auto joined = join_job({});
  if (!joined) {
    std::fprintf(stderr, "%s\n", joined.error().to_string().c_str());
    return 1;
  }
  Job& job = **joined;
  LoadOptions load;
  load.weights = Weights::Random;
  load.symmetrize = true;
  const Graph graph = generate("kron:8", load).value();
  pie::Session paths = opened(graph, pie::PieSssp(graph, VertexId(0)).needs(), job);
  pie::Session parts = opened(graph, pie::PieComponents().needs(), job);
  const auto components = reference::components(graph);
  Random random(1 + job.self().value(), 3);
  Random same(7, 7);  // the same draws on every node
  constexpr Scheduler kModels[] = {Scheduler::Bsp, Scheduler::Ap, Scheduler::Aap, Scheduler::Hsync};
  std::uint32_t wrong = 0;
  for (std::uint32_t query = 0; query < kQueries; ++query) {
    dawdle(random);
    pie::Session& session = same.chance(0.5) ? paths : parts;
    session.options().pie.schedule.model = kModels[same.below(4)];
    const VertexId source(static_cast<std::uint32_t>(same.below(graph.vertex_count())));
    if (&session == &parts) {
      const auto answer = session.ask(pie::PieComponents()).value();
      if (job.self() == NodeId(0) && answer.values != components) ++wrong;
    } else {
      const auto answer = session.ask(pie::PieSssp(graph, source)).value();
      if (job.self() == NodeId(0) && answer.values != reference::shortest_distances(graph, source))
        ++wrong;
    }
  }
  if (!job.leave()) job.exit(1);
  if (job.self() == NodeId(0)) std::printf("%u queries, %u wrong\n", kQueries, wrong);
  job.exit(wrong == 0 ? 0 : 1);
}
