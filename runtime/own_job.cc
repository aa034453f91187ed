#include "leeway/runtime/own_job.h"

#include <cstdlib>
#include <memory>

#include "leeway/base/format.h"
#include "leeway/base/log.h"

extern char** environ;

namespace leeway {

namespace {

struct OwnJob {
  std::unique_ptr<Job> job;
  bool looked = false;
};

/// Never destroyed: MPI is not to be left by a destructor.
OwnJob& kept() {
  static auto* const one = new OwnJob;
  return *one;
}

void leave_at_exit(int code, void*) { leave_own_job(code); }

}  // namespace

Result<Job*> own_job() {
  OwnJob& own = kept();
  if (own.looked) return own.job.get();
  LEEWAY_ASSIGN(const Fabric fabric, detect_fabric(::environ));
  if (fabric == Fabric::Mpi || fabric == Fabric::Ofi) {
    JobOptions options;
    options.fabric = fabric;
    LEEWAY_ASSIGN(own.job, join_job(options));
    ::on_exit(leave_at_exit, nullptr);
  }
  own.looked = true;
  return own.job.get();
}

void leave_own_job(int code) {
  const std::unique_ptr<Job> job = std::move(kept().job);
  if (!job) return;
  const Status mine =
      code == 0
          ? Status{}
          : fail(input_error(format("node {}", job->self()),
                             format("it ended with exit code {}", code), "see its own message"));
  const Status agreed = job->agree(mine);
  Status left = agreed ? job->leave() : Status{};
  if (code == 0 && agreed && !left) log_error("{}", left.error().to_string());
  if (code == 0 && !agreed) code = agreed.error().exit_code();
  if (code == 0 && !left) code = left.error().exit_code();
  job->exit(code);
}

Result<ClusterOptions> settle_cluster(const ClusterOptions& cluster) {
  ClusterOptions settled = cluster;
  if (cluster.job == nullptr && cluster.fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(settled.job, own_job());
    settled.fabric = Fabric::Loopback;
  }
  if (settled.job == nullptr) return settled;
  settled.fabric = settled.job->fabric();
  const std::uint32_t processes = settled.job->node_count();
  if (cluster.job == nullptr && cluster.nodes > 1 && cluster.nodes != processes) {
    return fail(input_error(
        "ClusterOptions::nodes",
        format("the program asks for {} nodes, and the launcher started {} processes",
               cluster.nodes, processes),
        "leave nodes at 1, start as many processes, or set fabric to Fabric::Loopback, which runs "
        "each process by itself"));
  }
  settled.nodes = processes;
  return settled;
}

}  // namespace leeway
