// Results held against the sequential oracles of programs/reference, which share no code with the engines.
// The text says what was found; an error says where the result is wrong, which is a bug of ours.
#pragma once

#include <string>

#include "leeway/base/result.h"
#include "leeway/programs/vertex/catalog.h"

namespace leeway {

using Verified = Result<std::string>;

Verified verify_pagerank(const Graph&, const ProgramSettings&, const ProgramOptions&,
                         const ProgramValues&);
Verified verify_sssp(const Graph&, const ProgramSettings&, const ProgramOptions&,
                     const ProgramValues&);
Verified verify_bfs(const Graph&, const ProgramSettings&, const ProgramOptions&,
                    const ProgramValues&);
Verified verify_paths(const Graph&, const ProgramSettings&, const ProgramOptions&,
                      const ProgramValues&);
Verified verify_shortest_path_counts(const Graph&, const ProgramSettings&, const ProgramOptions&,
                                     const ProgramValues&);
Verified verify_cc(const Graph&, const ProgramSettings&, const ProgramOptions&,
                   const ProgramValues&);
Verified verify_cdlp(const Graph&, const ProgramSettings&, const ProgramOptions&,
                     const ProgramValues&);
Verified verify_coloring(const Graph&, const ProgramSettings&, const ProgramOptions&,
                         const ProgramValues&);
Verified verify_diffusion(const Graph&, const ProgramSettings&, const ProgramOptions&,
                          const ProgramValues&);
Verified verify_lcc(const Graph&, const ProgramSettings&, const ProgramOptions&,
                    const ProgramValues&);
Verified verify_degree(const Graph&, const ProgramSettings&, const ProgramOptions&,
                       const ProgramValues&);

}  // namespace leeway
