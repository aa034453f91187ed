// A job inside an MPI program: half of the ranks share objects, and the program uses MPI before, during and after it.
//
//   mpiexec.mpich -n 4 in_mpi
#include <mpi.h>

#include <cstdio>

#include "leeway/cluster.h"
#include "leeway/dsm.h"

/// Every node stores its number; each reads and adds all.
leeway::Status add_up(leeway::Node& node, double& sum) {
  leeway::SpaceOptions sizes;
  sizes.local_objects = 1;
  sizes.remote_objects = node.node_count();
  LEEWAY_ASSIGN(auto numbers, leeway::Dsm<double>::open(node, sizes));
  DSM_STORE(numbers, leeway::Handle(0), node.self().value());
  node.barrier();
  for (std::uint32_t i = 0; i < node.node_count(); ++i)
    sum += DSM_FETCH(numbers, leeway::ObjectId(leeway::NodeId(i), leeway::LocalIndex(0)));
  node.barrier();
  return {};
}

leeway::Status run_on(MPI_Comm ranks, double& sum) {
  leeway::JobOptions joining{.fabric = leeway::Fabric::Mpi, .communicator = MPI_Comm_c2f(ranks)};
  LEEWAY_ASSIGN(const auto job, leeway::join_job(joining));
  leeway::ClusterOptions cluster;
  cluster.fabric = leeway::Fabric::Mpi;
  cluster.nodes = job->node_count();
  cluster.job = job.get();
  LEEWAY_TRY(leeway::run_cluster(cluster, [&](leeway::Node& node) { return add_up(node, sum); }));
  return job->leave();
}

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;  // the even ranks
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  double sum = 0;
  if (rank % 2 == 0) {
    if (const leeway::Status ran = run_on(half, sum); !ran) {
      std::fprintf(stderr, "%s\n", ran.error().to_string().c_str());
      MPI_Abort(MPI_COMM_WORLD, ran.error().exit_code());
    }
  }
  MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 1) std::printf("rank 1 heard from rank 0 that the nodes' numbers sum to %g\n", sum);
  MPI_Comm_free(&half);
  MPI_Finalize();
}
