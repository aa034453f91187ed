// The job that this process belongs to, if a launcher started it: mpiexec, srun and `leeway launch` are recognised by
// their environment variables. A cluster whose fabric is Auto joins this job, so a user's program needs no code for it.
#pragma once

#include "leeway/base/result.h"
#include "leeway/runtime/node_programs.h"

namespace leeway {

/// Null if no launcher started this process. The first call joins the job; call it from the main thread. It blocks until
/// all processes have joined. When the process ends by exit() or returns from main, it leaves the job, which blocks until
/// all processes leave. If it ends with an exit code other than 0, the runs of the other processes fail with an error that
/// names the code.
Result<Job*> own_job();
/// Leaves the job and ends the process with `code`. Collective. Without a job it does nothing.
void leave_own_job(int code);

/// Resolves Fabric::Auto: to the own job if there is one, else to threads of this process. An Input error if the caller
/// asks for a number of nodes that differs from the number of processes.
Result<ClusterOptions> settle_cluster(const ClusterOptions& cluster);

}  // namespace leeway
