// How a run of the vertex and pie engines ended, whether its result is right, and the time of the single-thread baseline.
#pragma once

#include <cstdint>
#include <string>

#include "app/report.h"
#include "app/run_options.h"
#include "datasets/graph.h"

namespace leeway::app {

/// Default of --verify: results of graphs with at most this number of arcs are verified.
inline constexpr std::uint64_t kVerifiedArcs = 1'000'000;

/// True if the run ended because it completed the requested iterations, or the fixed number that its program defines.
[[nodiscard]] bool did_its_iterations(const ProgramCall& call, const CommandOptions& options,
                                      const Record& record);
/// True if the run ended by convergence, not by an iteration count or a limit.
[[nodiscard]] bool has_converged(const ProgramCall& call, const CommandOptions& options,
                                 const Record& record);
/// Why the run ended, in words.
[[nodiscard]] std::string why(const ProgramCall& call, const CommandOptions& options,
                              const Record& record);
/// Verifies the result if requested; records the outcome and the time in the report.
Status check_result(const ProgramCall& call, const Graph& graph, const CommandOptions& options,
                    const ProgramResult& run, Report& report);

/// Fills in the report of a run by rounds, except its input, configuration and answer. `graph`: the whole graph, on which
/// the single-thread baseline is timed if that is requested (COST: McSherry, Isard & Murray, 2015).
void describe_rounds(const ProgramCall& call, const CommandOptions& options,
                     const ProgramResult& run, const Graph& graph, Report& report);
/// Makes the tables of the values. They refer to `names` and `values`.
void show_values(const ProgramCall& call, const VertexNames& names, const ProgramValues& values,
                 ReportedResults& results);

}  // namespace leeway::app
