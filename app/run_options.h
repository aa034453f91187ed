// From settings to the options of a run: the cluster, the program's call, the engines' options, and whether a run may
// be made so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/applicability.h"
#include "app/options.h"
#include "leeway/cluster.h"
#include "leeway/piece.h"
#include "leeway/tick_program.h"
#include "programs/catalog/program.h"

namespace leeway::app {

/// A program of the catalog with all inputs of its run.
struct ProgramCall {
  const Program* program = nullptr;
  const EngineRun* run = nullptr;  ///< the program on the run's engine
  ProgramParameters parameters;
  RunOptions options;
};

/// Threads of each node: --threads if given, else the cores of this host divided by its nodes; 1 under --fabric sim.
/// For engines whose results do not depend on the number of threads.
[[nodiscard]] unsigned threads_of_node(const CommandOptions& options,
                                       const ClusterOptions& cluster);
/// Whether --from is a folder of snapshots or one of them, so that the run before the changes must first be brought to its end.
[[nodiscard]] bool continues_from_snapshot(const CommandOptions& options);
/// Whether the graph is identified, by a hash of its arcs and weights.
[[nodiscard]] bool needs_hash(const CommandOptions& options);
/// Returns an Input error for settings that no run can satisfy. `job` null: all nodes live in this process.
Result<ClusterOptions> cluster_of(const CommandOptions& options, Job* job);
/// The error with the graph's name as its place, if it is one of the graph or matrix.
[[nodiscard]] Error in_graph(Error error, const CommandOptions& options);
/// As cluster_of, for all options of the vertex and pie engines.
Result<ProgramCall> call_of(const Request& run, const CommandOptions& options, Job* job);
/// Returns an Input error if each process should keep its part of a result that only process 0 has.
Status check_own_part(const Request& run, const CommandOptions& options, Job* job);
[[nodiscard]] tick::TickOptions tick_options(const CommandOptions& options,
                                             const ClusterOptions& cluster);
/// True if a run by ticks measures how far values move.
[[nodiscard]] bool measures(const CommandOptions& options);
/// Options of the piece engine for the command's settings.
[[nodiscard]] piece::PieceOptions piece_options(const CommandOptions& options,
                                                const ClusterOptions& cluster);
/// Fills in the options that describe the cluster, for a report.
void set_cluster(const ClusterOptions& cluster, CommandOptions& options);
/// The configuration that a report records. `source`: the source vertex as shown to the user.
[[nodiscard]] Configuration configuration(const ProgramCall& call, const Request& run,
                                          const std::string& source, const CommandOptions& options);

/// What reading needs of the program: for a program on ratings, a CSV file is a table of them. To read and check weights takes as
/// long as the rest of a binary file, and is left out if nothing needs them.
void choose_what_is_read(const Request& run, CommandOptions& options);
/// Why each process keeps the whole graph: a setting, or the program's name if it cannot run on parts; none: it keeps its part.
[[nodiscard]] std::optional<std::string_view> whole_because(const Program& program,
                                                            const EngineRun& run,
                                                            const CommandOptions& options,
                                                            Job& job);
/// True if each process holds only a part of the graph.
[[nodiscard]] bool keeps_parts(const ProgramCall& call, const CommandOptions& options, Job* job);
/// Returns an Input error, before any work, for a run without its graph or with outputs that it cannot have.
Status check_requested(const Request& run, const CommandOptions& options, Job* job);

}  // namespace leeway::app
