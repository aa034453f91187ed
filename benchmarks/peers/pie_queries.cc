#include "leeway/benchmarks/peers/pie_queries.h"

#include <cmath>

#include "leeway/base/check.h"
#include "leeway/programs/pie/components.h"
#include "leeway/programs/pie/pagerank.h"
#include "leeway/programs/pie/paths.h"
#include "leeway/programs/reference/kernels.h"

namespace leeway::peers {

pie::Session PieQueries::opened(const ClusterOptions& cluster, const pie::FragmentNeeds& needs,
                                Scheduler model) {
  pie::SessionOptions options;
  options.cluster = cluster;
  options.partition.balance = BalanceBy::Arcs;
  options.engine.schedule.model = model;
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
  seconds_ = answer->record.compute_seconds;
  return std::move(answer->values);
}

/// As the command runs it.
pie::PageRank PieQueries::asked(double tolerance) const {
  return pie::quick_pagerank(graph_, {.tolerance = tolerance});
}

/// About the largest with which one node comes as near as that: tried out before anything is timed, and the
/// same in every process.
double PieQueries::tolerance(std::uint32_t iterations) {
  constexpr std::uint32_t kMany = 100;  // ranks rest by then, and are asked for to compare them
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
  pie::Session alone = opened(one, pie::PageRank().needs(), Scheduler::Bsp);
  const auto near_enough = [&](double tolerance) {
    auto ranks = answer(alone, asked(tolerance));
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
  const pie::PageRank program = asked(tolerance(iterations));
  std::vector<double> ranks = answer(session(ranks_, program.needs(), Scheduler::Bsp), program);
  scale_to_one(ranks, sum_of(ranks));
  return ranks;
}

std::vector<double> PieQueries::distances(VertexId source) {
  const pie::Sssp program(graph_, source, pie::arcs_a_round(graph_, cluster_.nodes));
  return answer(session(paths_, program.needs(), Scheduler::Aap), program);
}

std::vector<std::uint32_t> PieQueries::components() {
  const pie::Components program;
  return answer(session(parts_, program.needs(), Scheduler::Aap), program);
}

}  // namespace leeway::peers
