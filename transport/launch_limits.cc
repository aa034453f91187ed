#include "leeway/transport/launch_limits.h"

#include <algorithm>
#include <string>
#include <utility>

#include "leeway/base/format.h"

namespace leeway {

namespace {

// Measured by test/jobs/footprint.py (docs/running.md says how), rounded up: memory that a process has for
// itself while it waits in a run of almost nothing, and what it has for each other process of the job.
constexpr std::uint64_t kBytesPerProcess = std::uint64_t{96} << 20U;
constexpr std::uint64_t kBytesPerPeer = std::uint64_t{64} << 10U;
constexpr std::uint64_t kThreadsPerProcess = 3;
constexpr std::uint64_t kDescriptorsPerPeer = 2;
constexpr std::uint64_t kOwnDescriptors = 48;

struct Fit {
  std::uint64_t processes = Room::kNoLimit;
  std::string by;
};

void narrow(Fit& fit, std::uint64_t processes, const std::string& by) {
  if (processes < fit.processes) fit = {processes, by};
}

}  // namespace

LaunchRoom launch_room() { return {memory_room(), process_room(), descriptor_room()}; }

Status admit_processes(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room) {
  Fit on_this_machine;
  if (room.memory.left != Room::kNoLimit) {
    narrow(on_this_machine, most_that_fit(room.memory.left, kBytesPerProcess, kBytesPerPeer),
           room.memory.by);
  }
  if (room.processes.left != Room::kNoLimit)
    narrow(on_this_machine, room.processes.left / kThreadsPerProcess, room.processes.by);
  Fit in_a_job;  // wherever they run, each is tied to every other
  if (room.descriptors.left != Room::kNoLimit) {
    const std::uint64_t left =
        room.descriptors.left - std::min(room.descriptors.left, kOwnDescriptors);
    narrow(in_a_job, left / kDescriptorsPerPeer, room.descriptors.by);
  }
  const bool too_many_here = here > on_this_machine.processes;
  if (!too_many_here && nodes <= in_a_job.processes) return {};
  // Where both are too few, the one that leaves room for fewer.
  const bool one_machine = too_many_here && (nodes <= in_a_job.processes ||
                                             on_this_machine.processes <= in_a_job.processes);
  const Fit& fit = one_machine ? on_this_machine : in_a_job;
  return fail(input_error(
      "-n",
      format("{} processes are more than {}: {} fit, by {}", one_machine ? here : nodes,
             one_machine ? "this machine has room for" : "a job can have", fit.processes, fit.by),
      one_machine ? format("give -n {} or fewer, or more machines with --hosts", fit.processes)
                  : format("give -n {} or fewer, or raise the limit", fit.processes)));
}

}  // namespace leeway
