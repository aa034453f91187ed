#include "leeway/cli/film.h"

#include <algorithm>
#include <cmath>

#include "leeway/base/json_writer.h"

namespace leeway::cli {

namespace {

/// Places as whole numbers of 4,096ths of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;

std::int64_t in_steps(double value, double side) {
  return std::isfinite(value) ? std::llround(value / side * kSteps) : -1;
}

}  // namespace

std::string film_json(const Film& film) {
  const double side = std::max(film.width, film.height);
  JsonWriter json(JsonWriter::Layout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kSteps);
    json.member("kinds", film.kinds);
    json.key("frames").array(film.pictures, [&](const Film::Picture& picture) {
      json.object([&] {
        json.member("tick", picture.tick).key("at").array([&] {
          for (const auto& [x, y] : picture.places)
            json.value(in_steps(x, side)).value(in_steps(y, side));
        });
      });
    });
  });
  return std::move(json).text();
}

}  // namespace leeway::cli
