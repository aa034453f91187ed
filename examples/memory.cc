// The shared memory by hand: a rod whose ends are held at 0 and 1 degrees; each cell becomes the mean of its neighbours.
//
//   memory [CELLS] [FLAG...]      CELLS: of each node; --help lists the flags
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "leeway/cluster.h"
#include "leeway/dsm.h"
#include "leeway/settings.h"

using leeway::Handle;
using leeway::LocalIndex;
using leeway::NodeId;
using leeway::ObjectId;

constexpr double kEpsilon = 1e-7;

/// The program of one node: it owns `cells` cells, and reads one cell of each neighbouring node.
leeway::Status warm(leeway::Node& node, std::uint32_t cells, double& mean) {
  const std::uint32_t self = node.self().value();
  const bool last = self + 1 == node.node_count();
  leeway::SpaceOptions sizes;
  sizes.local_objects = cells;  // objects whose home is this node: handles 0 to cells - 1
  sizes.remote_objects = 2;     // objects of other nodes that it reads
  LEEWAY_ASSIGN(auto dsm, leeway::Dsm<double>::open(node, sizes));
  for (std::uint32_t i = 0; i < cells; ++i) dsm.set_initial(LocalIndex(i), 0);

  Handle left, right;
  if (self > 0) {
    LEEWAY_ASSIGN(left, dsm.resolve(ObjectId(NodeId(self - 1), LocalIndex(cells - 1))));
  }
  if (!last) {
    LEEWAY_ASSIGN(right, dsm.resolve(ObjectId(NodeId(self + 1), LocalIndex(0))));
  }
  node.barrier();  // every node has set its initial values

  // Algorithm 1 of the ASPIRE paper: loops over the cells until no node changes any.
  const std::uint32_t iterations = leeway::do_work(node, cells, kEpsilon, [&](std::uint32_t i) {
    const double before = i > 0      ? DSM_FETCH(dsm, Handle(i - 1))
                          : self > 0 ? DSM_FETCH(dsm, left)
                                     : 0;
    const double after = i + 1 < cells ? DSM_FETCH(dsm, Handle(i + 1))
                         : last        ? 1
                                       : DSM_FETCH(dsm, right);
    const double old = DSM_FETCH(dsm, Handle(i));
    const double now = (before + after) / 2;
    if (std::abs(now - old) > kEpsilon) DSM_STORE(dsm, Handle(i), now);
    return std::abs(now - old);
  });

  double sum = 0;
  for (std::uint32_t i = 0; i < cells; ++i) sum += dsm.fetch(Handle(i));
  if (self == 0) {
    mean = sum / cells;
    const leeway::AccessCounts reads = dsm.stats().accesses;
    std::fprintf(stderr, "%u iterations; node 0 read %llu copies, %llu of them stale\n", iterations,
                 static_cast<unsigned long long>(reads.remote()),
                 static_cast<unsigned long long>(reads.stale_hits));
  }
  node.barrier();  // no node closes the memory while another reads it
  return {};
}

int main(int argc, char** argv) {
  leeway::Options options(argc, argv, leeway::OwnEngine::Memory);
  const int cells = options.arguments.empty() ? 16 : std::atoi(options.arguments[0].c_str());
  double mean = 0;
  leeway::value_or_exit(leeway::run_cluster(options.cluster, [&](leeway::Node& node) {
    return warm(node, static_cast<std::uint32_t>(std::max(cells, 1)), mean);
  }));
  if (options.first) std::printf("the cells of node 0 have %.3f degrees on average\n", mean);
  return 0;
}
