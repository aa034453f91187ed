#include "transport/fabric.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "base/format.h"
#include "base/process.h"
#include "transport/process_job.h"

namespace leeway {

std::string_view fabric_name(Fabric fabric) {
  constexpr std::array<std::string_view, 5> kNames = {"auto", "loopback", "sim", "mpi", "ofi"};
  return kNames[static_cast<std::size_t>(fabric)];
}

Result<Fabric> detect_fabric(const char* const* environment) {
  const LaunchInfo launch = read_launch(environment);
  if (launch.rendezvous) return Fabric::Ofi;
  if (launch.pmi) return Fabric::Mpi;
  if (!launch.foreign.empty()) return fail(stranded(launch));
  return Fabric::Loopback;
}

Status Job::rejoin() {
  return fail(environment_error("job", "this job does not replace lost processes",
                                "start it with leeway launch --spares"));
}

void Job::exit(int code) {
  std::fflush(nullptr);
  ::_exit(code);
}

Result<std::unique_ptr<Job>> join_job(const JobOptions& options) {
  Fabric fabric = options.fabric;
  if (fabric == Fabric::Auto) {
    LEEWAY_ASSIGN(fabric, detect_fabric(::environ));
  }
  if (fabric == Fabric::Mpi) return join_mpi_job(options);
  if (fabric == Fabric::Ofi) return join_ofi_job(options);
  return fail(
      input_error("fabric",
                  format("fabric '{}' runs all nodes in one process, so there is no job to join",
                         fabric_name(fabric)),
                  "start the program under mpiexec.mpich, srun --mpi=pmi2 or leeway launch"));
}

}  // namespace leeway
