#include "leeway/cli/machines.h"

#include <algorithm>
#include <thread>

#include "leeway/base/format.h"
#include "leeway/cli/measure_network.h"

namespace leeway::cli {

namespace {

Result<Machines> assumed(const Options& options) {
  Machines machines;
  if (options.network) {
    machines.network = *options.network;
    machines.basis = format(
        "assumed: the profile {} and the default cost model, in which a hit takes "
        "2.5 ns; simulated, not measured",
        options.network->name);
    return machines;
  }
  LEEWAY_ASSIGN(machines.network, parse_profile("gigabit"));
  machines.cost = measure_costs();
  machines.basis = format(
      "a hit takes {:.2f} ns here, measured; no launcher started several processes, so the network "
      "is "
      "assumed: the profile gigabit (give --net PROFILE, or leeway launch -n N -- advise ...)",
      static_cast<double>(machines.cost.fetch_ps) * 1e-3);
  return machines;
}

}  // namespace

Result<Machines> machines_of(const Options& options, Job* job) {
  if (options.network || job == nullptr || job->node_count() == 1) return assumed(options);
  LEEWAY_ASSIGN(const MeasuredNetwork network, measure_network(*job));
  Machines machines;
  if (job->self() != NodeId(0)) return machines;
  machines.measured = true;
  machines.network = network.profile;
  machines.cost = measure_costs();
  machines.basis = format(
      "measured: {} round trips between {} processes, median {:.1f} us, slowest {:.1f} us, {} ps a "
      "byte; a "
      "hit takes {:.2f} ns; that a frame costs each end {} ns is assumed",
      network.round_trips, job->node_count(), network.median_round_trip_s * 1e6,
      network.slowest_round_trip_s * 1e6, network.profile.picoseconds_per_byte,
      static_cast<double>(machines.cost.fetch_ps) * 1e-3, network.profile.send_cost_ns);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  if (job->nodes_on_this_host() > cores) {
    machines.basis += format(
        "; {} processes share {} cores here, which the times of more than {} nodes leave out",
        job->nodes_on_this_host(), cores, cores);
  }
  return machines;
}

}  // namespace leeway::cli
