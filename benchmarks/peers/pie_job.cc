#include "leeway/benchmarks/peers/pie_job.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "leeway/base/check.h"
#include "leeway/benchmarks/peers/pie_queries.h"
#include "leeway/transport/fabric.h"

namespace leeway::peers {

namespace {

constexpr int kRounds = 3;  // after one that warms up

struct Asked {
  const char* question;
  double tuned_seconds;
  double (*ask)(PieQueries& queries, VertexId source, std::uint32_t iterations);
};

double median_of(PieQueries& queries, const Asked& asked, VertexId source,
                 std::uint32_t iterations) {
  std::vector<double> times;
  for (int round = 0; round <= kRounds; ++round) {
    const double took = asked.ask(queries, source, iterations);
    if (round > 0) times.push_back(took);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

void ask_as_process(const std::string& name, const Graph& graph, VertexId source,
                    std::uint32_t iterations, const TunedSeconds& tuned) {
  auto joined = join_job({.fabric = Fabric::Mpi});
  LEEWAY_CHECK(joined.has_value(), joined ? std::string() : joined.error().to_string());
  Job& job = **joined;
  ClusterOptions cluster;
  cluster.job = &job;
  cluster.fabric = job.fabric();
  cluster.nodes = job.node_count();
  PieQueries queries(graph, cluster);
  const std::array all = {
      Asked{"pagerank", tuned.pagerank,
            [](PieQueries& q, VertexId, std::uint32_t passes) {
              (void)q.pagerank(passes);
              return q.seconds();
            }},
      Asked{"sssp", tuned.sssp,
            [](PieQueries& q, VertexId from, std::uint32_t) {
              (void)q.distances(from);
              return q.seconds();
            }},
      Asked{"components", tuned.components,
            [](PieQueries& q, VertexId, std::uint32_t) {
              (void)q.components();
              return q.seconds();
            }},
  };
  for (const Asked& asked : all) {
    const double took = median_of(queries, asked, source, iterations);
    if (job.self() != NodeId(0)) continue;
    std::printf("  %-12s leeway pie, %u processes    %9.4f s %26.2fx\n", asked.question,
                cluster.nodes, took, took / asked.tuned_seconds);
    std::printf(
        "{\"bench\":\"peers\",\"graph\":\"%s\",\"question\":\"%s\",\"peer\":\"leeway pie, %u "
        "processes over mpi\",\"seconds\":%.6f,\"ratio\":%.4f}\n",
        name.c_str(), asked.question, cluster.nodes, took, took / asked.tuned_seconds);
    std::fflush(stdout);
  }
  LEEWAY_CHECK(job.leave().has_value());
  job.exit(0);
}

}  // namespace leeway::peers
