// The three questions put to the pie engine, on sessions that stay open between them: over loopback, or as
// one process of a job. One thread's own; borrows the graph.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "leeway/datasets/graph.h"
#include "leeway/programs/pie/pagerank.h"
#include "leeway/runtime/pie/session.h"

namespace leeway::peers {

class PieQueries {
 public:
  PieQueries(const Graph& graph, const ClusterOptions& cluster)
      : graph_(graph), cluster_(cluster) {}

  /// Ranks at least as near the true ones as so many iterations of pulling bring them.
  std::vector<double> pagerank(std::uint32_t iterations);
  std::vector<double> distances(VertexId source);
  std::vector<std::uint32_t> components();

  /// What the last answer took; all values above are whole on the first node alone.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  pie::Session opened(const ClusterOptions& cluster, const pie::FragmentNeeds& needs,
                      Scheduler model);
  pie::Session& session(std::optional<pie::Session>& kept, const pie::FragmentNeeds& needs,
                        Scheduler model);
  [[nodiscard]] pie::PageRank asked(double tolerance) const;
  double tolerance(std::uint32_t iterations);
  template <class P>
  std::vector<typename P::Result> answer(pie::Session& session, const P& program);

  const Graph& graph_;
  ClusterOptions cluster_;
  std::optional<pie::Session> ranks_, paths_, parts_;
  std::map<std::uint32_t, double> tolerances_;  // by iterations
  double seconds_ = 0;
};

}  // namespace leeway::peers
