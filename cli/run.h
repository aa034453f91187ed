// What `leeway run` has decided of a run of the engines on vertices, and what it says of one, wherever the graph lies.
#pragma once

#include <cstdint>
#include <string>

#include "cli/applicability.h"
#include "cli/command.h"
#include "cli/engine_reports.h"
#include "cli/options.h"
#include "leeway/tick_program.h"
#include "programs/vertex/catalog.h"

namespace leeway::cli {

struct Report;

/// Results of at most so many arcs are checked unasked.
inline constexpr std::uint64_t kVerifiedArcs = 1'000'000;

/// Everything a run needs, decided.
struct Plan {
  const ProgramInfo* program = nullptr;
  ProgramSettings settings;
  ProgramOptions options;
};

/// For the engines whose results and way there do not depend on it: what --threads says, else the cores of this process
/// divided among its nodes; one for a node with a process of its own, for others may run beside it.
[[nodiscard]] unsigned threads_of_node(const Options& options, const ClusterOptions& cluster);
/// An Input error for settings that no run could follow. `job` null: all nodes live in this process.
Result<ClusterOptions> cluster_of(const Options& options, Job* job);
/// The same of all that the engines on vertices are told.
Result<Plan> plan_of(const DecidedRun& run, const Options& options, Job* job);
/// Refuses to leave each process of a job its own part of a result that only the first can have.
Status check_own_part(const DecidedRun& run, const Options& options, Job* job);
[[nodiscard]] tick::TickOptions tick_options(const Options& options, const ClusterOptions& cluster);

/// `source`: the first vertex, as a person reads it.
[[nodiscard]] Configuration configuration(const Plan& plan, const DecidedRun& run,
                                          const std::string& source, const Options& options);
/// It did as many iterations as were asked for, or as many as its program does, and might have gone on.
[[nodiscard]] bool did_its_iterations(const Plan& plan, const Options& options,
                                      const RunRecord& record);
/// It ended by itself: not by a count of iterations, nor by the limit.
[[nodiscard]] bool came_to_rest(const Plan& plan, const Options& options, const RunRecord& record);
/// Why it ended, in words.
[[nodiscard]] std::string why(const Plan& plan, const Options& options, const RunRecord& record);
/// Whether a simulation's result is to be held against the sequential one: as told, else where that takes seconds
/// at most. `range`: as far as things act, of `width`, over which they are spread.
[[nodiscard]] bool verifies_cells(const Options& options, std::uint64_t cells, std::uint64_t ticks);
[[nodiscard]] bool verifies_pairs(const Options& options, std::uint64_t things, double range,
                                  double width, std::uint64_t ticks);
/// Where it is to be checked: what was found, and how long that took, is in the report.
Status check_result(const Plan& plan, const Graph& graph, const Options& options,
                    const ProgramRun& run, Report& report);
/// That no vertex is called so.
[[nodiscard]] Error no_such_source(const std::string& name);
/// A source from which no path leads is most often a slip: said, not answered with silence.
void warn_of_lonely_source(const std::string& name);

// What a single thread of tuned code needs for the same answer (COST: McSherry, Isard & Murray, 2015).

/// Times the baseline of `program`, if there is one, and puts it into `figures`.
void time_baseline(std::string_view program, const Graph& graph, const ProgramSettings& settings,
                   std::uint32_t iterations, RunFigures& figures);

}  // namespace leeway::cli
