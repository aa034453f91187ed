// Fish, food, bodies and plates stepped by brute force over all pairs. The rules are documented at the
// top of the library's models and implemented here a second time. Only the generation of scenes
// uses the library's random numbers. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace leeway::answers {

struct Mover {
  double x = 0, y = 0, vx = 0, vy = 0;
  std::uint32_t group = 0;   ///< a fish's goal, a body's trap; 0: none
  std::uint64_t random = 0;  ///< state of the generator of a fish or a piece of food
  std::uint64_t bites = 0;   ///< taken by a fish; left of a piece of food
};

struct SchoolScene {
  double width = 100, height = 100, visibility = 6, reach = 0.2;
  std::uint32_t fish = 1000, informed = 0, goals = 1;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<Mover> school_after(const SchoolScene& scene, std::uint32_t ticks);

/// Fish with food: the fish, then the pieces of food.
struct PondScene {
  SchoolScene school;
  std::uint32_t food = 200;
};
struct PondMovers {
  std::vector<Mover> fish, food;
};
[[nodiscard]] PondMovers pond_after(const PondScene& scene, std::uint32_t ticks);

struct BodyScene {
  double width = 200, height = 200, cutoff = 8;
  std::uint32_t bodies = 1000, groups = 4;
  std::uint64_t seed = 1;
};
[[nodiscard]] std::vector<Mover> bodies_after(const BodyScene& scene, std::uint32_t ticks);

/// Cells in row-major order.
[[nodiscard]] std::vector<double> plate_after(std::uint32_t columns, std::uint32_t rows,
                                              std::uint64_t seed, std::uint32_t ticks);

}  // namespace leeway::answers
