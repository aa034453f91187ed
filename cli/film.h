// What simulations write beside their reports: where everything was at some ticks, for a player.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

  template <class Things>
  void add(std::uint32_t tick, const Things& things) {
    Picture& picture = pictures.emplace_back();
    picture.tick = tick;
    for (const auto& thing : things) picture.places.emplace_back(thing.x, thing.y);
  }
};
[[nodiscard]] std::string film_json(const Film& film);

}  // namespace leeway::cli
