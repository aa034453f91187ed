// The three questions of bench-peers as PIE programs, over loopback or in a job of MPI processes. In a job, each
// process loads and divides the graph identically and holds its own fragment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph.h"
#include "leeway/pie.h"
#include "programs/pagerank/pie.h"

namespace leeway::peers {

/// Seconds of the tuned kernels, in the run that started this one.
struct TunedSeconds {
  double pagerank = 0;
  double sssp = 0;
  double components = 0;
};

/// Runs as one process of a job that a launcher started, and exits. Process 0 prints.
[[noreturn]] void run_as_process(const std::string& name, const Graph& graph, VertexId source,
                                 std::uint32_t iterations, const TunedSeconds& tuned);

/// Answers the three questions on sessions that stay open between them. Refers to the graph. Not thread-safe.
class PieQueries {
 public:
  PieQueries(const Graph& graph, const ClusterOptions& cluster)
      : graph_(graph), cluster_(cluster) {}

  /// Ranks at least as exact as those after `iterations` pull iterations.
  std::vector<double> pagerank(std::uint32_t iterations);
  std::vector<double> distances(VertexId source);
  std::vector<std::uint32_t> components();

  /// Time of the last answer. The returned values are complete on node 0 only.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  pie::Session opened(const ClusterOptions& cluster, const pie::FragmentNeeds& needs,
                      Scheduler model);
  pie::Session& session(std::optional<pie::Session>& kept, const pie::FragmentNeeds& needs,
                        Scheduler model);
  [[nodiscard]] pie::PiePageRank pagerank_program(double tolerance) const;
  double tolerance(std::uint32_t iterations);
  template <class P>
  std::vector<typename P::Result> answer(pie::Session& session, const P& program);

  const Graph& graph_;
  ClusterOptions cluster_;
  std::optional<pie::Session> ranks_, paths_, parts_;
  std::map<std::uint32_t, double> tolerances_;  // by number of iterations
  double seconds_ = 0;
};

}  // namespace leeway::peers
