// `leeway run` and `leeway simulate` from the command line: what they are given, and the process that a launcher
// started for one.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "leeway/base/format.h"
#include "leeway/base/log.h"
#include "leeway/base/nearest.h"
#include "leeway/cli/applicability.h"
#include "leeway/cli/command.h"
#include "leeway/cli/graph_argument.h"
#include "leeway/cli/guarded.h"
#include "leeway/cli/job_agreement.h"
#include "leeway/cli/run_plan.h"
#include "leeway/datasets/spooled_input.h"
#include "leeway/runtime/parts/exchange.h"
#include "leeway/transport/launcher.h"

extern char** environ;

namespace leeway::cli {

namespace {

/// A process that a launcher started: joins, runs, and leaves in the way the launcher wants.
[[noreturn]] void run_as_process(const Invocation& invocation, Job& job) {
  Invocation mine = invocation;
  mine.options.quiet = invocation.options.quiet || job.self() != NodeId(0);
  const Result<int> outcome = guarded([&]() -> Result<int> {
    LEEWAY_TRY(agree_on_what_was_said(mine, job));
    return run_in(mine, &job);
  });
  // Whatever went wrong anywhere, before, in or after the run, is every process' error and exit code.
  const Status agreed = job.agree(outcome ? Status{} : fail(outcome.error()));
  int code = agreed ? *outcome : agreed.error().exit_code();
  if (!agreed && !is_told_elsewhere(agreed.error()))
    std::fprintf(stderr, "%s\n", agreed.error().to_string().c_str());
  if (const Status left = job.leave(); !left) {
    std::fprintf(stderr, "%s\n", left.error().to_string().c_str());
    if (code == 0) code = left.error().exit_code();
  }
  job.exit(code);
}

/// Only one process of a job has the launcher's standard input, and a pipe gives each byte once.
Status check_shared_input(const Options& options) {
  if (!options.graph || !gives_once(*options.graph)) return {};
  return fail(input_error("GRAPH",
                          format("the processes of a job cannot share {}",
                                 *options.graph == "-" ? "standard input" : *options.graph),
                          "write it to a file that all of them can read"));
}

/// `fabric` keeps all nodes inside one process: each of a job's processes runs all of it, and may write the same files.
void warn_of_others(Fabric fabric) {
  const LaunchInfo launch = read_launch(::environ);
  const auto number = [](std::string_view name) {
    return std::strtoul(std::string(variable(::environ, name)).c_str(), nullptr, 10);
  };
  const unsigned long processes = launch.rendezvous ? number("LEEWAYJOB_NODES") : launch.processes;
  const unsigned long self = number(launch.rendezvous ? "LEEWAYJOB_NODE" : "PMI_RANK");
  if (processes <= 1 || self > 0) return;
  log_warning("--fabric {}: each of the {} processes of this job runs by itself, and all of it",
              fabric_name(fabric), processes);
}

}  // namespace

Result<int> run_simulate(const Invocation& invocation) {
  const std::string name = invocation.argument(0);
  const auto simulations = simulation_names();
  if (std::find(simulations.begin(), simulations.end(), name) == simulations.end()) {
    return fail(input_error("leeway simulate", format("'{}' is no simulation", name),
                            did_you_mean(name, simulations)));
  }
  return run_run(invocation);
}

Result<int> run_run(const Invocation& said) {
  Invocation invocation = said;
  LEEWAY_TRY(take_graph_argument(invocation.argument(1), invocation.options));
  Fabric fabric = invocation.options.run.fabric;
  if (fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(fabric, detect_fabric(::environ));
  }
  if (fabric != Fabric::Mpi && fabric != Fabric::Ofi) {
    warn_of_others(fabric);
    return run_in(invocation, nullptr);
  }
  LEEWAY_TRY(check_shared_input(invocation.options));
  JobOptions joining;
  joining.fabric = fabric;
  joining.provider = invocation.options.provider;
  LEEWAY_ASSIGN(const std::unique_ptr<Job> job, join_job(joining));
  run_as_process(invocation, *job);
}

}  // namespace leeway::cli
