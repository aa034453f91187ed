// `leeway run` on the vertex and pie engines: the call of the program, the run's configuration, why it ended, the
// verification of its result and the single-thread baseline. Used for whole graphs (run.cc) and distributed graphs
// (run_parts.cc).
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

struct Outputs;
struct Report;

/// Default of --verify: results of graphs with at most this number of arcs are verified.
inline constexpr std::uint64_t kVerifiedArcs = 1'000'000;

/// A program of the catalog with all inputs of its run.
struct ProgramCall {
  const ProgramInfo* program = nullptr;
  ProgramParameters parameters;
  RunOptions options;
};

/// Threads of each node: --threads if given, else the cores of this host divided by its nodes; 1 under --fabric sim.
/// For engines whose results do not depend on the number of threads.
[[nodiscard]] unsigned threads_of_node(const CommandOptions& options,
                                       const ClusterOptions& cluster);
/// Whether the graph is identified, by a hash of its arcs and weights.
[[nodiscard]] bool needs_hash(const CommandOptions& options);
/// Returns an Input error for settings that no run can satisfy. `job` null: all nodes live in this process.
Result<ClusterOptions> cluster_of(const CommandOptions& options, Job* job);
/// The error with the graph's name as its place, if it is one of the graph or matrix.
[[nodiscard]] Error in_graph(Error error, const CommandOptions& options);
/// Sets the source, if --source names a vertex.
/// Without --source: the first vertex with an arc to another vertex; vertex 0 if there is none.
Status find_source(const Graph& graph, const CommandOptions& options, ProgramCall& call);
/// As cluster_of, for all options of the vertex and pie engines.
Result<ProgramCall> call_of(const Request& run, const CommandOptions& options, Job* job);
/// Returns an Input error if each process should keep its part of a result that only process 0 has.
Status check_own_part(const Request& run, const CommandOptions& options, Job* job);
[[nodiscard]] tick::TickOptions tick_options(const CommandOptions& options,
                                             const ClusterOptions& cluster);
/// Options of the piece engine for the command's settings.
[[nodiscard]] piece::PieceOptions piece_options(const CommandOptions& options,
                                                const ClusterOptions& cluster);
/// True if this process prints the failure on which the job's processes agreed: each failure is printed by the process
/// that it happened on.
[[nodiscard]] bool prints(const Error& agreed, Job& job);

/// Fills in the options that describe the cluster, for a report.
void set_cluster(const ClusterOptions& cluster, CommandOptions& options);
/// The configuration that a report records. `source`: the source vertex as shown to the user.
[[nodiscard]] Configuration configuration(const ProgramCall& call, const Request& run,
                                          const std::string& source, const CommandOptions& options);
/// True if the run ended because it completed the requested iterations, or the fixed number that its program defines.
[[nodiscard]] bool did_its_iterations(const ProgramCall& call, const CommandOptions& options,
                                      const Record& record);
/// True if the run ended by convergence, not by an iteration count or a limit.
[[nodiscard]] bool has_converged(const ProgramCall& call, const CommandOptions& options,
                                 const Record& record);
/// Why the run ended, in words.
[[nodiscard]] std::string why(const ProgramCall& call, const CommandOptions& options,
                              const Record& record);
/// True if a simulation's result is to be compared with the sequential program: --verify if given, else if that takes
/// a few seconds at most. `range`: interaction distance; `width`: extent of the scene.
[[nodiscard]] bool verifies_cells(const CommandOptions& options, std::uint64_t cells,
                                  std::uint64_t ticks);
[[nodiscard]] bool verifies_pairs(const CommandOptions& options, std::uint64_t things, double range,
                                  double width, std::uint64_t ticks);
/// Verifies the result if requested; records the outcome and the time in the report.
Status check_result(const ProgramCall& call, const Graph& graph, const CommandOptions& options,
                    const ProgramResult& run, Report& report);
[[nodiscard]] Error no_such_source(const std::string& name);
/// Warns that no other vertex is reachable from the source, which usually is a mistyped name.
/// `busiest`: the vertex with most arcs, empty if no vertex has one to another vertex.
void warn_of_isolated_source(const std::string& name, const std::string& busiest);
/// The source of a run that was given none, for the report.
[[nodiscard]] std::string default_source(const std::string& name, VertexId vertex);

// The single-thread baseline of --cost (COST: McSherry, Isard & Murray, 2015).

/// Times the baseline of `program`, if there is one, and stores the time in `figures`.
void time_baseline(const ProgramInfo& program, const Graph& graph,
                   const ProgramParameters& parameters, std::uint32_t iterations,
                   ReportFigures& figures);

// run_parts.cc: a vertex program on a distributed graph. Each process of a job holds a part, and none holds the whole graph.

/// Loads the graph, runs the program and writes its outputs. Requires a program with `run_part` and a job of several
/// processes. Only process 0 prints. Collective.
Result<int> run_on_parts(const Invocation& invocation, const Request& decided, ProgramCall call,
                         Outputs& outputs);

}  // namespace leeway::cli
