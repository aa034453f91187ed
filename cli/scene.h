// What simulations write beside their reports: where everything was at some ticks, for a player.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_table.h"
#include "programs/scene/scenes.h"

namespace leeway::cli {

/// Points that move, by id, at some ticks. docs/tick.md tells the format.
struct Film {
  std::string program;
  double width = 0, height = 0;
  std::vector<std::uint32_t> kinds;  ///< of each point, by id: what a player colours it by
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

/// Values of the cells of a plane, row by row, after some iterations. docs/formats.md tells the format.
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
/// Columns and rows of a graph whose vertices are the cells of a plane: grid2d:WxH, matrix:poisson2d:WxH or
/// matrix:anisotropic:WxH:… . None: it is another.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(
    std::string_view graph);

// What is simulated, whichever engine steps it: the first state, and what a run says, checks and writes of the
// last. An engine adds how it is stepped (run_tick.cc, run_piece.cc).

/// Things at some ticks, by id: views of what a run holds.
template <class Thing>
using Pictures = std::vector<std::pair<std::uint32_t, std::span<const Thing>>>;

template <class Thing>
struct Scene {
  std::string name;          ///< "1000 fish in a basin of 100 x 100"
  std::string identity;      ///< and what else tells it from others, for snapshots
  std::uint64_t count = 0;   ///< of things or cells
  std::vector<Thing> first;  ///< empty in a process that need not know it
  /// Of every parameter of the model and the first state: two runs of as many ticks that have the same one compute the
  /// same, whatever engine runs them; `leeway compare` warns of others.
  std::string hash;
  std::function<bool(std::uint64_t ticks)> verifies;
  /// The sequential answer.
  std::function<std::vector<Thing>(std::vector<Thing> first, std::uint32_t ticks)> after;
  std::function<ResultTable(std::span<const Thing>)> table;
  /// For a player; none: it does not move.
  std::function<std::string(std::span<const Thing>, const Pictures<Thing>&)> film = {};
};

[[nodiscard]] scene::FishModel fish_model(const Options& options);
[[nodiscard]] scene::Plate plate_of(const Options& options);

/// `made`: this process is to know the first state. What they refer to of `options` outlives them.
[[nodiscard]] Scene<scene::Fish> fish_scene(const Options& options, bool made);
[[nodiscard]] Scene<double> plate_scene(const Options& options, bool made);
/// Puts the traps of the scene's groups into `model`.
[[nodiscard]] Scene<scene::Body> nbody_scene(const Options& options, scene::NBodyModel& model);

}  // namespace leeway::cli
