// The three questions put to PIE programs as processes of an MPI job: each process loads the graph and divides
// it alike, and holds its own fragment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/graph.h"
#include "leeway/pie.h"
#include "programs/pie/pagerank.h"

namespace leeway::peers {

/// What the tuned kernels took, in the run that started this one.
struct TunedSeconds {
  double pagerank = 0;
  double sssp = 0;
  double components = 0;
};

/// As one process of a job that a launcher started: asks, and leaves. The first prints.
[[noreturn]] void ask_as_process(const std::string& name, const Graph& graph, VertexId source,
                                 std::uint32_t iterations, const TunedSeconds& tuned);

// The three questions put to the pie engine, on sessions that stay open between them: over loopback, or as
// one process of a job. One thread's own; borrows the graph.
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
  [[nodiscard]] pie::PiePageRank asked(double tolerance) const;
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
