// What the command does, for whoever calls it from inside a process: settings by the command's names and in its
// words, so that they apply or are refused as there; graphs that are in memory already; and values and report given
// back instead of printed and written. A run blocks until it has ended; one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "cli/output.h"
#include "leeway/cluster.h"
#include "leeway/graph.h"
#include "leeway/pie.h"
#include "leeway/result.h"
#include "leeway/tick_program.h"

namespace leeway::cli {

using NamedSettings = std::span<const std::pair<std::string, std::string>>;

struct EmbeddedRun {
  Kept kept;            ///< in a job of processes of the first alone, or of each its part
  bool at_rest = true;  ///< it came to rest, or did the iterations asked for; else it was given up
};

/// What a run is called with.
struct EmbeddedCall {
  std::string program;
  const Graph* graph =
      nullptr;  ///< null: for programs with scenes of their own, and for graphs to be read
  std::string graph_name;  ///< in the report; of a graph to be read, the file or spec; empty: none
  NamedSettings settings = {};
  bool own_part = false;  ///< each process of a job keeps its own part of the values
  StopFlag stop = nullptr;
};

/// `call.stop`: once set the run is given up. In a job every process calls it alike, and all fail alike; null: all nodes
/// live in this process.
Result<EmbeddedRun> run_embedded(const EmbeddedCall& call, Job* job);

/// A file or a spec, as every command takes one.
Result<Graph> open_embedded(const std::string& name, NamedSettings settings);
/// As `leeway convert` writes it.
Status save_embedded(const Graph& graph, const std::string& path, NamedSettings settings);
/// Whether a run takes them, whatever it runs.
Status check_embedded(NamedSettings settings);
/// Nodes on threads of this process, with `consistency`, `net` and `seed` as a run takes them.
Result<ClusterOptions> embedded_cluster(std::uint32_t nodes, NamedSettings settings);

/// How a PIE program of the caller's own is run, and one in ticks: told in the command's words.
Result<pie::SessionOptions> embedded_session(NamedSettings settings, Job* job, StopFlag stop);
struct EmbeddedTicks {
  tick::TickOptions ticks;
  ClusterOptions cluster;
};
Result<EmbeddedTicks> embedded_ticks(NamedSettings settings, Job* job, StopFlag stop);

struct EmbeddedProgram {
  std::string_view name, summary, result;
  bool graph = true;  ///< runs on one
};
[[nodiscard]] std::vector<EmbeddedProgram> embedded_programs();

struct EmbeddedSetting {
  std::string_view name, value, fallback, help;
};
/// What run_embedded takes.
[[nodiscard]] std::vector<EmbeddedSetting> embedded_settings();

}  // namespace leeway::cli
