// The sequential answers of the simulations, ticks after a start: what runs on engines are held against.
// They take the types of a scene from `programs/scene` and none of its laws: who is near is found by a sweep over
// things sorted by x, and each law of motion is written here once more, from its description. Influences and
// pulls are whole numbers there and here, so an engine that is right gives these very bits. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "leeway/programs/scene/fish.h"
#include "leeway/programs/scene/nbody.h"
#include "leeway/programs/scene/plate.h"

namespace leeway::reference {

/// In the order given.
[[nodiscard]] std::vector<scene::Fish> fish_after(const scene::FishModel& model,
                                                  std::vector<scene::Fish> fish,
                                                  std::uint32_t ticks);
/// Ordered by id.
[[nodiscard]] std::vector<scene::Body> bodies_after(const scene::NBodyModel& model,
                                                    std::vector<scene::Body> bodies,
                                                    std::uint32_t ticks);
/// Row by row.
[[nodiscard]] std::vector<double> plate_after(const scene::Plate& plate, std::vector<double> heat,
                                              std::uint32_t ticks);

/// How many pairs a sweep over `things` spread evenly over `width` looks at in a tick, where each acts as far as `range`.
[[nodiscard]] double swept_pairs(std::uint64_t things, double range, double width);

}  // namespace leeway::reference
