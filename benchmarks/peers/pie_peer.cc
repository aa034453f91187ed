#include "benchmarks/peers/pie_peer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "benchmarks/harness.h"
#include "benchmarks/peers/peer.h"
#include "programs/cc/pie.h"
#include "programs/pagerank/pie.h"
#include "programs/reference/kernels.h"
#include "programs/sssp/pie.h"
#include "transport/fabric.h"

namespace leeway::peers {

namespace {

constexpr int kRounds = 3;

struct PeerQuery {
  const char* question;
  double tuned_seconds;
  double (*ask)(PieQueries& queries, VertexId source, std::uint32_t iterations);
};

}  // namespace

void run_as_process(const std::string& name, const Graph& graph, VertexId source,
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
      PeerQuery{"pagerank", tuned.pagerank,
                [](PieQueries& q, VertexId, std::uint32_t passes) {
                  (void)q.pagerank(passes);
                  return q.seconds();
                }},
      PeerQuery{"sssp", tuned.sssp,
                [](PieQueries& q, VertexId from, std::uint32_t) {
                  (void)q.distances(from);
                  return q.seconds();
                }},
      PeerQuery{"components", tuned.components,
                [](PieQueries& q, VertexId, std::uint32_t) {
                  (void)q.components();
                  return q.seconds();
                }},
  };
  for (const PeerQuery& query : all) {
    std::vector<bench::Contender> alone = {
        {query.question, [&] { return query.ask(queries, source, iterations); }}};
    bench::race(alone, kRounds);
    const double took = alone.front().median;
    if (job.self() != NodeId(0)) continue;
    std::printf("  %-12s leeway pie, %u processes    %9.4f s %26.2fx\n", query.question,
                cluster.nodes, took, took / query.tuned_seconds);
    bench::print_json("peers", [&](JsonWriter& json) {
      json.member("graph", name).member("question", query.question);
      json.member("peer", format("leeway pie, {} processes over mpi", cluster.nodes));
      json.member("seconds", took, ".6f").member("ratio", took / query.tuned_seconds, ".4f");
    });
    std::fflush(stdout);
  }
  LEEWAY_CHECK(job.leave().has_value());
  job.exit(0);
}

pie::Session PieQueries::opened(const ClusterOptions& cluster, const pie::FragmentNeeds& needs,
                                Scheduler model) {
  RunOptions options;
  options.cluster = cluster;
  options.partition.balance = BalanceBy::Arcs;
  options.pie.schedule.model = model;
  auto session = pie::Session::open(graph_, needs, std::move(options));
  LEEWAY_CHECK(session.has_value(), session ? std::string() : session.error().to_string());
  LEEWAY_CHECK(session->load().has_value());
  return std::move(*session);
}

pie::Session& PieQueries::session(std::optional<pie::Session>& kept,
                                  const pie::FragmentNeeds& needs, Scheduler model) {
  if (!kept) kept.emplace(opened(cluster_, needs, model));
  return *kept;
}

template <class P>
std::vector<typename P::Result> PieQueries::answer(pie::Session& session, const P& program) {
  auto answer = session.ask(program);
  LEEWAY_CHECK(answer.has_value(), answer ? std::string() : answer.error().to_string());
  seconds_ = answer->record.phases.compute;
  return std::move(answer->values);
}

/// As the command runs it.
pie::PiePageRank PieQueries::pagerank_program(double tolerance) const {
  return pie::quick_pagerank(graph_, {.tolerance = tolerance});
}

/// Approximately the largest tolerance with which one node is as exact as `iterations` iterations. Determined before
/// anything is timed; equal in every process.
double PieQueries::tolerance(std::uint32_t iterations) {
  constexpr std::uint32_t kMany = 100;  // ranks have converged by then, for comparison
  if (iterations >= kMany) return 1e-7;
  if (const auto known = tolerances_.find(iterations); known != tolerances_.end())
    return known->second;
  const reference::PullPageRank pull(graph_);
  const std::vector<double> truth = pull.run(iterations + kMany);
  const auto error = [&](std::span<const double> found) {
    double sum = 0;
    for (std::size_t v = 0; v < truth.size(); ++v) sum += std::abs(truth[v] - found[v]);
    return sum;
  };
  const double allowed = error(pull.run(iterations));
  ClusterOptions one;
  one.fabric = Fabric::Loopback;
  pie::Session alone = opened(one, pie::PiePageRank().needs(), Scheduler::Bsp);
  const auto near_enough = [&](double tolerance) {
    auto ranks = answer(alone, pagerank_program(tolerance));
    scale_to_one(ranks, sum_of(ranks));
    return error(ranks) <= allowed;
  };
  constexpr double kLeast = 1e-7;
  double good = 0.1;
  while (good > kLeast && !near_enough(good)) good /= 4;
  for (const double finer : {2.0, 1.4, 1.2}) {
    if (near_enough(good * finer)) good *= finer;
  }
  return tolerances_[iterations] = good;
}

std::vector<double> PieQueries::pagerank(std::uint32_t iterations) {
  const pie::PiePageRank program = pagerank_program(tolerance(iterations));
  std::vector<double> ranks = answer(session(ranks_, program.needs(), Scheduler::Bsp), program);
  scale_to_one(ranks, sum_of(ranks));
  return ranks;
}

std::vector<double> PieQueries::distances(VertexId source) {
  const pie::PieSssp program(graph_, source, pie::arcs_a_round(graph_, cluster_.nodes));
  return answer(session(paths_, program.needs(), Scheduler::Aap), program);
}

std::vector<std::uint32_t> PieQueries::components() {
  const pie::PieComponents program;
  return answer(session(parts_, program.needs(), Scheduler::Aap), program);
}

namespace {

// Leeway's PIE programs. The graph is divided and loaded once, as other contenders load theirs before they are timed;
// timed is a query, from the first PEval to the end of the last worker.
class Pie final : public Peer {
 public:
  Pie(const Graph& graph, std::uint32_t nodes) : nodes_(nodes), queries_(graph, cluster(nodes)) {}

  [[nodiscard]] std::string name() const override {
    return format("leeway pie, {} node{}", nodes_, nodes_ == 1 ? "" : "s");
  }
  [[nodiscard]] std::optional<double> own_seconds() const override { return queries_.seconds(); }
  [[nodiscard]] bool counts_iterations() const override { return false; }

  std::vector<double> pagerank(std::uint32_t iterations) override {
    return queries_.pagerank(iterations);
  }
  std::vector<double> distances(VertexId source) override { return queries_.distances(source); }
  std::vector<std::uint32_t> components() override { return queries_.components(); }

 private:
  static ClusterOptions cluster(std::uint32_t nodes) {
    ClusterOptions options;
    options.fabric = Fabric::Loopback;
    options.nodes = nodes;
    return options;
  }

  std::uint32_t nodes_;
  PieQueries queries_;
};

}  // namespace

std::unique_ptr<Peer> leeway_pie(const Graph& graph, std::uint32_t nodes) {
  return std::make_unique<Pie>(graph, nodes);
}

}  // namespace leeway::peers
