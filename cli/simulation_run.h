// A run by ticks from its scene to its files, under the tick engine or the piece engine: what both do around their own
// stepping.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "cli/command.h"
#include "cli/graph_argument.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/scene.h"
#include "cli/snapshots.h"
#include "leeway/cluster.h"

namespace leeway::cli {

/// One run under way.
struct SimulationJob {
  const Options& options;
  const DecidedRun& decided;
  const ClusterOptions& cluster;
  bool first = true;  ///< of the nodes: the one that speaks
  Instant begun{};    ///< the command
  RunOutputs outputs;
  PartitionOptions partition;  ///< settled once there is a graph
  bool gave_up = false;
  snapshot::Counts snapshot_counts;  ///< once the run is over

  static Result<SimulationJob> open(const Invocation& invocation, const DecidedRun& decided,
                                    const ClusterOptions& cluster);
  /// Whether this process needs the scene's first state, to tell its hash.
  [[nodiscard]] bool names_scene() const;
  /// `used`: what the engine was told, the rest is added.
  [[nodiscard]] Report report(Configuration used) const;
  /// Snapshots of this run, of whose ticks `span` is told what is left. `what`: is run, but for engine and program.
  [[nodiscard]] Result<std::unique_ptr<TickSnapshots>> snapshots(snapshot::Identity what,
                                                                 TickInterval& span) const;
  /// Of a graph: opened, and its division settled. `load`: the seconds that opening took.
  Result<RunGraph> open_graph(double& load);
  /// Writes everything, and shows it.
  Status finish(Report& report, const RunResults& results);
  /// Once it is finished.
  [[nodiscard]] int exit_code() const { return exit_code_of(gave_up, options, snapshot_counts); }
};

/// The result is not what the oracle says.
[[nodiscard]] Error differs(const std::string& what);

/// What a snapshot of a run on the scene is of.
template <class Thing>
[[nodiscard]] snapshot::Identity identity_of(const Scene<Thing>& scene) {
  return {.graph = scene.identity, .graph_hash = scene.hash, .vertices = scene.count};
}

/// At the first node, after the last tick, `last`: checks and delivers.
template <class Thing>
Status conclude(SimulationJob& job, Scene<Thing> scene, std::span<const Thing> things,
                const Pictures<Thing>& pictures, std::uint32_t last, Report& report) {
  report.input.graph = scene.name;
  report.input.hash = scene.hash;
  if (scene.verifies(last)) {
    const CheckingPhase phase(report);
    const std::vector<Thing> expected = scene.after(std::move(scene.first), last);
    const auto [ours, other] =
        std::mismatch(things.begin(), things.end(), expected.begin(), expected.end());
    if (ours != things.end() || other != expected.end()) {
      return fail(differs(format("number {} of {} is another, where there should be {}",
                                 ours - things.begin(), things.size(), expected.size())));
    }
    report.verified = "all bits are those of the sequential program";
  }
  RunResults results{.values = scene.table(things)};
  if (scene.film) results.film = [&] { return scene.film(things, pictures); };
  return job.finish(report, results);
}

}  // namespace leeway::cli
