#include "leeway/cli/admit_memory.h"

#include <algorithm>

#include "leeway/base/format.h"
#include "leeway/base/machine_room.h"
#include "leeway/cli/output.h"

namespace leeway::cli {

namespace {

// Measured by test/jobs/footprint.py (docs/running.md says how), rounded up: what a node takes in a run of
// almost nothing, and what it takes for each other node.
constexpr std::uint64_t kBytesPerNode = std::uint64_t{1} << 20U;
constexpr std::uint64_t kBytesPerPeer = std::uint64_t{16} << 10U;

}  // namespace

Status admit_memory(std::string_view flag, std::string_view things, std::uint64_t count,
                    std::uint64_t bytes_each) {
  const Room room = memory_room();
  if (count <= room.left / bytes_each) return {};
  return fail(environment_error(
      std::string(flag),
      format("{} {} take {}, and this machine has {} left, by {}", format_count(count), things,
             format_bytes(static_cast<double>(count) * static_cast<double>(bytes_each)),
             format_bytes(static_cast<double>(room.left)), room.by),
      format("give at most {}", format_count(room.left / bytes_each))));
}

Status admit_nodes(std::uint32_t nodes, bool threads) {
  Room room = memory_room();
  room.left = most_that_fit(room.left, kBytesPerNode, kBytesPerPeer);
  if (const Room processes = process_room(); threads && processes.left < room.left)
    room = processes;
  if (nodes <= room.left) return {};
  return fail(
      environment_error("--nodes",
                        format("{} nodes are more than this process has room for: {} fit, by {}",
                               nodes, room.left, room.by),
                        format("give at most {}", room.left)));
}

}  // namespace leeway::cli
