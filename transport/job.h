// The kinds of Job, each in a file of its own. Private to the transport folder; say join_job (fabric.h).
#pragma once

#include <memory>

#include "leeway/base/result.h"
#include "leeway/transport/fabric.h"

namespace leeway {

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options);
Result<std::unique_ptr<Job>> join_ofi_job(const JobOptions& options);

}  // namespace leeway
