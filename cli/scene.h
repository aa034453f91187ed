// Scenes of simulations: initial state, verification, result table and frames, for both engines that step them
// (simulation_run.cc); and the frames files ("films") that `leeway compare` plays.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "cli/result_table.h"
#include "programs/scene/scenes.h"
#include "transport/fabric.h"

namespace leeway::cli {

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
/// Columns and rows of a graph whose vertices are the cells of a plane: grid2d:WxH, matrix:poisson2d:WxH or
/// matrix:anisotropic:WxH:… . None for other graphs.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> plane_of(
    std::string_view graph);

/// States at some ticks, by id: views of the run's result.
template <class Thing>
using Pictures = std::vector<std::pair<std::uint32_t, std::span<const Thing>>>;

/// The parts of a simulation that do not depend on the engine.
template <class Thing>
struct Scene {
  std::string name;          ///< "1000 fish in a basin of 100 x 100"
  std::string identity;      ///< name and all other parameters, for snapshots
  std::uint64_t count = 0;   ///< number of things or cells
  std::vector<Thing> first;  ///< empty if this process does not need it
  /// Hash of all model parameters and the initial state. Runs of equal length with equal hashes compute the same
  /// result on every engine; `leeway compare` warns if hashes differ.
  std::string hash;
  std::function<bool(std::uint64_t ticks)> verifies;
  /// The final state, computed sequentially.
  std::function<std::vector<Thing>(std::vector<Thing> first, std::uint32_t ticks)> after;
  std::function<ResultTable(std::span<const Thing>)> table;
  /// Makes the frames file; none: the scene has no frames.
  std::function<std::string(std::span<const Thing>, const Pictures<Thing>&)> film = {};
};

/// A fish or a piece of food, as a row of one table: of food, `eaten` is the number of bites left.
struct PondRow : scene::Forager {
  bool food = false;

  friend bool operator==(const PondRow&, const PondRow&) = default;
};
/// The fish, then the food.
[[nodiscard]] std::vector<PondRow> pond_rows(std::span<const scene::Forager> fish,
                                             std::span<const scene::Food> food);
/// The inverse of pond_rows.
[[nodiscard]] scene::Pond pond_of(std::span<const PondRow> rows);

[[nodiscard]] scene::FishModel fish_model(const CommandOptions& options);
[[nodiscard]] scene::Plate plate_of(const CommandOptions& options);

// The scenes refer to `options`, which must outlive them. With --scene, these, except `plate_scene`, are collective: each
// process of `job` reads the file, and they return an Input error on all if one cannot, or if the contents differ.

/// `made`: this process needs the initial state, although it is generated.
Result<Scene<scene::Fish>> fish_scene(const CommandOptions& options, bool made, Job* job);
/// Also sets the model of the scene's food.
Result<Scene<PondRow>> pond_scene(const CommandOptions& options, bool made, Job* job,
                                  scene::FoodModel& food);
[[nodiscard]] Scene<double> plate_scene(const CommandOptions& options, bool made);
/// Also stores the traps of the scene's groups in `model`.
Result<Scene<scene::Body>> nbody_scene(const CommandOptions& options, scene::NBodyModel& model,
                                       Job* job);

}  // namespace leeway::cli
