// What simulations write beside their reports: where everything was at some ticks, for a player.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// Values of the cells of a plane, row by row, after some iterations. docs/formats.md tells the format.
struct CellFilm {
  std::string program;
  std::uint32_t width = 0, height = 0;
  struct Picture {
    std::uint32_t iteration = 0;
    std::vector<double> values;
  };
  std::vector<Picture> pictures;
};
[[nodiscard]] std::string film_json(const CellFilm& film);
/// Columns and rows of a graph whose vertices are the cells of a plane: grid2d:WxH, matrix:poisson2d:WxH or
/// matrix:anisotropic:WxH:… . None: it is another.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(
    std::string_view graph);

}  // namespace leeway::cli
