// The hash of what a simulation starts from: every parameter of its model and all things' first state. Two
// runs of as many ticks that have the same one compute the same, whatever engine runs them; `leeway compare`
// warns of others.
#pragma once

#include <span>
#include <string>

#include "leeway/programs/scene/fish.h"
#include "leeway/programs/scene/nbody.h"
#include "leeway/programs/scene/plate.h"

namespace leeway::cli {

[[nodiscard]] std::string hash_of(const scene::FishModel& model,
                                  std::span<const scene::Fish> school);
[[nodiscard]] std::string hash_of(const scene::NBodyModel& model,
                                  std::span<const scene::Body> bodies);
[[nodiscard]] std::string hash_of(const scene::Plate& plate, std::span<const double> heat);

}  // namespace leeway::cli
