#include "programs/scene/film.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json.h"

namespace leeway {

namespace {

/// Positions are integers in units of 1/4096 of the longer side: finer than a screen, shorter than decimals.
constexpr double kSteps = 4096;
/// Number of shades between the smallest and greatest value of a film.
constexpr std::int64_t kShades = 255;

std::int64_t in_steps(double value, double side) {
  return std::isfinite(value) ? std::llround(value / side * kSteps) : -1;
}

}  // namespace

std::string film_json(const Film& film) {
  const double side = std::max(film.width, film.height);
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kSteps);
    json.member("kinds", film.kinds);
    json.key("frames").array(film.pictures, [&](const Film::FilmFrame& picture) {
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

std::string film_json(const CellFilm& film) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& picture : film.pictures) {
    for (const double value : picture.values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) low = high = 0;
  const double range = high > low ? high - low : 1;
  JsonWriter json(JsonWriter::JsonLayout::Lines);
  json.object([&] {
    json.member("leeway_film", 1).member("program", film.program);
    json.member("width", film.width).member("height", film.height).member("steps", kShades);
    json.member("low", low).member("high", high);
    json.key("kinds").array([] {});
    json.key("frames").array(film.pictures, [&](const CellFilm::CellFrame& picture) {
      json.object([&] {
        json.member("tick", picture.iteration).key("cells").array([&] {
          for (const double value : picture.values)
            json.value(std::isfinite(value) ? std::llround((value - low) / range * kShades)
                                            : std::int64_t{-1});
        });
      });
    });
  });
  return std::move(json).text();
}

}  // namespace leeway
