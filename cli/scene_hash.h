// The hash of what a simulation starts from: every parameter of its model and all things' first state. Two
// runs of as many ticks that have the same one compute the same, whatever engine runs them; `leeway compare`
// warns of others.
#pragma once

#include <span>
#include <string>

#include "leeway/programs/reference/fish.h"
#include "leeway/programs/reference/jacobi.h"
#include "leeway/programs/reference/nbody.h"

namespace leeway::cli {

[[nodiscard]] std::string hash_of(const reference::FishModel& model,
                                  std::span<const reference::Fish> school);
[[nodiscard]] std::string hash_of(const reference::NBodyModel& model,
                                  std::span<const reference::Body> bodies);
[[nodiscard]] std::string hash_of(const reference::Plate& plate, std::span<const double> heat);

}  // namespace leeway::cli
