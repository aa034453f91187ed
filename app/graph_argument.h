// Graphs as commands take them: opening a file or a spec, dividing and saving a graph, defaults from LDBC property
// files, and checks that the machine has enough memory before work starts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "app/options.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "programs/catalog/program.h"
#include "runtime/graph/load_part.h"

namespace leeway::app {

/// Returns an Environment error, with the largest possible number, if `nodes` nodes do not fit into this process.
/// `threads`: each node runs on its own threads; false: the nodes are simulated.
Status admit_nodes(std::uint32_t nodes, bool threads);

/// Returns an Environment error that names `flag` if `count` items ("cells", "fish") of `bytes_each` do not fit.
/// Checked before the allocation, because the kernel may grant memory that it does not have and later kill a process.
Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each);

/// Replaces the method Auto by one that suits the graph and the network.
void settle_method(const ClusterOptions& cluster, const Graph& graph, PartitionOptions& how);

/// The division stored in the binary file `path`, if it has `how.parts` parts and `vertices` vertices. Null: there is
/// none, or a method was specified.
Result<std::shared_ptr<const Partition>> stored_division(const std::string& path,
                                                         std::uint64_t vertices,
                                                         const PartitionOptions& how);

/// Columns and rows of a graph whose vertices are the cells of a plane: grid2d:WxH, matrix:poisson2d:WxH or
/// matrix:anisotropic:WxH:… . None for other graphs.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(
    std::string_view graph);

/// Replaces the partition method Auto: uses the division stored in the graph's file if its number of parts matches,
/// else a method that suits the graph and the network. Returns the seconds spent.
Result<double> settle_division(const std::string& path, const Graph& graph, RunOptions& options);

/// If the graph is an LDBC graph, sets --iterations, --damping and --source from its .properties file, unless they
/// were given. Records in `from_properties` the values used and their lines.
Status take_ldbc_defaults(const Program& program, EngineName engine, CommandOptions& options);

/// Loads a file or generates from a spec; shows progress on standard error.
Result<Graph> open_graph(const std::string& argument, const CommandOptions& options);

/// Applies the argument GRAPH like --graph; empty: it was not given. Returns an Input error if both were given.
Status take_graph_argument(const std::string& argument, CommandOptions& options);

/// The graph of a run that survives the loss of processes (`leeway launch --spares`), for further attempts of the run. A process
/// that replaces a lost one opens a copy, whose name the launcher gives, instead of reading or generating the graph again: rank 0
/// writes a whole graph during the run, and each process writes its part before the run.
class HeldGraph {
 public:
  /// Loads the graph at the first call, and keeps it.
  Result<const Graph*> whole(Job& job, const CommandOptions& options);
  /// This process's part of the graph: from its copy in a further attempt, if all processes have theirs, or by `load`, which is
  /// collective. Collective.
  static Result<LoadedPart> part(const ClusterOptions& cluster,
                                 const std::function<Result<LoadedPart>()>& load);

 private:
  std::optional<Graph> whole_;
  std::jthread writer_;  // its destructor waits
};

/// The graph of a run: owned, held for further attempts, or borrowed from a caller inside the process.
class OpenedGraph {
 public:
  static Result<OpenedGraph> of(const CommandOptions& options);
  /// The same in a process of `job`; null: none.
  static Result<OpenedGraph> in(Job* job, const CommandOptions& options);
  [[nodiscard]] const Graph& operator*() const { return borrowed_ != nullptr ? *borrowed_ : own_; }

 private:
  const Graph* borrowed_ = nullptr;
  Graph own_;
};

/// Generates from a spec, even if a file of that name exists; shows progress.
Result<Graph> make_graph(const std::string& spec, const CommandOptions& options);

/// Divides the graph by the method of `how`; shows progress.
Result<Partition> divide_graph(const Graph& graph, PartitionOptions how,
                               const CommandOptions& options);

/// Returns an Input error, before any work, if the output's format is unknown, the output is the file `input`, or an
/// existing file may not be replaced.
Status check_graph_output(const std::string& path, const std::string& input,
                          const CommandOptions& options);

/// Writes in the format `options.to`, default: by the file name. On failure, no file of that name remains.
Status save_graph(const Graph& graph, const std::string& path, const CommandOptions& options);

}  // namespace leeway::app
