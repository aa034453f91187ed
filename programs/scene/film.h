// Frames of a run, as files ("films") that `leeway compare` plays: positions of moving points, and values of the cells of a
// plane.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace leeway {

/// Positions of moving points at some ticks. docs/tick.md describes the format.
struct Film {
  std::string program;
  double width = 0, height = 0;
  std::vector<std::uint32_t> kinds;  ///< by id; the player's colour of each point
  struct FilmFrame {
    std::uint32_t tick = 0;
    std::vector<std::pair<double, double>> places;  ///< by id
  };
  std::vector<FilmFrame> pictures;

  template <class Things>
  void add(std::uint32_t tick, const Things& things) {
    FilmFrame& picture = pictures.emplace_back();
    picture.tick = tick;
    for (const auto& thing : things) picture.places.emplace_back(thing.x, thing.y);
  }
};
[[nodiscard]] std::string film_json(const Film& film);

/// Values of the cells of a plane, in row-major order, after some iterations. docs/formats.md describes the format.
struct CellFilm {
  std::string program;
  std::uint32_t width = 0, height = 0;
  struct CellFrame {
    std::uint32_t iteration = 0;
    std::vector<double> values;
  };
  std::vector<CellFrame> pictures;
};
[[nodiscard]] std::string film_json(const CellFilm& film);

}  // namespace leeway
