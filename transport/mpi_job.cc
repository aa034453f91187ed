#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "leeway/base/format.h"
#include "leeway/base/machine_room.h"
#include "leeway/base/mix.h"
#include "leeway/transport/addresses.h"
#include "leeway/transport/job.h"
#include "leeway/transport/launcher.h"
#include "leeway/transport/mpi_wire.h"
#include "leeway/transport/process_job.h"
#include "leeway/transport/share_secret.h"

namespace leeway {

namespace {

/// What every rank tells all others over MPI before the control network stands. Only rank 0's addresses count.
struct Introduction {
  std::uint64_t machine = 0;
  KeyPair::PublicHalf key{};
  char addresses[432] = {};
};

/// The same on every process of one machine, different on different machines.
std::uint64_t machine_print() {
  std::uint64_t print = 1;
  for (const char letter : host_name()) {
    print = mix64(print ^ static_cast<unsigned char>(letter));
  }
  return print;
}

Result<std::vector<Introduction>> introduce(MpiWire& wire, const Introduction& mine) {
  LEEWAY_ASSIGN(const auto bytes, wire.gather(std::as_bytes(std::span(&mine, 1))));
  std::vector<Introduction> all(wire.node_count());
  std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
  return all;
}

/// The control network: held by rank 0, joined by all.
Status add_control(MpiWire& wire, JobParts& parts, const JobOptions& options) {
  const KeyPair keys;
  Introduction mine;
  mine.machine = machine_print();
  mine.key = keys.public_half();
  const Secret own = Secret::random();
  if (wire.self() == NodeId(0)) {
    LEEWAY_ASSIGN(parts.rendezvous, Rendezvous::open({.nodes = wire.node_count(),
                                                      .secret = own,
                                                      .verdict = options.verdict,
                                                      .host = {},
                                                      .on_down = {},
                                                      .on_evidence = keep_evidence}));
    const std::string addresses =
        own_addresses(parts.rendezvous->port(), sizeof(mine.addresses) - 1);
    std::strncpy(mine.addresses, addresses.c_str(), sizeof(mine.addresses) - 1);
  }
  LEEWAY_ASSIGN(const auto all, introduce(wire, mine));
  parts.neighbours = static_cast<std::uint32_t>(std::count_if(
      all.begin(), all.end(), [&](const auto& each) { return each.machine == mine.machine; }));
  wire.set_neighbours(parts.neighbours);
  std::vector<KeyPair::PublicHalf> halves;
  for (const Introduction& each : all) halves.push_back(each.key);
  LEEWAY_ASSIGN(const Secret secret, share_secret(wire, own, keys, halves));
  LEEWAY_ASSIGN(parts.membership, Membership::connect(all[0].addresses, secret, options.verdict));
  return parts.membership->enter(wire.self(), host_name());
}

}  // namespace

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options) {
  const LaunchInfo launch = read_launch(::environ);
  if (!launch.foreign.empty()) return fail(stranded(launch));
  raise_descriptor_limit();
  JobParts parts;
  parts.owned = !options.communicator;
  parts.guarded = parts.owned && launch.pmi && stand_under_guardian();
  LEEWAY_ASSIGN(auto wire, open_mpi(options.communicator));
  if (parts.owned) {
    if (launch.processes > 1 && wire->node_count() == 1) {
      return fail(environment_error(
          "mpi", format("the launcher started {} processes, but MPI sees one", launch.processes),
          "use the launcher of the MPI that leeway was built with: mpiexec.mpich"));
    }
  }
  LEEWAY_TRY(add_control(*wire, parts, options));
  if (parts.owned) part_from_launcher();
  parts.wire = std::move(wire);
  return std::make_unique<ProcessJob>(std::move(parts), options);
}

}  // namespace leeway
