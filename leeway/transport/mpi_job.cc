#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <utility>

#include "leeway/base/check.h"
#include "leeway/base/format.h"
#include "leeway/base/mix.h"
#include "leeway/transport/job.h"
#include "leeway/transport/launcher.h"
#include "leeway/transport/mpi_wire.h"
#include "leeway/transport/wire_transport.h"

namespace leeway {

namespace {

/// The same on every process of one machine, different on different machines.
std::uint64_t machine_print() {
  char name[256] = {};
  ::gethostname(name, sizeof(name) - 1);
  std::uint64_t print = 1;
  for (const char* at = name; *at != '\0'; ++at)
    print = mix64(print ^ static_cast<unsigned char>(*at));
  return print;
}

class MpiJob final : public Job {
 public:
  MpiJob(std::unique_ptr<MpiWire> wire, const JobOptions& options)
      : wire_(*wire), transport_(std::move(wire), options.window_bytes) {
    count_neighbours();
  }

  Transport& transport() override { return transport_; }
  Fabric fabric() const override { return Fabric::Mpi; }
  std::uint32_t nodes_on_this_host() const override { return neighbours_; }
  void set_evidence(std::function<std::string()> evidence) override {
    evidence_ = std::move(evidence);
  }

  Status leave() override {
    transport_.join();
    transport_.drain(transport_.now() + std::chrono::seconds(10));
    {
      const auto locked = transport_.lock_wire();
      (void)wire_.gather({});
    }
    wire_.release();
    return {};
  }

 private:
  void count_neighbours() {
    const std::uint64_t mine = machine_print();
    const auto all = wire_.gather(std::as_bytes(std::span(&mine, 1)));
    for (std::size_t at = 0; at < all.size(); at += sizeof(mine)) {
      if (std::memcmp(all.data() + at, &mine, sizeof(mine)) == 0) ++neighbours_;
    }
    wire_.set_neighbours(neighbours_);
  }

  MpiWire& wire_;
  WireTransport transport_;
  std::uint32_t neighbours_ = 0;
  std::function<std::string()> evidence_;
};

}  // namespace

Result<std::unique_ptr<Job>> join_mpi_job(const JobOptions& options) {
  const LaunchInfo launch = read_launch(::environ);
  if (!launch.foreign.empty()) return fail(stranded(launch));
  if (!options.communicator && launch.pmi) stand_under_guardian();
  LEEWAY_ASSIGN(auto wire, open_mpi(options.communicator));
  if (!options.communicator) {
    if (launch.processes > 1 && wire->node_count() == 1) {
      return fail(environment_error(
          "mpi", format("the launcher started {} processes, but MPI sees one", launch.processes),
          "use the launcher of the MPI that leeway was built with: mpiexec.mpich"));
    }
    part_from_launcher();
  }
  return std::make_unique<MpiJob>(std::move(wire), options);
}

}  // namespace leeway
