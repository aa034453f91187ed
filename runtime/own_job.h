// The job of processes that this process was started in, if it was: mpiexec, srun and `leeway launch` are recognised by
// the environment. A program of one's own need not know how it was started: a cluster whose fabric is Auto joins this job.
#pragma once

#include "leeway/base/result.h"
#include "leeway/runtime/node_programs.h"

namespace leeway {

/// Null where no launcher started this process. Joins at the first call, from the main thread, and blocks until all
/// processes of the job have joined. When the process then ends by exit() or by returning from main, it waits for the
/// others, and leaves the job. Where it ends with another exit code than 0, the others' runs fail, and say so.
Result<Job*> own_job();
/// The same job, left by the caller: collective; ends the process. No effect without a job.
void leave_own_job(int code);

/// The cluster with its fabric decided: Auto is this process's own job, else threads of this process. An Input error
/// where the caller asks for another number of nodes than the job has.
Result<ClusterOptions> settle_cluster(const ClusterOptions& cluster);

}  // namespace leeway
