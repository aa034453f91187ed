#include "app/run.h"

#include <optional>
#include <utility>

#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/run_options.h"
#include "app/snapshots.h"
#include "base/format.h"
#include "runtime/cluster/group.h"

namespace leeway::app {

bool prints(const Error& agreed, Job& job) {
  if (job.node_count() == 1) return true;
  if (is_reported_elsewhere(agreed)) return false;
  const bool of_a_node = agreed.where.starts_with("node ") && agreed.where.ends_with(" failed");
  return !of_a_node || agreed.where == format("node {} failed", job.self());
}

std::string RunFlow::own_values() const {
  if (!options_.out_parts || job_ == nullptr) return {};
  return part_name(*options_.out, job_->self().value(), job_->node_count());
}

Result<int> RunFlow::run() {
  LEEWAY_ASSIGN(outputs_, agree_in_job(job_, Outputs::open(options_, first_, own_values())));
  outputs_.job = job_;
  LEEWAY_TRY(open());
  LEEWAY_TRY(save());
  Report report;
  {
    Watch watch(options_);
    LEEWAY_TRY(execute(*watch.progress()));
    LEEWAY_TRY(check(report));
  }
  LEEWAY_TRY(deliver());
  if (!first_) return 0;
  report.program = decided_.name();
  ReportedResults results{.top = options_.top, .taken = outputs_.kept != nullptr};
  LEEWAY_TRY(describe(report, results));
  LEEWAY_TRY(finish(report, results, outputs_, options_.json, begun_));
  LEEWAY_TRY(keep());
  return exit_code_of(report.gave_up, options_, snapshot_counts());
}

namespace {

Result<std::unique_ptr<RunFlow>> flow_of(const CommandOptions& options, const Request& decided,
                                         Job* job, Instant begun) {
  if (decided.engine == EngineName::Tick || decided.engine == EngineName::Piece) {
    LEEWAY_ASSIGN(const ClusterOptions cluster, cluster_of(options, job));
    return run_by_ticks(options, decided, cluster, begun);
  }
  LEEWAY_ASSIGN(ProgramCall call, call_of(decided, options, job));
  return keeps_parts(call, options, job) ? run_on_parts(options, decided, std::move(call), begun)
                                         : run_on_whole(options, decided, std::move(call), begun);
}

}  // namespace

Result<int> run_in(const RunOrder& order, Job* job) {
  LEEWAY_ASSIGN(const Program* const program, program_called(order.program));
  CommandOptions options = order.options;
  LEEWAY_ASSIGN(const Request decided, decide_run(*program, options, job));
  choose_what_is_read(decided, options);
  if (job == nullptr || job->self() == NodeId(0)) {
    report_warnings(options);
    log_info("running {} on the {} engine, {} nodes over {}", order.program,
             engine_info(decided.engine).name, decided.nodes, fabric_name(decided.fabric));
  }
  LEEWAY_TRY(agree_in_job(job, check_requested(decided, options, job)));
  LEEWAY_ASSIGN(const std::unique_ptr<RunFlow> flow, flow_of(options, decided, job, order.begun));
  Result<int> code = flow->run();
  if (code) return code;
  return fail(in_graph(std::move(code).error(), options));
}

}  // namespace leeway::app
