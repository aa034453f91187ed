// `leeway run` and `leeway simulate` from the command line, as a single process or as a process that a launcher
// started.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "app/engines.h"
#include "app/graph_argument.h"
#include "app/job_agreement.h"
#include "app/run.h"
#include "base/format.h"
#include "base/process.h"
#include "cli/command.h"
#include "datasets/text_input.h"
#include "runtime/cluster/recovery.h"

extern char** environ;

namespace leeway::cli {

namespace {

RunOrder order_of(const Invocation& invocation) {
  return {
      .program = invocation.argument(0), .options = invocation.options, .begun = invocation.begun};
}

/// Runs, again if a process was lost meanwhile and the launcher replaces it.
Result<int> run_attempts(const RunOrder& order, Job& job) {
  return run_recoverably<int>(&job, order.options.saving.folder,
                              [&](const RunAttempt& attempt) -> Result<int> {
                                RunOrder mine = order;
                                attempt.resume_in(mine.options.saving);
                                LEEWAY_TRY(agree_on_settings(mine.program, mine.options, job));
                                return run_in(mine, &job);
                              });
}

/// Joins the job, runs, and leaves as the launcher requires.
[[noreturn]] void run_as_process(const Invocation& invocation, Job& job) {
  RunOrder order = order_of(invocation);
  order.options.quiet = invocation.options.quiet || job.self() != NodeId(0);
  HeldGraph held;
  if (job.replaces_lost()) order.options.held = &held;
  const Result<int> outcome = guarded([&] { return run_attempts(order, job); });
  job.set_recoverable(false);
  // A failure on one process becomes the error and exit code of all processes.
  const Status agreed = job.agree(outcome ? Status{} : fail(outcome.error()));
  int code = agreed ? *outcome : agreed.error().exit_code();
  if (!agreed && prints(agreed.error(), job))
    std::fprintf(stderr, "%s\n", agreed.error().to_string().c_str());
  if (const Status left = job.leave(); !left) {
    std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
    if (code == 0) code = left.error().exit_code();
  }
  job.exit(code);
}

/// Only one process of a job has the launcher's standard input, and a pipe delivers each byte once.
Status check_shared_input(const CommandOptions& options) {
  if (!options.graph || !gives_once(*options.graph)) return {};
  return fail(input_error("GRAPH",
                          format("the processes of a job cannot share {}",
                                 *options.graph == "-" ? "standard input" : *options.graph),
                          "write it to a file that all of them can read"));
}

}  // namespace

Result<int> run_simulate(const Invocation& invocation) {
  const std::string name = invocation.argument(0);
  const auto simulations = simulation_names();
  if (std::find(simulations.begin(), simulations.end(), name) == simulations.end()) {
    return fail(input_error("leeway simulate", format("'{}' is not a simulation", name),
                            did_you_mean(name, simulations)));
  }
  return run_run(invocation);
}

Result<int> run_run(const Invocation& given) {
  Invocation invocation = given;
  LEEWAY_TRY(take_graph_argument(invocation.argument(1), invocation.options));
  Fabric fabric = invocation.options.fabric;
  if (fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(fabric, detect_fabric(::environ));
  }
  if (fabric != Fabric::Mpi && fabric != Fabric::Ofi) {
    warn_of_others(format("--fabric {}", fabric_name(fabric)));
    answer_job_signals(!invocation.options.saving.folder.empty());
    return run_in(order_of(invocation), nullptr);
  }
  if (fabric == Fabric::Mpi && !read_launch(::environ).pmi) {
    return fail(input_error("--fabric", "mpi needs mpiexec",
                            format("mpiexec -n {} leeway {}", invocation.options.nodes.value_or(2),
                                   fmt::join(invocation.words, " "))));
  }
  LEEWAY_TRY(check_shared_input(invocation.options));
  if (fabric == Fabric::Ofi && !read_launch(::environ).rendezvous) {
    return fail(
        input_error("--fabric", "ofi needs leeway launch",
                    format("leeway launch -n {} -- {}", invocation.options.nodes.value_or(2),
                           fmt::join(invocation.words, " "))));
  }
  JobOptions joining;
  joining.fabric = fabric;
  joining.provider = invocation.options.provider;
  LEEWAY_ASSIGN(const std::unique_ptr<Job> job, join_job(joining));
  run_as_process(invocation, *job);
}

}  // namespace leeway::cli
