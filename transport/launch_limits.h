// How many processes `leeway launch` may start here before the machine has no room for more.
#pragma once

#include <cstdint>

#include "leeway/base/machine_room.h"
#include "leeway/base/result.h"

namespace leeway {

struct LaunchRoom {
  Room memory, processes, descriptors;
};
[[nodiscard]] LaunchRoom launch_room();

/// An Input error, with the number that fits and what sets it, if a job of `nodes` processes of which `here`
/// run on this machine does not. What they load comes on top: that is `leeway plan`'s to tell.
Status admit_processes(std::uint32_t nodes, std::uint32_t here, const LaunchRoom& room);

}  // namespace leeway
