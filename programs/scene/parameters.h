// Parameters of simulated scenes, as their user chooses them, for all engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace leeway {

struct SceneParameters {
  static constexpr std::uint32_t kFish = 1000, kFood = 200, kBodies = 1000;

  std::optional<std::uint32_t> fish;    ///< default: kFish, or those in the file
  std::optional<std::uint32_t> food;    ///< pieces; likewise
  std::optional<std::uint32_t> bodies;  ///< likewise
  std::uint32_t informed = 0;
  std::uint32_t goals = 1;
  double width = 100, height = 100;  ///< basin
  double visibility = 6, reach = 0.2;
  bool quadtree = false;                      ///< division of the basin under the tick engine
  std::uint32_t columns = 1000, rows = 1000;  ///< plate
  std::uint32_t groups = 4;
  double box_width = 200, box_height = 200;
  double cutoff = 8;
  std::string file;    ///< initial state of the fish or bodies; empty: generated
  std::string frames;  ///< file; empty: none
  std::uint32_t frame_every = 1;
};

}  // namespace leeway
