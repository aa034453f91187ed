// A user's MPI program that gives half of its ranks to Leeway and uses MPI itself before, during
// and after the job.
#include <mpi.h>
#include <cstdio>
#include <cstdlib>

#include "leeway/dsm.h"
#include "transport/fabric.h"

namespace {

using namespace leeway;

/// The sum of the values stored by all nodes, read through the shared memory.
std::uint64_t share(Job& job, std::uint64_t mine, MPI_Comm users) {
  Node node(job.transport(), {});
  SpaceOptions options;
  options.local_objects = 1;
  options.remote_objects = job.node_count();
  auto dsm = Dsm<std::uint64_t>::open(node, options).value();
  dsm.store(Handle(0), mine);
  node.barrier();
  MPI_Barrier(users);  // an MPI call of the user while the node's service runs
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < job.node_count(); ++i) {
    sum += dsm.fetch(ObjectId(NodeId(i), LocalIndex(0)));
  }
  node.barrier();
  node.close();
  return sum;
}

}  // namespace

int main(int count, char** values) {
  int level = 0, rank = 0, size = 0;
  MPI_Init_thread(&count, &values, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  std::uint64_t sum = 0;
  if (rank % 2 == 0) {
    auto job = join_job({.fabric = Fabric::Mpi, .communicator = MPI_Comm_c2f(half)});
    if (!job) {
      std::fprintf(stderr, "%s\n", job.error().to_string().c_str());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    sum = share(**job, static_cast<std::uint64_t>(rank), half);
    if (!(*job)->leave()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(&sum, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  std::uint64_t expected = 0;
  for (int i = 0; i < size; i += 2) expected += static_cast<std::uint64_t>(i);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return sum == expected ? 0 : 1;
}
