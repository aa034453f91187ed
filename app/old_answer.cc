#include "app/old_answer.h"

#include <utility>

#include "app/graph_argument.h"
#include "app/report.h"
#include "app/run_outcome.h"
#include "app/snapshots.h"
#include "app/source.h"
#include "base/format.h"
#include "base/log.h"
#include "datasets/graph_hash.h"
#include "programs/catalog/continuation.h"
#include "runtime/cluster/group.h"

namespace leeway::app {

namespace {

/// The options of the run before the changes, resumed.
CommandOptions before_changes(const CommandOptions& options) {
  CommandOptions old = options;
  old.saving.resume = std::exchange(old.from, {});
  old.changes.clear();
  std::erase_if(old.given, [](const GivenSetting& each) {
    return each.setting->name == "changes" || each.setting->name == "from";
  });
  return old;
}

/// An Input error in every process if the run stopped at a limit.
Status check_ended(const CommandOptions& options, const ProgramResult& run,
                   const ProgramCall& resumed) {
  Status ended;
  const ClusterOptions& cluster = resumed.options.cluster;
  const bool is_first = cluster.job == nullptr || cluster.job->self() == NodeId(0);
  if (is_first && !has_converged(resumed, options, run.record)) {
    ended = fail(input_error(
        options.from, format("the run before the changes {}", why(resumed, options, run.record)),
        "give snapshots of a run that converges"));
  }
  if (cluster.job == nullptr) return ended;
  return with_group(cluster, [&](Group& group) { return group.agree(std::move(ended)); });
}

}  // namespace

Result<std::vector<double>> old_answer(const CommandOptions& options, const Request& decided,
                                       const ProgramCall& call, const Graph& before) {
  if (!continues_from_snapshot(options))
    return read_old_answer(options.from, before.names(), call.program->shown);
  const CommandOptions old = before_changes(options);
  ProgramCall resumed = call;
  LEEWAY_TRY(find_source(before, old, resumed));
  LEEWAY_TRY(read_vertex_files(before, old, resumed.parameters));
  LEEWAY_TRY(admit(*resumed.program, decided.engine, before, resumed.parameters, resumed.options));
  LEEWAY_ASSIGN(const double dividing, settle_division(*options.graph, before, resumed.options));
  (void)dividing;
  const ReportInput input{.graph = *options.graph,
                          .hash = hash_of(before),
                          .vertices = before.vertex_count(),
                          .arcs = before.arc_count()};
  LEEWAY_TRY(prepare_snapshots(old, configuration(resumed, decided, {}, old), input, resumed));
  LEEWAY_ASSIGN(const ProgramResult run,
                resumed.run->run(before, resumed.parameters, resumed.options));
  LEEWAY_TRY(check_ended(old, run, resumed));
  log_info("{}: the run before the changes ended after {} iterations", options.from,
           run.record.iterations());
  return old_values(run.values, resumed.options.cluster);
}

}  // namespace leeway::app
