// The shipped programs, each set up from a graph and settings and run as a job. One signature for all, so
// that the catalog can list them.
#pragma once

#include "leeway/base/clock.h"
#include "leeway/base/result.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway {

/// Runs the program that `make` makes of the graph; making it is a part of setting up.
template <class Make>
auto run_made(const JobGraph& graph, const Make& make, const ProgramOptions& options) {
  const SteadyClock clock;
  const Instant started = clock.now();
  const auto program = make();
  const double making = seconds(clock.now() - started);
  auto result = run_job(graph, program, options);
  if (result) result->record.phases.setup += making;
  return result;
}

// On a whole graph, or on this process's part of one:

Result<ProgramRun> run_pagerank(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_sssp(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_bfs(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_paths(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_shortest_path_counts(const JobGraph&, const ProgramSettings&,
                                            const ProgramOptions&);
Result<ProgramRun> run_cc(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_cdlp(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_coloring(const JobGraph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_degree(const JobGraph&, const ProgramSettings&, const ProgramOptions&);

// On a whole graph:

Result<ProgramRun> run_heat(const Graph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_wave(const Graph&, const ProgramSettings&, const ProgramOptions&);
Result<ProgramRun> run_lcc(const Graph&, const ProgramSettings&, const ProgramOptions&);

}  // namespace leeway
