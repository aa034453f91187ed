// The shipped programs, each set up from a graph and settings and run as a job. One signature for all, so
// that the catalog can list them.
#pragma once

#include "leeway/base/result.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway {

Result<ProgramRun> run_pagerank(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_sssp(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_bfs(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_paths(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_cc(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_cdlp(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_coloring(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_heat(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_wave(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_lcc(const Graph&, const ProgramSettings&, const RunOptions&);
Result<ProgramRun> run_degree(const Graph&, const ProgramSettings&, const RunOptions&);

}  // namespace leeway
