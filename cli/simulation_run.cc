#include "leeway/cli/simulation_run.h"

#include "leeway/cli/applicability.h"
#include "leeway/cli/run_snapshots.h"
#include "leeway/cli/settled_division.h"
#include "leeway/cli/vertex_report.h"

namespace leeway::cli {

Result<SimulationJob> SimulationJob::open(const Invocation& invocation, const DecidedRun& decided,
                                          const ClusterOptions& cluster) {
  SimulationJob job{.options = invocation.options,
                    .decided = decided,
                    .cluster = cluster,
                    .first = cluster.job == nullptr || cluster.job->self() == NodeId(0),
                    .begun = invocation.begun,
                    .outputs = {},
                    .partition = invocation.options.partition};
  LEEWAY_ASSIGN(job.outputs, RunOutputs::open(job.options, job.first));
  return job;
}

bool SimulationJob::names_scene() const { return first || uses_snapshots(options); }

Report SimulationJob::report(Configuration used) const {
  Report report;
  report.program = decided.name();
  Configuration all = {{"engine", std::string(engine_info(decided.engine).name)},
                       {"fabric", std::string(fabric_name(cluster.fabric))},
                       {"nodes", std::to_string(cluster.nodes)},
                       {"net", cluster.network.name}};
  for (auto& pair : used) all.push_back(std::move(pair));
  all.emplace_back("seed", std::to_string(options.load.seed));
  all.emplace_back("partition", partition_text(partition));
  report.configuration = applicable_configuration(std::move(all), options, decided);
  report.simulated = cluster.fabric == Fabric::Sim;
  report.frames = options.run.scene.frames;
  return report;
}

Result<std::unique_ptr<TickSnapshots>> SimulationJob::snapshots(snapshot::Identity what,
                                                                TickInterval& span) const {
  what.engine = engine_info(decided.engine).name;
  what.program = decided.name();
  return TickSnapshots::open(options, std::move(what), cluster, span);
}

Result<RunGraph> SimulationJob::open_graph(double& load) {
  const SteadyClock clock;
  const Instant opened = clock.now();
  LEEWAY_ASSIGN(RunGraph held, RunGraph::of(options));
  load = seconds(clock.now() - opened);
  settle_method(cluster, *held, partition);
  return held;
}

Status SimulationJob::finish(Report& report, const RunResults& results) {
  return cli::finish(report, results, outputs, options.json, begun);
}

Error differs(const std::string& what) {
  return Error{ErrorKind::Environment, "--verify",
               format("the result differs from the sequential program's: {}", what),
               "report this, with the command"};
}

}  // namespace leeway::cli
