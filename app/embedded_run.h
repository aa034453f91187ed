// Runs of the command from inside another process, such as a Python interpreter. Settings have the command's names
// and values and the same checks; graphs may be in memory; values and reports are returned instead of printed or
// written. A run blocks until it has ended. At most one run at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/output.h"
#include "base/parallel.h"
#include "base/result.h"
#include "datasets/graph.h"
#include "leeway/cluster.h"
#include "leeway/pie.h"
#include "leeway/tick_program.h"
#include "programs/catalog/continuation.h"

namespace leeway::app {

using NamedSettings = std::span<const std::pair<std::string, std::string>>;

struct EmbeddedResult {
  Kept kept;            ///< in a job: on process 0 only, or each process its part
  bool at_rest = true;  ///< converged or completed the requested iterations
};

/// The arguments of run_embedded.
struct EmbeddedCall {
  std::string program;
  /// Null: the program has its own scene, or `graph_name` is read.
  const Graph* graph = nullptr;
  std::string graph_name;  ///< for the report, or the file or spec to read; empty: none
  NamedSettings settings = {};
  std::shared_ptr<const Continuation> continuation =
      nullptr;            ///< null: the run begins from nothing
  bool own_part = false;  ///< each process of a job keeps its part of the values
  StopFlag stop = nullptr;
};

/// The run stops early once `call.stop` is set. In a job, all processes call it with equal arguments, and if one
/// fails, all fail. `job` null: all nodes live in this process.
Result<EmbeddedResult> run_embedded(const EmbeddedCall& call, Job* job);

/// Opens a file or a spec, as every command does. `warnings` receives a line for each setting without effect.
Result<Graph> open_embedded(const std::string& name, NamedSettings settings,
                            std::vector<std::string>& warnings);
/// Writes a graph, as `leeway convert` does.
Status save_embedded(const Graph& graph, const std::string& path, NamedSettings settings);
/// Checks names and values of settings of `leeway run`.
Status check_embedded(NamedSettings settings);
/// A cluster of nodes on threads of this process; accepts the settings `consistency`, `net` and `seed`.
Result<ClusterOptions> embedded_cluster(std::uint32_t nodes, NamedSettings settings);

/// Options for a PIE program that the caller defines. `warnings` as in open_embedded, on the first process only.
Result<RunOptions> embedded_session(NamedSettings settings, Job* job, StopFlag stop,
                                    std::vector<std::string>& warnings);
struct EmbeddedTicks {
  tick::TickOptions ticks;
  ClusterOptions cluster;
};
/// Options for a tick program that the caller defines.
Result<EmbeddedTicks> embedded_ticks(NamedSettings settings, Job* job, StopFlag stop,
                                     std::vector<std::string>& warnings);

struct EmbeddedProgram {
  std::string_view name, summary, result;
  bool graph = true;           ///< runs on a graph
  bool vertex_valued = false;  ///< values are numbers of vertices
  bool groups = false;         ///< equal values are a group
  std::vector<std::string_view> continues =
      {};  ///< engines that can continue after changes of the graph
  std::vector<std::string_view> known_as = {};  ///< names elsewhere
};
[[nodiscard]] std::vector<EmbeddedProgram> embedded_programs();

}  // namespace leeway::app
