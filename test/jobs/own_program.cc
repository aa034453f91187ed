// A user's program without any code for processes: a vertex program, a PIE program and a program
// on the shared memory, each on a cluster with default options. If a launcher starts it, its
// processes form one job.
//
//   own-program [nodes N | leave]     N: number of nodes in the options; leave: all processes but
//                                     the first exit before the runs
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "leeway/cluster.h"
#include "leeway/dsm.h"
#include "leeway/graph.h"
#include "leeway/job.h"
#include "leeway/pie.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/vertex.h"

namespace {

using namespace leeway;

int print_error(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return error.exit_code();
}

/// Each node stores its number plus one; each reads and adds all.
Status add_up(Node& node, std::uint64_t& sum) {
  SpaceOptions options;
  options.local_objects = 1;
  options.remote_objects = node.node_count();
  LEEWAY_ASSIGN(auto numbers, Dsm<std::uint64_t>::open(node, options));
  numbers.store(Handle(0), 1 + node.self().value());
  node.barrier();
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < node.node_count(); ++i)
    all += numbers.fetch(ObjectId(NodeId(i), LocalIndex(0)));
  node.barrier();
  if (node.self() == NodeId(0)) sum = all;
  return {};
}

}  // namespace

int main(int count, char** values) {
  const std::string_view mode = count > 1 ? values[1] : "";
  const Result<Job*> job = own_job();
  if (!job) return print_error(job.error());
  const bool first = *job == nullptr || (*job)->self() == NodeId(0);
  if (mode == "leave" && !first) return 7;

  const Graph graph = generate("kron:8", {}).value();
  RunOptions options;
  if (mode == "nodes") options.cluster.nodes = static_cast<std::uint32_t>(std::atoi(values[2]));
  auto ranks = run_job(graph, PageRank(graph, {}), options);
  if (!ranks) return print_error(ranks.error());
  scale_to_one(ranks->values, sum_of(ranks->values));
  RunOptions session;
  session.cluster = options.cluster;
  const auto components = pie::run_pie(graph, pie::PieComponents(), session);
  if (!components) return print_error(components.error());
  std::uint64_t sum = 0;
  const auto ran = run_cluster(options.cluster, [&](Node& node) { return add_up(node, sum); });
  if (!ran) return print_error(ran.error());
  if (!first) return 0;
  std::printf("vertex 5 has %.6f of the rank\n", ranks->values[5]);
  std::printf("vertex 5 is in component %u\n", static_cast<unsigned>(components->values[5]));
  std::printf("%zu nodes, whose numbers sum to %llu\n", ran->nodes.size(),
              static_cast<unsigned long long>(sum));
  return 0;
}
