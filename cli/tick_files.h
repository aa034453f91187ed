// What runs of ticks write beside their reports: where everything was at some ticks, for a player; and the
// last state, a line a tuple.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leeway/programs/tick/fish_school.h"
#include "leeway/programs/tick/heat_plate.h"

namespace leeway::cli {

/// Points that move, by id, at some ticks. docs/tick.md tells the format.
struct Film {
  std::string program;
  double width = 0, height = 0;
  std::vector<std::uint32_t> kinds;  ///< of each point, by id: what a player colours it by
  struct Picture {
    std::uint32_t tick = 0;
    std::vector<std::pair<double, double>> places;  ///< by id
  };
  std::vector<Picture> pictures;
};
[[nodiscard]] std::string film_json(const Film& film);

[[nodiscard]] Film film_of(const FishSettings& settings, const FishRun& run);
[[nodiscard]] std::string lines_of(const FishTable& school);
[[nodiscard]] std::string lines_of(const Field& plate);

}  // namespace leeway::cli
